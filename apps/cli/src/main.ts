/**
 * Entry of the command line as a script. It is small, because it is read at every command: `client` has the rest.
 */
import { dirname, join } from "node:path"
import type * as Client from "./client.ts"
import * as PlainCommand from "./thin/PlainCommand.ts"

const here = import.meta.filename

/** Loads the rest of the client, by a path that is computed at run time so that the bundler leaves it out. */
const rest = async (): Promise<PlainCommand.Rest> => {
  const beside = (file: string) => join(dirname(here), file)
  if (here.endsWith(".ts")) {
    const loaded: typeof Client = await import(`file://${encodeURI(beside("client.ts"))}`)
    return loaded.rest
  }
  // `import()` would take milliseconds.
  const loaded: typeof Client = import.meta.require(beside("client.cjs"))
  return loaded.rest
}

const words = process.argv.slice(2)
if (!PlainCommand.run(words, rest)) void rest().then(({ run }) => run(words))
