/**
 * The place and the options of a breakpoint in the payload of an operation.
 */
import { Errors, Hint, Location, type Operations, Pattern } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Behaviour } from "../../model/BreakpointPlace.ts"
import type { Session } from "../../session/Session.ts"

/** True if a location may be relative to the current one: a line or text without a file, or a number of lines. */
export const needsHere = ({
  at,
  at_text: anchored,
  file,
  in: anchor,
  line
}: Partial<Pick<Operations.Payload<"break">, "at" | "at_text" | "file" | "in" | "line">>) => {
  if (anchored !== undefined) return anchor === undefined && file === undefined
  if (line !== undefined) return file === undefined
  const parsed = at === undefined ? undefined : Location.parseSpec(at)
  return parsed !== undefined && (Result.isFailure(parsed) || /^(?:here|offset)$/.test(parsed.success.location.kind))
}

/** Returns a record with one field, or an empty one if its value is undefined. */
export const defined = <K extends string, A>(key: K, value: A | undefined): { readonly [P in K]?: A } => {
  const found: { [P in K]?: A } = {}
  if (value !== undefined) found[key] = value
  return found
}

/** Reads the options of a breakpoint. A thread keeps its id. */
export const behaviourOf = (
  { references }: Session,
  payload: {
    readonly [K in "cmd" | "eval"]?: ReadonlyArray<string>
  } & {
    readonly [K in "name" | "thread_name"]?: string
  } & {
    readonly [K in "thread" | "max"]?: number
  } & {
    readonly continue?: boolean
    readonly on_condition_error?: "stop" | "continue"
  }
): Behaviour => ({
  ...defined("name", payload.name),
  ...defined("thread", payload.thread === undefined ? undefined : references.threads.idOf(payload.thread)),
  ...defined("thread_name", payload.thread_name),
  ...(payload.cmd === undefined || payload.cmd.length === 0 ? {} : { cmd: payload.cmd }),
  ...(payload.eval === undefined || payload.eval.length === 0 ? {} : { eval: payload.eval }),
  ...(payload.continue === true ? { continue: true } : {}),
  ...defined("max", payload.max),
  ...defined("on_condition_error", payload.on_condition_error)
})

/** Makes a usage error. */
export const usage = (problem: string, hint: Hint.Hint) => new Errors.Usage({ problem, near: [], remedies: [hint] })

/** Fails if a text has a line break or a NUL character. */
export const oneLine = (texts: ReadonlyArray<string | undefined>, hint: Hint.Hint) =>
  texts.some((text) => text !== undefined && /[\r\n\0]/.test(text))
    ? Effect.fail(usage("conditions, messages, expressions and commands must be one line", hint))
    : Effect.void

/** Default of `max` for logpoints. */
export const defaultMax = 1000

/** Returns the location, which a payload gives in one of several fields. */
export const placeIn = Effect.fnUntraced(function* (payload: Operations.Payload<"break">, file: string | undefined) {
  const forms = [
    ["LOCATION", payload.at],
    ["--at-text", payload.at_text],
    [
      "--function",
      payload.function === undefined || payload.file === undefined
        ? payload.function
        : `${payload.file}:${payload.function}`
    ],
    [
      "--line",
      payload.line === undefined ? undefined : `${payload.file ?? file ?? ""}:${payload.line}`.replace(/^:/, "")
    ],
    ["--address", payload.address === undefined ? undefined : `*${payload.address.replace(/^\*/, "")}`],
    ["--regex", payload.regex === undefined ? undefined : `/${payload.regex}/`]
  ].filter(([, form]) => form !== undefined)
  const [[first = "", text] = [], [second] = []] = forms
  if (text !== undefined && second === undefined) return text
  const problem =
    text === undefined
      ? "LOCATION is missing; or use --function, --line, --at-text, --address or --regex"
      : `${first} and ${second} cannot be combined`
  return yield* usage(problem, Hint.help("break"))
})

/** Checks options. `own` returns the number of the breakpoint that gets them, if it exists. */
export const checkOptions = Effect.fnUntraced(function* (
  session: Session,
  behaviour: Behaviour,
  own: () => number | undefined
) {
  const { cmd = [], eval: expressions = [], name, thread_name } = behaviour
  yield* oneLine([...cmd, ...expressions], Hint.help("break"))
  if (name !== undefined) {
    const except = own()
    const other = session.breakpoints.list().find((one) => one.name === name && one.id !== except)
    if (other !== undefined)
      return yield* usage(`${name} is breakpoint ${other.id} already`, Hint.call("breakpoint.list", {}))
  }
  if (thread_name === undefined) return
  yield* Effect.mapError(Pattern.compile(thread_name), ({ problem }) => usage(problem, Hint.help("break")))
})
