/**
 * The environment and arguments of a program.
 *
 * Order: the inherited environment, unless it is cleared; then `env_file`; then `env`; then `unset_env`. In a file each
 * line sets a variable. Empty lines and lines that begin with `#` are skipped. Quotes are part of the value.
 */
import { Errors, Hint, type Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"

type Payload = Operations.Payload<"start">

/** Reads a text file of the caller. */
export type Read = (file: string) => Effect.Effect<string, Errors.Usage>

const variable = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s

const usage = (problem: string) =>
  new Errors.Usage({ problem, near: [], remedies: [Hint.again("start", { env: ["NAME=VALUE"] })] })

/** Limits of a program's variables and arguments. Together with their texts, Linux allows 2 MiB, which is fewer in practice. */
const most = { variables: 5000, args: 20_000 }

/** Lines of a file, also of those that are skipped. */
const mostLines = 100_000

/**
 * Returns the lines of a file that are kept: `limit` + 1 at most, so that a file with far too many is not split. Fails if it
 * has too many lines of any kind.
 */
const linesOf = (text: string, limit: number, isKept: (line: string) => boolean) => {
  const found: Array<{ readonly text: string; readonly line: number }> = []
  let count = 0
  for (let from = 0; from < text.length && found.length <= limit; count++) {
    if (count === mostLines) return Effect.fail(usage(`a file of the program has more than ${mostLines} lines`))
    const end = text.indexOf("\n", from)
    const to = end === -1 ? text.length : end
    const kept = text.slice(from, end > from && text[end - 1] === "\r" ? end - 1 : to)
    if (isKept(kept)) found.push({ text: kept, line: count + 1 })
    from = to + 1
  }
  return Effect.succeed(found)
}

/** The longest text that an error quotes. */
const quotable = 200

const shown = (text: string) => (text.length <= quotable ? text : `${text.slice(0, quotable)}…`)

const checkCount = (count: number, limit: number, what: string) =>
  count <= limit
    ? Effect.void
    : Effect.fail(
        new Errors.Usage({
          problem: `the program would get more than ${limit} ${what}`,
          near: [],
          remedies: [Hint.remedy("let the program read them from a file")]
        })
      )

/** Returns the program's whole environment. */
export const environment = Effect.fnUntraced(function* (payload: Payload, read: Read) {
  // An object would take a variable named __proto__ as its prototype.
  const env = new Map(payload.clear_env === true ? [] : Object.entries(payload.environment ?? {}))
  const content = payload.env_file === undefined ? "" : yield* read(payload.env_file)
  const isAssignment = (line: string) => !line.startsWith("#") && line.trim() !== ""
  const fromFile = yield* linesOf(content, most.variables, isAssignment)
  const assignments = [
    // A line of the file may be a secret, so errors name its position.
    ...fromFile.map(({ line, text }) => ({ text, written: `${payload.env_file}:${line}` })),
    ...payload.env.map((text) => ({ text, written: shown(text) }))
  ]
  yield* checkCount(assignments.length, most.variables, "variables")
  for (const { text, written } of assignments) {
    const [, name, value] = variable.exec(text) ?? []
    if (name === undefined || value === undefined) return yield* usage(`${written} is not NAME=VALUE`)
    if (value.includes("\0")) return yield* usage(`${name} has a NUL character`)
    env.set(name, value)
  }
  for (const name of payload.unset_env ?? []) env.delete(name)
  return Object.fromEntries(env)
})

/** Returns the program's arguments: the lines of `arg_file`, then `args`. */
export const args = Effect.fnUntraced(function* (payload: Payload, read: Read) {
  if (payload.arg_file === undefined) return payload.args
  const fromFile = yield* linesOf(yield* read(payload.arg_file), most.args, () => true)
  const all = [...fromFile.map(({ text }) => text), ...payload.args]
  yield* checkCount(all.length, most.args, "arguments")
  return all
})
