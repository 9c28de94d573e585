// The manager, the host and the command line decide by the tags and reasons of errors, never by their words, so that rewording an error changes
// nothing. Patterns of a debugger's messages are in that debugger's file of packages/backends.
import { assert, describe, it } from "@effect/vitest"
import { methodCalls } from "./syntax.ts"
import { none, read, sources } from "./sources.ts"

/** Modules that take a name from a message of Node.js, where the error has no field for it, and do not branch. */
const extracting = new Set(["packages/manager/src/launch/Build.ts"])

/** The words of an error or a stop: a field of it, or a variable named like the field. */
const words = /\b(?:details?|message|problem|description|stderr)\b/

/** Methods of a pattern, which take the text, and of a text. */
const ofPattern = new Set(["test", "exec"])
const ofText = new Set(["match", "matchAll", "search", "includes", "startsWith", "endsWith"])

/** Returns the places where a module searches the words of an error. */
const searches = (path: string, text: string): ReadonlyArray<string> =>
  methodCalls(text)
    .filter(
      ({ args, method, object }) =>
        (ofPattern.has(method) && words.test(args) && !(method === "exec" && extracting.has(path))) ||
        (ofText.has(method) && /\b(?:details?|message|problem|description|stderr)\)*$/.test(object))
    )
    .map(({ line, method }) => `${path}:${line} .${method}( on the words of an error; give the error a reason instead`)

describe("the words of errors", () => {
  it("are not searched by the manager, the host and the command line", () => {
    none(
      sources
        .filter((path) => /^(?:packages\/(?:manager|host)|apps\/cli)\/src\//.test(path))
        .flatMap((path) => {
          const text = read(path)
          return words.test(text) ? searches(path, text) : []
        })
    )
  })

  it("are found with every method that searches a text", () => {
    for (const line of [
      "/refused/.test(error.detail)",
      "known.test(detail)",
      "/SIGSTOP/.test(stopped.description ?? '')",
      "/x/i.exec(`${error.message}`) !== null",
      "error.message.includes('refused')",
      "error.detail.match(/refused/)",
      "message.startsWith('cannot')",
      "/ptrace/i.test(details)",
      "remedies.find(([pattern]) => pattern.test(problem ?? ''))"
    ]) {
      assert.lengthOf(searches("a.ts", `if (${line}) run()`), 1, line)
    }
    for (const line of [
      "message.test(text)",
      "/x/.test(expression)",
      "error.reason === 'refused'",
      "fail({ detail })",
      "names.includes(message)"
    ]) {
      assert.lengthOf(searches("a.ts", `if (${line}) run()`), 0, line)
    }
    assert.lengthOf(searches("packages/manager/src/launch/Build.ts", "/SIG/.exec(error.message)"), 0)
    assert.lengthOf(searches("packages/manager/src/launch/Build.ts", "/SIG/.test(error.message)"), 1)
  })
})
