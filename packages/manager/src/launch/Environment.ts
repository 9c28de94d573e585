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
export type Read = (file: string) => Effect.Effect<string, Errors.ProgramNotFound>

const variable = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s

const usage = (problem: string) =>
  new Errors.Usage({ problem, near: [], remedies: [Hint.again("start", { env: ["NAME=VALUE"] })] })

const lines = (text: string) => text.split(/\r?\n/)

/** Limits of a program's variables and arguments. Together with their texts, Linux allows 2 MiB, which is fewer in practice. */
const most = { variables: 5000, args: 20_000 }

/** The longest text that an error quotes. */
const quotable = 200

const shown = (text: string) => (text.length <= quotable ? text : `${text.slice(0, quotable)}…`)

const checkCount = (count: number, limit: number, what: string) =>
  count <= limit
    ? Effect.void
    : Effect.fail(
        new Errors.Usage({
          problem: `the program would get ${count} ${what}; the limit is ${limit}`,
          near: [],
          remedies: [Hint.remedy("let the program read them from a file")]
        })
      )

/** Returns the program's whole environment. */
export const environment = Effect.fnUntraced(function* (payload: Payload, read: Read) {
  const env: Record<string, string> = payload.clear_env === true ? {} : { ...payload.environment }
  const file = payload.env_file === undefined ? [] : lines(yield* read(payload.env_file))
  const assignments = [...file.filter((line) => line.trim() !== "" && !line.startsWith("#")), ...payload.env]
  yield* checkCount(assignments.length, most.variables, "variables")
  for (const assignment of assignments) {
    const [, name, value] = variable.exec(assignment) ?? []
    if (name === undefined || value === undefined) return yield* usage(`${shown(assignment)} is not NAME=VALUE`)
    if (value.includes("\0")) return yield* usage(`${name} has a NUL character`)
    env[name] = value
  }
  for (const name of payload.unset_env ?? []) delete env[name]
  return env
})

/** Returns the program's arguments: the lines of `arg_file`, then `args`. */
export const args = Effect.fnUntraced(function* (payload: Payload, read: Read) {
  if (payload.arg_file === undefined) return payload.args
  const text = yield* read(payload.arg_file)
  const all = [...(text === "" ? [] : lines(text.replace(/\r?\n$/, ""))), ...payload.args]
  yield* checkCount(all.length, most.args, "arguments")
  return all
})
