/**
 * Entry of the command line as a script. It is small, because it is read at every command: `client` has the rest.
 */
import { dirname, join } from "node:path"
import * as NodeVersion from "@sigtrap/host/runtime/NodeVersion"
import type * as Client from "./client.ts"
import type * as Run from "./run.ts"
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

/** Runs the daemon as clients start it. Returns false, and has done nothing, for other words and for a Node that is too old. */
const runDaemon = (words: ReadonlyArray<string>): boolean => {
  if (words.length !== 2 || words[0] !== "daemon" || words[1] !== "run") return false
  if (here.endsWith(".ts") || NodeVersion.isTooOld()) return false
  const { run }: typeof Run = import.meta.require(join(dirname(here), "run.cjs"))
  void run()
  return true
}

const words = process.argv.slice(2)
if (!runDaemon(words) && !PlainCommand.run(words, rest)) void rest().then(({ run }) => run(words))
