/**
 * The handshake with an adapter (DAP): sends `launch` without waiting for its response, since adapters differ in when they
 * answer it; breakpoints are set after `initialized`; the response to `launch` is awaited after `configurationDone`.
 */
import { Capabilities, Requests, type Client, type Errors as Dap } from "@sigtrap/dap"
import { Processes, RunsCode, type Backend } from "@sigtrap/manager"
import { Errors } from "@sigtrap/protocol"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { Arguments, AttachRequest, LaunchContext } from "../../adapters/Adapter.ts"
import * as Attach from "../../adapters/Attach.ts"
import * as Configuration from "../../adapters/Configuration.ts"
import * as LaunchOptions from "../../adapters/LaunchOptions.ts"
import * as AdapterInfo from "../AdapterInfo.ts"
import type { Choice } from "./AdapterStart.ts"
import type { startFailure } from "../Errors.ts"
import * as ExceptionFilters from "../breakpoints/ExceptionFilters.ts"

/** How long a launch may take until the adapter sends `initialized`, in milliseconds. */
const initializedTimeout = 30_000

/** Timeout of one command before launch. */
const prepareTimeout = "120 seconds"

/** Timeout of launch. A program that is only loaded has none in practice, since the user starts it later. */
const launchTimeout = { usual: "120 seconds", loadOnly: "20 days" } as const

/** What the handshake needs. */
export interface Options {
  readonly client: Client.Client
  readonly request: Backend.LaunchRequest
  readonly choice: Choice
  readonly atStage: ReturnType<typeof startFailure>
}

/** Sends `initialize`. Returns the version of the adapter. */
export const initialize = Effect.fn("DapBackend.initialize")(function* ({ atStage, choice, client, request }: Options) {
  const { adapter, found } = choice
  yield* client
    .request(Requests.Initialize, Configuration.initializeArguments(request, adapter), {
      timeout: Configuration.initializeTimeout(request)
    })
    .pipe(Effect.catch(atStage("initialize")))
  return (
    AdapterInfo.versionIn(client.capabilities()) ??
    found.version ??
    (found.major === undefined ? undefined : `${found.major}`)
  )
})

/** Fails if a process to attach to has ended: its pid may belong to another process. */
export const verifyProcess = Effect.fnUntraced(function* (existing: Backend.AttachTarget | undefined) {
  if (existing?.kind !== "process") return
  const now = yield* Effect.flatMap(Processes.Processes, (processes) => processes.identify(existing.pid))
  if (Option.isNone(now) || now.value.started !== existing.started) {
    return yield* new Errors.AttachFailed({ target: Attach.describe(existing), detail: "it has ended" })
  }
})

/** Executes the preparation of the adapter in the program. Fails only if the session's policy forbids to run code. */
const prepare = Effect.fnUntraced(function* (client: Client.Client, { preparation }: LaunchContext["quirks"]) {
  if (preparation === undefined) return
  const forbidsCode = (yield* RunsCode.ByPolicy) !== undefined
  const executing = client.request(Requests.Evaluate, { expression: preparation(forbidsCode), context: "watch" })
  yield* forbidsCode ? executing : Effect.ignore(executing)
})

/** Sends launch or attach and waits for `initialized`. */
export const launch = Effect.fn("DapBackend.requestLaunch")(function* (
  { atStage, choice, client, request }: Options,
  context: LaunchContext
) {
  const { adapter } = choice
  const { existing } = request
  const scope = yield* Effect.scope
  const { held } = request
  const attach: AttachRequest = yield* held !== undefined && adapter.takeOver !== undefined
    ? Effect.fromResult(adapter.takeOver(request, held, context.quirks))
    : existing === undefined
      ? Effect.map(adapter.launchArguments(request, context), (args): AttachRequest => ({
          request: "launch",
          arguments: args
        }))
      : Effect.fromResult(adapter.attach(request, existing, context.quirks))
  const language = yield* adapter.language?.(request, context.quirks) ?? Effect.undefined
  const preparation = yield* Effect.fromResult(adapter.prepare?.(request, context) ?? Result.succeed([])).pipe(
    Effect.mapError(({ text }) => Attach.controlCharacters(request, text))
  )
  yield* Effect.forEach(preparation, (line) =>
    client.request(Requests.Evaluate, { expression: line, context: "repl" }, { timeout: prepareTimeout })
  ).pipe(Effect.catch(atStage("preparation")))

  // Some adapters answer launch only after configurationDone.
  const complete = existing === undefined ? (adapter.completeArguments ?? Effect.succeed) : Effect.succeed
  const send = Effect.fnUntraced(function* (args: Arguments) {
    const added = LaunchOptions.added(args, request, adapter, context.quirks, language?.arguments)
    return yield* client.request(
      attach.request === "launch" ? Requests.Launch : Requests.Attach,
      yield* complete(added),
      { timeout: request.loadOnly === true ? launchTimeout.loadOnly : launchTimeout.usual }
    )
  })
  const { again } = attach
  const sendAgain = (refused: Dap.RequestError) =>
    again !== undefined && refused._tag === "RequestFailed" && again.after.test(refused.text)
      ? Effect.mapError(send(again.arguments), () => refused)
      : Effect.fail(refused)
  const launching = yield* (
    attach.request === "none" ? Effect.void : Effect.catch(send(attach.arguments), sendAgain)
  ).pipe(Effect.forkIn(scope, { startImmediately: true }))
  // A program that ends at once closes the connection, which interrupts the request. The launch has not failed then.
  const answered = Effect.flatMap(Fiber.await(launching), (exit) =>
    Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? Effect.void : Effect.asVoid(exit)
  )
  const failed = Effect.andThen(answered, Effect.never)
  yield* client.initialized.pipe(
    Effect.raceFirst(failed),
    Effect.catch(atStage("launch")),
    Effect.timeoutOrElse({
      duration: initializedTimeout,
      orElse: () =>
        Effect.fail(
          existing?.kind === "remote"
            ? Attach.connectionRefused(existing)
            : new Errors.RequestTimeout({ command: "launch", after_ms: initializedTimeout })
        )
    })
  )
  yield* prepare(client, context.quirks).pipe(Effect.catch(atStage("preparation of the program")))
  yield* ExceptionFilters.setAtStart(client, context.quirks, ExceptionFilters.defaultsOf(client, context.quirks)).pipe(
    Effect.catch(atStage("exception filters"))
  )

  const configure = Effect.gen(function* () {
    const supported = Capabilities.supports(client.capabilities(), "supportsConfigurationDoneRequest")
    const configured = yield* attach.request !== "none" && supported
      ? // After a failed launch some adapters do not answer.
        Effect.exit(client.request(Requests.ConfigurationDone)).pipe(
          Effect.raceFirst(failed),
          Effect.catch(atStage("launch"))
        )
      : Effect.succeed(Exit.void)
    // When both fail, the launch response has the reason.
    yield* answered.pipe(Effect.catch(atStage("launch")))
    yield* configured.pipe(Effect.catch(atStage("configuration")))
  })
  return { attach, configure, catches: language?.catches ?? [] }
})
