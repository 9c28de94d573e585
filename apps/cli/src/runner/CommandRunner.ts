/**
 * Runs one command line: parses it, calls the operation and renders the answer as output pieces and an exit code. It never
 * fails: an error is output.
 *
 * It has no state and does not write to a terminal: the daemon runs it and the client prints the pieces.
 */
import type { CommandLine, CommandOutput } from "@sigtrap/host/daemon/Protocol"
import * as LoadedCode from "@sigtrap/host/runtime/LoadedCode"
import { Caller, Client, Errors, Follow, Hint, OutputPage, Payload } from "@sigtrap/protocol"
import { Cause, Effect, Option, Result, Stream } from "effect"
import * as Argv from "@sigtrap/protocol/grammar/Argv"
import type * as Commands from "@sigtrap/protocol/grammar/Commands"
import * as Options from "@sigtrap/protocol/grammar/Options"
import * as Configuration from "./Configuration.ts"
import * as CommandTime from "./CommandTime.ts"
import * as LargeAnswer from "../render/LargeAnswer.ts"
import * as RawOutput from "../render/RawOutput.ts"
import type * as BuiltinCommands from "./BuiltinCommands.ts"
import * as OutputFit from "../render/OutputFit.ts"
import * as OutputFile from "../render/OutputFile.ts"
import * as OutputSettings from "../render/OutputSettings.ts"
import * as NamedCaller from "./NamedCaller.ts"
import * as RunProgress from "./RunProgress.ts"
import * as StartPage from "./StartPage.ts"
import * as TracedCalls from "./TracedCalls.ts"
import { exit, type Pieces, renderAnswer, renderDocument, renderError, stdout, view } from "./RenderedAnswer.ts"

/** Returns all pages of captured output as they came. The output is cleared after the last page. */
const rawOutput = Effect.fnUntraced(function* (
  command: Commands.Command,
  { clear, ...input }: Argv.Fields,
  request: CommandLine,
  settings: OutputSettings.Settings,
  configuration: Configuration.Configuration
) {
  const pieces: Array<CommandOutput> = []
  for (let since = input["since"] ?? 0, more = true; more;) {
    const answer = yield* ask(command, { ...input, since }, request, settings, configuration)
    const page = OutputPage.of(answer.data)
    pieces.push(...LargeAnswer.divided(page?.text ?? ""))
    more = page?.truncated === true
    if (page !== undefined) since = OutputPage.nextOf(page)
    if (!more && clear === true) yield* ask(command, { ...input, since, clear }, request, settings, configuration)
  }
  return [...pieces, exit(0)]
})

const call = Effect.fnUntraced(function* (
  command: Commands.Command,
  given: Argv.Fields,
  request: CommandLine,
  settings: OutputSettings.Settings,
  configuration: Configuration.Configuration
) {
  const { _tag } = command.operation
  const { input, opensPage } = StartPage.divide(_tag, given)
  yield* RawOutput.refuse(_tag, input, request, settings)
  const bounded = Payload.bounded(command.operation, input, OutputFit.room(settings))
  const isWhole = input["before"] === undefined && input["tail"] === undefined && input["limit"] === undefined
  if (RawOutput.isWild(_tag, input) && !settings.json && isWhole) {
    return yield* rawOutput(command, { ...input, limit: OutputFit.largest }, request, settings, configuration)
  }
  if (opensPage) yield* StartPage.check
  const answer = yield* ask(command, bounded, request, settings, configuration)
  const page = opensPage ? yield* StartPage.open(answer.session, request) : undefined
  const shown =
    input["new"] === true ? OutputFit.fit(_tag, answer, input, view(command, input, settings), settings) : answer
  const unread = OutputPage.unread(input, answer, shown)
  if (unread !== undefined) yield* ask(command, unread, request, settings, configuration)
  const saved = yield* OutputFile.save(_tag, input, answer, settings.directory, configuration.values)
  if (saved !== undefined && !settings.json) return [...stdout(saved.text), exit(0)]
  const raw = RawOutput.pieces(_tag, input, answer, settings)
  return raw ?? StartPage.add(yield* renderAnswer(command, input, answer, settings, page), page, settings)
})

const ask = Effect.fnUntraced(function* (
  command: Commands.Command,
  input: Argv.Fields,
  request: CommandLine,
  settings: OutputSettings.Settings,
  configuration: Configuration.Configuration
) {
  const { directory } = settings
  const outputFields = Options.outputOptions(command.operation._tag).map(({ field }) => field)
  const fields = Object.fromEntries(Object.entries(input).filter(([field]) => !outputFields.includes(field)))
  const filled = Payload.fill(command.operation, fields, {
    directory,
    environment: request.environment,
    settings: configuration.values
  })
  const payload = yield* Payload.decode(command.operation, filled, (field) => Argv.nameOf(command, field))
  const client = yield* Client.Client
  const answering = yield* CommandTime.within(client.callAny(command.operation, payload), command, settings)
  return yield* Payload.hasField(command.operation, "settings")
    ? answering.pipe(
        Effect.map((answer) => Configuration.withWarning(answer, configuration)),
        Effect.mapError((error) => Configuration.withHint(error, configuration))
      )
    : answering
})

/** Repeats the call and renders each answer until the session ends. */
const follow = (
  command: Commands.Command,
  input: Argv.Fields,
  request: CommandLine,
  settings: OutputSettings.Settings,
  configuration: Configuration.Configuration
): Stream.Stream<CommandOutput, Errors.SigtrapError, Client.Client> =>
  Stream.paginate(input, (current) =>
    Effect.gen(function* () {
      yield* RawOutput.refuse(command.operation._tag, current, request, settings)
      const answer = yield* ask(command, current, request, settings, configuration)
      const next = Follow.next(current, answer)
      const pieces = Follow.isEmpty(answer)
        ? []
        : (RawOutput.pieces(command.operation._tag, current, answer, settings) ??
          (yield* renderAnswer(command, current, answer, { ...settings, budget: 0 })))
      const shown = pieces.filter(({ _tag }) => _tag !== "Exit")
      return [Option.isNone(next) ? [...shown, exit(0)] : shown, next] as const
    })
  )

/** The builtin commands. Their code is loaded at the first one: most are answered by the client, and a daemon starts without it. */
const builtins = Effect.promise(() => LoadedCode.load(() => import("./BuiltinCommands.ts")))

const renderBuiltin = Effect.fnUntraced(function* (
  name: string,
  result: BuiltinCommands.Result,
  settings: OutputSettings.Settings
) {
  if (!settings.json) return [...stdout(result.text), exit(0)]
  const document = { ok: true, cmd: name, data: result.data, warnings: [], truncated: [] }
  return renderDocument(document, { ...settings, budget: 0 }, { more: () => Hint.local(name) })
})

const act = Effect.fnUntraced(function* (
  parsed: Argv.Parsed,
  request: CommandLine,
  settings: OutputSettings.Settings,
  configuration: Configuration.Configuration
) {
  const todo = yield* Effect.fromResult(parsed.request)
  switch (todo._tag) {
    case "Call":
      return yield* call(todo.command, todo.input, request, settings, configuration)
    case "Help":
      return yield* renderBuiltin("help", (yield* builtins).help(todo.command, todo.group), settings)
    case "Builtin":
      return yield* renderBuiltin(todo.builtin.name, yield* (yield* builtins).run(todo, request), settings)
  }
})

/** A parsed command line with its settings and configuration. */
interface Prepared {
  readonly parsed: Argv.Parsed
  readonly settings: OutputSettings.Settings
  readonly configuration: Configuration.Configuration
}

/** Parses a command line with its configuration. A problem of the configuration is part of the result. */
const prepare = Effect.fnUntraced(function* (request: CommandLine): Effect.fn.Return<Prepared> {
  const typed = Argv.parse(request.argv, request.environment)
  const configuration = yield* Configuration.of(request, typed.globals)
  const argv = Configuration.expand(request.argv, configuration.values)
  const parsed = argv === request.argv ? typed : Argv.parse(argv, request.environment)
  return { parsed, settings: OutputSettings.make(parsed.globals, request, configuration.values), configuration }
})

/** Returns the input of a call; empty for other command lines. */
const inputOf = ({ request }: Argv.Parsed): Argv.Fields =>
  Result.isSuccess(request) && request.success._tag === "Call" ? request.success.input : {}

const internal = (cause: Cause.Cause<never>) =>
  new Errors.Internal({
    detail: Cause.prettyErrors(cause)
      .map(({ message }) => message)
      .join("; ")
  })

const run = (
  request: CommandLine,
  { configuration, parsed, settings }: Prepared
): Effect.Effect<Pieces, never, Client.Client> => {
  const { problem } = configuration
  // A call without its configuration could violate a policy. Help makes no call, so it still works.
  const helps = Result.isSuccess(parsed.request) && parsed.request.success._tag !== "Call"
  const effect = problem === undefined || helps ? act(parsed, request, settings, configuration) : Effect.fail(problem)
  const input = inputOf(parsed)
  return effect.pipe(
    Effect.catch((error) => Effect.succeed(renderError(error, settings, parsed.name, input))),
    Effect.catchCause((cause) =>
      Cause.hasInterrupts(cause)
        ? Effect.interrupt
        : Effect.succeed(renderError(internal(cause), settings, parsed.name, input))
    )
  )
}

/** Returns the output of a command that follows a session; absent for other commands. */
const followOutput = (
  request: CommandLine,
  { configuration, parsed, settings }: Prepared
): Stream.Stream<CommandOutput, never, Client.Client> | undefined => {
  if (Result.isFailure(parsed.request) || parsed.request.success._tag !== "Call") return undefined
  const { command, input } = parsed.request.success
  if (configuration.problem !== undefined || !Follow.isRequested(command.operation, input)) return undefined
  return follow(command, input, request, settings, configuration).pipe(
    Stream.catch((error) => Stream.fromIterable(renderError(error, settings, parsed.name, input)))
  )
}

/** Runs one command line. The last piece is the exit code. */
export const exec = (request: CommandLine): Stream.Stream<CommandOutput, never, Client.Client> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const prepared = yield* prepare(request)
      const caller = yield* NamedCaller.of(request, prepared.parsed.globals)
      const { parsed, settings } = prepared
      const output =
        followOutput(request, prepared) ??
        RunProgress.stream(parsed.request, run(request, prepared), settings, request.terminal.stderr)
      const called = Stream.provideService(output, Caller.Current, caller)
      return Result.match(yield* TracedCalls.client(request, parsed), {
        onFailure: (error) => Stream.fromIterable(renderError(error, settings, parsed.name)),
        onSuccess: (service) => Stream.provideService(called, Client.Client, service)
      })
    })
  )
