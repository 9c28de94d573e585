// The manager, the host, the scenario runner and the command line decide by the tags and reasons of errors, never by their words, so that
// rewording an error changes
// nothing. Patterns of a debugger's messages are in that debugger's file of packages/backends.
import { assert, describe, it } from "@effect/vitest"
import { methodCalls, regularExpressions } from "./syntax.ts"
import { none, read, sources } from "./sources.ts"

/** Modules that take a name from a message of Node.js, where the error has no field for it, and do not branch. */
const extracting = new Set(["packages/manager/src/launch/Build.ts"])

/** The words of an error or a stop: a field of it, or a variable named like the field. */
const words = /\b(?:details?|message|problem|description|stderr)\b/

/** Methods of a pattern, which take the text, and of a text. */
const ofPattern = new Set(["test", "exec"])
const ofText = new Set(["match", "matchAll", "search", "includes", "startsWith", "endsWith"])

/** Another name that a module gives to the words: `const text = data.description`, `{ description: text }`. */
const otherName = [
  /\bconst (\w+) = [^\n]*\b(?:details?|message|problem|description|stderr)\b(?!:)/g,
  /[{,]\s*(?:details?|message|problem|description|stderr): (\w+)\s*[,}][^\n]*(?:=>|\)|=)/g
]

/** Words of a debugger's text in a pattern: the name of a signal, what was hit, an address that faulted. */
const debuggerWords =
  /SIG(?:\[|\\|[A-Z])|\b(?:breakpoint|watchpoint) (?:-\?)?(?:\(|\[|\\d)|\bfault|ptrace|not permitted/

/** Modules whose patterns have such a word and match what a user wrote, or extract a name. */
const written = new Set(["packages/scenario/src/ExpectationSyntax.ts", ...extracting])

/** Returns the places where a module searches the words of an error or of a stop. */
const searches = (path: string, text: string): ReadonlyArray<string> => {
  const names = otherName.flatMap((pattern) => [...text.matchAll(pattern)].flatMap(([, name]) => name ?? []))
  const renamed = names.length === 0 ? undefined : new RegExp(`\\b(?:${names.join("|")})\\b`)
  const isWords = (source: string) => words.test(source) || renamed?.test(source) === true
  const endsInWords = /\b(?:details?|message|problem|description|stderr)\)*$/
  const called = methodCalls(text).filter(
    ({ args, method, object }) =>
      (ofPattern.has(method) && isWords(args) && !(method === "exec" && extracting.has(path))) ||
      (ofText.has(method) && (endsInWords.test(object) || names.includes(object)))
  )
  const patterns = written.has(path) ? [] : regularExpressions(text).filter(({ source }) => debuggerWords.test(source))
  return [
    ...called.map(
      ({ line, method }) => `${path}:${line} .${method}( on the words of an error; give it a reason instead`
    ),
    ...patterns.map(
      ({ line, source }) => `${path}:${line} ${source} matches a debugger's text; its backend gives the fact`
    )
  ]
}

describe("the words of errors", () => {
  it("are not searched by the manager, the host, the scenario runner and the command line", () => {
    none(
      sources
        .filter((path) => /^(?:packages\/(?:manager|host|scenario)|apps\/cli)\/src\//.test(path))
        .flatMap((path) => {
          const text = read(path)
          return searches(path, text)
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
      assert.isNotEmpty(searches("a.ts", `if (${line}) run()`), line)
    }
    for (const source of [
      "const text = data.description ?? ''\nconst code = /x/.exec(text)?.[0]",
      "const of = ({ description: text, ...rest }) => (/x/.test(text) ? rest : undefined)",
      "const areNumbers = (text) => /^breakpoint -?\\d+\\.\\d+$/.test(text)",
      "const signal = (text) => /\\bSIG[A-Z0-9]+\\b/.exec(text)",
      "const address = (text) => /fault(?:ing)? address[:=]? *(0x)/i.exec(text)"
    ]) {
      assert.isNotEmpty(searches("a.ts", source), source)
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
