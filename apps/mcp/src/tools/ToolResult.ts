/**
 * What a tool answers with: the envelope as structured content and a short text beside it.
 *
 * Everything that the program or the debugger wrote is data to an agent. It is sanitised, has its own fields, and in
 * the text it stands between marks with a random name that the program cannot guess. It never appears in a title or a
 * hint: `HintText` repeats no text that they wrote.
 *
 * Nothing is said twice to those who would read it twice: a client that reads the structure gets one line of our own
 * words beside it, all others the text. A failure is told in words to everybody, because clients drop its structure.
 */
import { Effect } from "effect"
import { McpSchema } from "effect/ai"
import { type Answer, Envelope, type Errors, type Operation } from "@sigtrap/protocol"
import * as ResultLimits from "./ResultLimits.ts"
import * as Catalogue from "./Catalogue.ts"
import * as StoredTexts from "./StoredTexts.ts"
import * as HintText from "./HintText.ts"
import * as ResultText from "./ResultText.ts"

/** What an answer depends on beside the answer. */
export interface Setting extends ResultText.Call {
  /** Whether the client reads the structure. */
  readonly readsStructure: boolean
  readonly kept: StoredTexts.Kept
}

const mark = Effect.sync(() => crypto.randomUUID().slice(0, 8))

/** Text from outside between marks with a random name. */
export const fence = (text: string): Effect.Effect<string> =>
  Effect.map(mark, (name) => `<data-${name}> data from the debugged program\n${text.trimEnd()}\n</data-${name}>`)

/** The result of a call: a text, and the structure beside it. */
const make = (text: string, structuredContent: unknown, isError = false): McpSchema.CallToolResult =>
  new McpSchema.CallToolResult({
    content: [McpSchema.TextContent.make({ type: "text", text })],
    structuredContent,
    ...(isError ? { isError } : {})
  })

const unlessEmpty = (name: string, list: ReadonlyArray<unknown>) => (list.length === 0 ? {} : { [name]: list })

/** How a client reads on in a text that is kept. */
const readOn = (id: number, from: number): string =>
  `call ${Catalogue.operate} with ${JSON.stringify({ operation: "more", input: { result: id, from } })}`

/** A text within the budget; what is cut off is kept, and how to read on stands at its end. */
const bounded = Effect.fnUntraced(function* ({ text, whole = text }: ResultText.Rendered, { kept, profile }: Setting) {
  const listed = text.indexOf(ResultText.goOn)
  const part = listed === -1 ? text : text.slice(0, text.lastIndexOf("\n", listed) + 1)
  const shown = StoredTexts.beginning(part, ResultText.budget)
  if (shown.length === whole.length || (listed === -1 && shown.length === text.length)) return yield* fence(text)
  const next = profile === "xcode-compat" ? "" : ` · ${readOn(kept.keep(whole), shown.length)}`
  return `${yield* fence(shown)}\n… ${shown.length} of ${whole.length} characters${next}`
})

/** A page of a text that was too long for its answer. */
export const page = Effect.fnUntraced(function* (
  kept: StoredTexts.Kept,
  id: number,
  from: number,
  readsStructure: boolean
) {
  const found = kept.page(id, from)
  if (found === undefined) return undefined
  const next =
    found.next === undefined ? "" : `\n… ${found.next} of ${found.total} characters · ${readOn(id, found.next)}`
  if (readsStructure) return make("more: a page of a text", found)
  // The text is all that there is, so the structure does not say it again.
  const { text, ...rest } = found
  return make(`${yield* fence(text)}${next}`, rest)
})

/** A text of our own as a result; a long one goes on with another call. */
export const told = (text: string, structure: unknown, kept: StoredTexts.Kept): McpSchema.CallToolResult => {
  const shown = StoredTexts.beginning(text, ResultText.budget)
  const next = shown.length === text.length ? "" : `\n… ${readOn(kept.keep(text), shown.length)}`
  return make(`${shown}${next}`, structure)
}

/** What a session's state is in a line of our own words. */
const summary = (operation: Operation.Any, answer: Answer.Answer<unknown>): string => {
  const stop = answer.stop === undefined ? "" : ` at stop ${answer.stop}`
  const session = answer.session === undefined ? "" : ` (session ${answer.session})`
  return `${Envelope.command(operation)}: ${answer.state}${stop}${session}`
}

/** The result of an operation that succeeded; `notes` are warnings that come from this server. */
export const success = Effect.fnUntraced(function* (
  operation: Operation.Any,
  answer: Answer.Answer<unknown>,
  setting: Setting,
  notes: ReadonlyArray<Answer.Warning>
) {
  const noted = { ...answer, warnings: [...notes, ...answer.warnings] }
  const document = yield* Envelope.success(operation, noted, HintText.write(setting))
  const { ok: _, cmd: __, truncated: ___, warnings: ____, ...envelope } = document
  const { cuts, data } = ResultLimits.fit(ResultText.clean(envelope.data), "data")
  const warnings = noted.warnings.map(({ code, hints = [], message }) => ({
    code,
    message: ResultText.clean(message),
    ...unlessEmpty("hints", HintText.shown(hints, setting))
  }))
  const truncated = noted.truncated.map(({ hints, ...cut }) => {
    const shown = HintText.shown(hints, setting)
    return { ...cut, more: shown[0]?.["text"] ?? "", hints: shown }
  })
  const rendered = setting.readsStructure ? { text: "" } : ResultText.render(operation, noted, setting)
  const words = rendered.text === "" ? "done" : yield* bounded(rendered, setting)
  return make(setting.readsStructure ? summary(operation, answer) : words, {
    ...envelope,
    data,
    ...unlessEmpty("warnings", warnings),
    ...unlessEmpty("truncated", [...truncated, ...cuts])
  })
})

/**
 * The result of an operation that failed. Running on after the wait is no failure of the call, although it has a code:
 * nothing went wrong and nothing has to be done again.
 */
export const failure = Effect.fnUntraced(function* (error: Errors.SigtrapError, asked: HintText.Asked) {
  const write = HintText.write(asked)
  const envelope = Envelope.failure(error, write)
  const message = ResultLimits.cutText(ResultText.line(envelope.error.message), ResultLimits.messageLimit)
  const { data: details } = ResultLimits.fit(ResultText.clean(envelope.error.details), "error.details")
  const runs = error._tag === "WaitTimeout" && error.awaited === undefined
  const title = `${runs ? "running" : "error"} [${envelope.error.code}]`
  const next = error.hints
    .slice(0, runs ? 2 : 1)
    .map(write)
    .join(", or ")
  // That the program runs on is said in our own words, until it has written something.
  const words = !runs
    ? yield* fence(message)
    : error.output_bytes === 0
      ? message
      : yield* fence(ResultText.failure(error))
  return make(
    `${title}\n${words}\nhint: ${next}`,
    {
      ...(envelope.session === undefined ? {} : { session: envelope.session }),
      ...(envelope.state === undefined ? {} : { state: envelope.state }),
      error: { code: envelope.error.code, message, hint: next, hints: HintText.shown(error.hints, asked), details },
      ...(envelope.data === undefined ? {} : { data: ResultText.clean(envelope.data) })
    },
    !runs
  )
})
