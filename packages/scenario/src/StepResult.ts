/**
 * The result of a step: its exit code, its text, and the parts of its answer that an expectation may name.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { both } from "./CommandLines.ts"
import type { Workspace } from "./Workspace.ts"

/** The result of a step. */
export interface StepResult {
  readonly exit: number
  /** The object whose parts an expectation names. */
  readonly value: unknown
  /** The part that a plain expectation is compared with. */
  readonly main: unknown
  /** Another value that may satisfy a comparison. */
  readonly other?: unknown
  /** Items that an expectation may name one by one: variables by name, frames by index. */
  readonly parts?: ReadonlyArray<unknown>
  /** Size of the answer in bytes. */
  readonly bytes: number
  readonly text: string
}

/** Returns a list; an empty one for other values. */
export const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** Returns a field of a value; absent if the value is not an object. */
export const part = (value: unknown, key: string): unknown =>
  Predicate.isReadonlyObject(value) ? value[key] : undefined

/** Returns an object; an empty one for other values. */
export const record = (value: unknown): { readonly [key: string]: unknown } =>
  Predicate.isReadonlyObject(value) ? value : {}

/** The error of a command that failed. */
export interface CommandError {
  /** Stable code, such as "LAUNCH_FAILED". */
  readonly code: string
  /** The reason that the error names, such as "forbidden". */
  readonly reason?: string
}

/** Returns the error of a command; absent if it succeeded or has no error document. */
export const errorOf = ({ value }: Pick<StepResult, "value">): CommandError | undefined => {
  const error = part(value, "error")
  const code = part(error, "code")
  const reason = part(part(error, "details"), "reason")
  if (!Predicate.isString(code)) return undefined
  return { code, ...(Predicate.isString(reason) ? { reason } : {}) }
}

/** Returns the size of a text in UTF-8. */
export const byteLength = (text: string): number => new TextEncoder().encode(text).length

/** Returns the fields of a stop's location, which expectations may name directly. */
const place = (data: unknown) => {
  const location = record(part(data, "location"))
  return Object.fromEntries(
    ["function", "file", "line", "column"].flatMap((key) => (location[key] === undefined ? [] : [[key, location[key]]]))
  )
}

/** Returns the parts of a JSON answer that an expectation may name. */
const named = (document: { readonly [key: string]: unknown }, exit: number, more: object = {}) => {
  const data = record(document["data"])
  const code = part(document["error"], "code")
  const thread = part(data["thread"], "id")
  return {
    ...place(data),
    exit_code: exit,
    ...(thread === undefined ? {} : { thread_id: thread }),
    ...data,
    ...document,
    exit,
    success: exit === 0,
    ...(code === undefined ? {} : { code }),
    ...more
  }
}

/** The parts that an action selects from the data of its answer. */
interface Selection {
  /** The part that a plain expectation is compared with. */
  readonly main: (data: unknown) => unknown
  /** More parts that an expectation can name. */
  readonly more?: (data: unknown) => object
  readonly parts?: (data: unknown) => ReadonlyArray<unknown>
}

/** Runs a command line and selects parts of its answer. The parts of a failed command are its error text. */
export const query = Effect.fnUntraced(function* (
  workspace: Workspace,
  argv: ReadonlyArray<string>,
  { main, more = () => ({}), parts }: Selection
) {
  const { answer, output } = yield* both(workspace, argv)
  const { document, exit } = answer
  const data = document["data"]
  const text = `${output.stdout}${output.stderr}` || answer.text
  const result: StepResult = {
    exit,
    value: named(document, exit, exit === 0 ? more(data) : { text, value: text }),
    main: exit === 0 ? main(data) : text,
    bytes: byteLength(output.stdout),
    text,
    ...(parts === undefined ? {} : { parts: parts(record(document)["data"]) })
  }
  return result
})

/** Runs a command line whose text is compared with plain expectations. */
export const command = Effect.fnUntraced(function* (workspace: Workspace, argv: ReadonlyArray<string>) {
  const { answer, output } = yield* both(workspace, argv)
  const { document, exit } = answer
  const text = output.stdout + output.stderr
  const result: StepResult = {
    exit,
    value: named(document, exit, { text, stdout: output.stdout, stderr: output.stderr }),
    main: text,
    other: document,
    bytes: byteLength(output.stdout),
    text
  }
  return result
})
