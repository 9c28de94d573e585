/**
 * Answers and errors of operations as the output pieces of a command line.
 */
import type { CommandOutput } from "@sigtrap/host/daemon/Protocol"
import { type Answer, Envelope, Errors, Hint, Nearest, Operation, ExitCode, ScriptResult } from "@sigtrap/protocol"
import { Doc, Failure, Render, type View } from "@sigtrap/text"
import { Effect, Predicate } from "effect"
import type * as Argv from "@sigtrap/protocol/grammar/Argv"
import * as Commands from "@sigtrap/protocol/grammar/Commands"
import * as Continuation from "../render/Continuation.ts"
import * as JsonDocument from "../render/JsonDocument.ts"
import * as LargeAnswer from "../render/LargeAnswer.ts"
import * as HintText from "../render/HintText.ts"
import * as OutputFit from "../render/OutputFit.ts"
import type * as OutputSettings from "../render/OutputSettings.ts"
import * as RunProgress from "./RunProgress.ts"
import type * as StartPage from "./StartPage.ts"

/** The output of a command line, in order. */
export type Pieces = ReadonlyArray<CommandOutput>

/** Returns a piece of standard output; none for an empty text. */
export const stdout = (text: string): Pieces => (text === "" ? [] : [{ _tag: "Stdout", text }])

const stderr = (text: string): Pieces => (text === "" ? [] : [{ _tag: "Stderr", text }])

/** Returns the piece with the exit code. */
export const exit = (code: number): CommandOutput => ({ _tag: "Exit", code })

/** Renders an error and its exit code. */
export const renderError = (
  error: Errors.SigtrapError,
  settings: OutputSettings.Settings,
  name: string | undefined,
  input: Argv.Fields = {}
): Pieces => {
  const code = exit(Errors.meta(error).exit)
  if (settings.json) {
    const document = Envelope.failure(error, HintText.write, name)
    const part = settings.select === undefined ? undefined : JsonDocument.select(document, settings.select)
    if (part === undefined) return [...stdout(JsonDocument.print(document, settings.pretty)), code]
    if (part.found) return [...stdout(JsonDocument.printPart(part.value, settings.pretty)), code]
  }
  const doc = Failure.render(error, { quiet: settings.quiet, verbose: settings.verbose, input, write: HintText.write })
  return Failure.onStdout(error) && !settings.json
    ? [...stdout(Doc.render(doc, { color: settings.color.stdout })), code]
    : [...stderr(Doc.render(doc, { color: settings.color.stderr })), code]
}

/** Renders a JSON document within the budget; a selected part is not cut. */
export const renderDocument = (
  document: JsonDocument.Document,
  settings: OutputSettings.Settings,
  continuation: JsonDocument.Continuation
): Pieces => {
  const { select, pretty, budget } = settings
  if (select === undefined)
    return [...stdout(JsonDocument.print(JsonDocument.fit(document, budget, continuation), pretty)), exit(0)]
  const part = JsonDocument.select(document, select)
  if (part.found) return [...stdout(JsonDocument.printPart(part.value, pretty)), exit(0)]
  const problem = `nothing at ${select} in the answer: no '${part.missing}'`
  const near = Nearest.names(part.missing, part.names)
  return renderError(
    new Errors.Usage({ problem, near, remedies: [Hint.local("schema")] }),
    { ...settings, json: false },
    undefined
  )
}

const details = ["none", "line", "brief", "full"] as const

/** Returns how the answer of a command is shown. */
export const view = (command: Commands.Command, input: Argv.Fields, settings: OutputSettings.Settings): View.View => {
  const detail = details.find((name) => name === input["context"])
  return {
    directory: settings.directory,
    quiet: settings.quiet,
    verbose: settings.verbose,
    ...(detail === undefined ? {} : { detail }),
    input,
    again: (change) => HintText.write(Continuation.changed(command, input, change)),
    write: HintText.write
  }
}

/** Renders the JSON of each command of a script, as the command alone prints it. The documents share the budget. */
const documentLines = (
  { data }: Envelope.Success,
  results: ReadonlyArray<ScriptResult.ScriptResult>,
  settings: OutputSettings.Settings
): Pieces => {
  const documents: unknown = Predicate.isReadonlyObject(data) ? data["results"] : undefined
  const all = Array.isArray(documents) ? documents.filter(Predicate.isReadonlyObject) : []
  const budget = settings.budget === 0 ? 0 : Math.max(1, Math.floor(settings.budget / Math.max(1, all.length)))
  return all.flatMap((document, index) => {
    const { input = {}, operation } = results[index] ?? {}
    const command = Commands.all.find((one) => one.operation._tag === operation?._tag)
    const more = command === undefined ? { more: () => Hint.local("schema") } : Continuation.of(command, input)
    const cmd = operation === undefined ? "expect" : Envelope.command(operation)
    return renderDocument({ ...document, cmd }, { ...settings, budget }, more)
  })
}

/** Renders the answers of a script. The exit code is that of the command that failed. */
const renderScript = Effect.fnUntraced(function* (
  command: Commands.Command,
  input: Argv.Fields,
  answer: Answer.Answer<unknown>,
  settings: OutputSettings.Settings
) {
  const results = ScriptResult.of(answer.data)
  const failed = results.find(({ error }) => error !== undefined)
  const code = exit(failed?.error === undefined ? 0 : Errors.meta(failed.error).exit)
  if (settings.json) {
    const document = yield* Envelope.success(command.operation, answer, HintText.write)
    const pieces =
      settings.select === undefined && results.length > 0
        ? documentLines(document, results, settings)
        : renderDocument({ ...document }, settings, Continuation.of(command, input))
    return [...pieces.filter(({ _tag }) => _tag !== "Exit"), code]
  }
  const doc = Render.renderAny(command.operation._tag, answer, view(command, input, settings))
  const text = stdout(Doc.render(Doc.fit(doc, settings.budget), { color: settings.color.stdout }))
  const errors = results.flatMap(({ error, input: fields, text: name }) =>
    error === undefined ? [] : renderError(error, settings, name, fields).filter(({ _tag }) => _tag !== "Exit")
  )
  return [...text, ...errors, code]
})

/** Renders an answer with its exit code. A large one is rendered in turns, between which other calls run. */
export const renderAnswer = Effect.fnUntraced(function* (
  command: Commands.Command,
  input: Argv.Fields,
  answer: Answer.Answer<unknown>,
  settings: OutputSettings.Settings,
  page?: StartPage.Page
) {
  const { _tag } = command.operation
  if (command.meta.composite) return yield* renderScript(command, input, answer, settings)
  const isPaged = Operation.meta(command.operation).budget !== undefined
  const nextTurn = isPaged ? LargeAnswer.turns(answer) : Effect.void
  yield* nextTurn
  const code = exit(ExitCode.of(command.operation, answer.data))
  const shown = isPaged ? OutputFit.fit(_tag, answer, input, view(command, input, settings), settings) : answer
  if (settings.json) {
    const envelope = yield* Envelope.success(command.operation, shown, HintText.write)
    yield* nextTurn
    const line = RunProgress.lastLine(command, input, envelope, settings)
    if (line !== undefined) return [...stdout(line), code]
    // A page is cut by its operation's own rule, which moves its cursor.
    const budget = isPaged ? 0 : settings.budget
    const document = { ...envelope, ...(page === undefined ? {} : { page }) }
    if (isPaged && !settings.pretty && settings.select === undefined && LargeAnswer.isLarge(shown)) {
      return [...(yield* LargeAnswer.printed(document)), code]
    }
    const pieces = renderDocument(document, { ...settings, budget }, Continuation.of(command, input))
    yield* nextTurn
    return pieces.map((piece) => (piece._tag === "Exit" && piece.code === 0 ? code : piece))
  }
  const doc = Render.renderAny(_tag, shown, view(command, input, settings))
  yield* nextTurn
  const text = Doc.render(Doc.fit(doc, settings.budget), { color: settings.color.stdout })
  yield* nextTurn
  return [...(isPaged ? LargeAnswer.divided(text) : stdout(text)), code]
})
