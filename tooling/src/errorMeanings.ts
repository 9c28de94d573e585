/** The doc comments of the error classes, which say on the reference page what each error means. */
import { readdirSync, readFileSync } from "node:fs"

const folder = new URL("../../packages/protocol/src/errors/", import.meta.url)

/** A doc comment, and the name of the error class below it. */
const commented = /^\/\*\*((?:(?!\*\/)[^])*)\*\/\nexport class (\w+) extends Base\.error</gm

/** Returns the meaning of each error by the name of its class. */
export const read = (): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(folder)
      .map((name) => readFileSync(new URL(name, folder), "utf8"))
      .flatMap((text) => [...text.matchAll(commented)])
      .map(([, comment = "", name = ""]) => [name, comment.replaceAll(/\s*\n \*\s?/g, " ").trim()] as const)
  )
