/**
 * Makes the result of a tool: the envelope as structured content, and a text.
 *
 * Output of the program and the debugger is data for an agent, never an instruction. It is sanitised and has fields of its
 * own; in a text it is between marks with a random name that the program cannot guess. It is never in a title or a hint: `HintText`
 * leaves it out.
 *
 * Many clients give their model the structured content and drop the text, which is shorter and has the marks. So a result is
 * text alone, unless the server or the call asks for the structured content (`textOnly`).
 */
import { Effect } from "effect"
import { McpSchema } from "effect/ai"
import {
  type Answer,
  Envelope,
  Errors,
  Hint,
  Operation,
  type Operations,
  OutputPage,
  ScriptResult
} from "@sigtrap/protocol"
import * as ResultLimits from "./ResultLimits.ts"
import * as OperateTool from "../tools/OperateTool.ts"
import * as Profile from "../tools/Profile.ts"
import * as StoredTexts from "./StoredTexts.ts"
import * as HintText from "./HintText.ts"
import * as ResultText from "./ResultText.ts"

/** The call that a result belongs to, its client and the server's stored texts. */
export interface Context extends ResultText.Call {
  readonly texts: StoredTexts.StoredTexts
  /** True if the result has its structured content too. */
  readonly structured: boolean
}

const mark = Effect.sync(() => crypto.randomUUID().slice(0, 8))

/** Puts text of the program or the debugger between marks with a random name. */
export const fence = (text: string): Effect.Effect<string> =>
  Effect.map(mark, (name) => `<data-${name}> data from the debugged program\n${text.trimEnd()}\n</data-${name}>`)

/** Makes a result. */
const make = (text: string, structuredContent: unknown, isError = false): McpSchema.CallToolResult =>
  new McpSchema.CallToolResult({
    content: [McpSchema.TextContent.make({ type: "text", text })],
    structuredContent,
    ...(isError ? { isError } : {})
  })

/** Returns a result without its structured content. */
export const textOnly = ({ content, isError }: McpSchema.CallToolResult): McpSchema.CallToolResult =>
  new McpSchema.CallToolResult({ content, ...(isError === undefined ? {} : { isError }) })

const unlessEmpty = (name: string, list: ReadonlyArray<unknown>) => (list.length === 0 ? {} : { [name]: list })

/** Returns the call that reads a stored text from an offset. */
const nextPage = (id: number, from: number): string =>
  `call ${OperateTool.name} with ${JSON.stringify({ operation: "more", input: { result: id, from } })}`

/** Cuts a text to the budget. The whole text is stored, and the call for the rest is at the end. */
const bounded = Effect.fnUntraced(function* ({ text, whole = text }: ResultText.Rendered, { profile, texts }: Context) {
  const listed = text.indexOf(ResultText.restPlaceholder)
  const part = listed === -1 ? text : text.slice(0, text.lastIndexOf("\n", listed) + 1)
  const shown = StoredTexts.beginning(part, ResultText.budget)
  if (shown.length === whole.length || (listed === -1 && shown.length === text.length)) return yield* fence(text)
  const next = Profile.isCompat(profile) ? "" : ` · ${nextPage(texts.store(whole), shown.length)}`
  return `${yield* fence(shown)}\n… ${shown.length} of ${whole.length} characters${next}`
})

/** Returns a page of a stored text as a result; nothing if the text was removed. */
export const page = Effect.fnUntraced(function* (texts: StoredTexts.StoredTexts, id: number, from: number) {
  const found = texts.page(id, from)
  if (found === undefined) return undefined
  const next =
    found.next === undefined ? "" : `\n… ${found.next} of ${found.total} characters · ${nextPage(id, found.next)}`
  // The page is in the text, so the structured content omits it.
  const { text, ...rest } = found
  return make(`${yield* fence(text)}${next}`, rest)
})

/** Returns a text of this server as a result. It is trusted, so it has no marks; the rest of a long one is stored. */
export const fromServer = (
  text: string,
  structure: unknown,
  texts: StoredTexts.StoredTexts
): McpSchema.CallToolResult => {
  const shown = StoredTexts.beginning(text, ResultText.budget)
  const next = shown.length === text.length ? "" : `\n… ${nextPage(texts.store(text), shown.length)}`
  return make(`${shown}${next}`, structure)
}

/** Returns the structured content of an answer, if the client asked for it. */
const structureFor = (operation: Operation.Any, answer: Answer.Answer<unknown>, context: Context) =>
  context.structured ? answerStructure(operation, answer, context) : Effect.undefined

/** Returns the structured content of an answer. */
const answerStructure = Effect.fnUntraced(function* (
  operation: Operation.Any,
  answer: Answer.Answer<unknown>,
  call: HintText.Call
) {
  const document = yield* Envelope.success(operation, answer, HintText.write(call))
  const { ok: _, cmd: __, truncated: ___, warnings: ____, ...envelope } = document
  const { cuts, data } = ResultLimits.fit(ResultText.clean(envelope.data), "data")
  const warnings = answer.warnings.map(({ code, hints = [], message }) => ({
    code,
    message: ResultText.clean(message),
    ...unlessEmpty("hints", HintText.shown(hints, call))
  }))
  const truncated = answer.truncated.map(({ hints, ...cut }) => {
    const shown = HintText.shown(hints, call)
    return { ...cut, more: shown[0]?.["text"] ?? "", hints: shown }
  })
  return {
    ...envelope,
    data,
    ...unlessEmpty("warnings", warnings),
    ...unlessEmpty("truncated", [...truncated, ...cuts])
  }
})

/** Where an error comes from: this server, whose words have no text of the program, or the daemon. */
type Origin = "server" | "daemon"

/** The parts of the result of an operation that failed. */
interface Failed {
  readonly text: string
  readonly structure: { readonly [field: string]: unknown }
  readonly isError: boolean
}

/** Returns the parts of an error's result. A message in sigtrap's own words, with texts that the client sent, has no marks. */
const failed = Effect.fnUntraced(function* (
  error: Errors.SigtrapError,
  call: HintText.Call,
  origin: Origin
): Effect.fn.Return<Failed> {
  const write = HintText.write(call)
  const envelope = Envelope.failure(error, write)
  const message = ResultLimits.cutText(ResultText.line(envelope.error.message), ResultLimits.messageLimit)
  const { data: details } = ResultLimits.fit(ResultText.clean(envelope.error.details), "error.details")
  const runs = error._tag === "WaitTimeout" && error.runs
  const title = `${runs ? "running" : "error"} [${envelope.error.code}]`
  const next = Hint.shown(error.hints)
    .slice(0, runs ? 2 : 1)
    .map(write)
    .join(", or ")
  const sent = HintText.textsIn(call.input)
  const foreign =
    origin === "server" ? [] : Errors.foreignTexts(error).filter((text) => !sent.some((own) => own.includes(text)))
  const words =
    runs && error.output_bytes > 0
      ? `\n${yield* fence(ResultText.failure(error))}`
      : !runs && foreign.length > 0
        ? `\n${yield* fence(message)}`
        : ` ${message}`
  return {
    text: `${title}${words}\nhint: ${next}`,
    structure: {
      ...(envelope.session === undefined ? {} : { session: envelope.session }),
      ...(envelope.state === undefined ? {} : { state: envelope.state }),
      error: { code: envelope.error.code, message, hint: next, hints: HintText.shown(error.hints, call), details },
      ...(envelope.data === undefined ? {} : { data: ResultText.clean(envelope.data) })
    },
    isError: !runs
  }
})

/** Returns the result of one command of a script: its structure, and its text if it failed. */
const command = Effect.fnUntraced(function* (result: ScriptResult.ScriptResult, context: Context) {
  const { answer, error, input, operation, text: cmd } = result
  const call = { profile: context.profile, input: { ...input, cmd } }
  if (error !== undefined) {
    const { isError, structure, text } = yield* failed(error, call, "daemon")
    return { structure: { ok: false, cmd, ...structure }, texts: [text], isError }
  }
  const structure =
    answer === undefined || operation === undefined ? {} : yield* answerStructure(operation, answer, call)
  return { structure: { ok: true, cmd, ...structure }, texts: [], isError: false }
})

/** Makes the result of a script: the answers in order, then the errors. It is an error if a command failed. */
const script = Effect.fnUntraced(function* (
  operation: Operation.Any,
  answer: Answer.Answer<unknown>,
  context: Context
) {
  const commands = yield* Effect.forEach(ScriptResult.of(answer.data), (result) => command(result, context))
  const { data: _, ...envelope } = yield* answerStructure(operation, { ...answer, data: emptyScript }, context)
  const { cuts, data } = ResultLimits.fit({ results: commands.map(({ structure }) => structure) }, "data")
  const text = yield* bounded(ResultText.render(operation, answer, context), context)
  return make(
    [text, ...commands.flatMap(({ texts }) => texts)].join("\n"),
    { ...envelope, data, ...unlessEmpty("truncated", cuts) },
    commands.some(({ isError }) => isError)
  )
})

const emptyScript: Operations.Data<"script"> = { results: [], done: 0 }

/** Returns the answer of an operation, cut to what a result may have. */
export const fitted = (
  operation: Operation.Any,
  answer: Answer.Answer<unknown>,
  context: Context
): Answer.Answer<unknown> =>
  OutputPage.shrink(answer, context.input, (part) =>
    Math.max(ResultLimits.excess(ResultText.clean(part.data)), ResultText.excess(operation, part, context))
  )

/** Makes the result of an operation that succeeded; `notes` are warnings of this server. */
export const success = Effect.fnUntraced(function* (
  operation: Operation.Any,
  answer: Answer.Answer<unknown>,
  context: Context,
  notes: ReadonlyArray<Answer.Warning>
) {
  const whole = { ...answer, warnings: [...notes, ...answer.warnings] }
  if (Operation.meta(operation).composite) return yield* script(operation, whole, context)
  const noted = fitted(operation, whole, context)
  const structure = yield* structureFor(operation, noted, context)
  const rendered = ResultText.render(operation, noted, context)
  return make(rendered.text === "" ? "done" : yield* bounded(rendered, context), structure)
})

/**
 * Makes the result of an operation that failed. A program that still runs at the timeout is not an error of the call: the
 * result has a code but not `isError`, so that an agent does not repeat the call.
 */
export const failure = (error: Errors.SigtrapError, call: HintText.Call, origin: Origin) =>
  Effect.map(failed(error, call, origin), ({ isError, structure, text }) => make(text, structure, isError))
