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

/** Returns the program's whole environment. */
export const environment = Effect.fnUntraced(function* (payload: Payload, read: Read) {
  const env: Record<string, string> = payload.clear_env === true ? {} : { ...payload.environment }
  const file = payload.env_file === undefined ? [] : lines(yield* read(payload.env_file))
  const assignments = [...file.filter((line) => line.trim() !== "" && !line.startsWith("#")), ...payload.env]
  for (const assignment of assignments) {
    const [, name, value] = variable.exec(assignment) ?? []
    if (name === undefined || value === undefined) return yield* usage(`${assignment} is not NAME=VALUE`)
    env[name] = value
  }
  for (const name of payload.unset_env ?? []) delete env[name]
  return env
})

/** Returns the program's arguments: the lines of `arg_file`, then `args`. */
export const args = Effect.fnUntraced(function* (payload: Payload, read: Read) {
  if (payload.arg_file === undefined) return payload.args
  const text = yield* read(payload.arg_file)
  return [...(text === "" ? [] : lines(text.replace(/\r?\n$/, ""))), ...payload.args]
})
