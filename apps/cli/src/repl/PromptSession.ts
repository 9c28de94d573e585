/**
 * The session of a prompt, as the answers of its commands name it. Between the commands the prompt prints the program's output,
 * and stops that no command of this prompt waited for.
 */
import { Client, Follow, type Operation, Operations, OutputPage, Payload, Session } from "@sigtrap/protocol"
import { Doc, Render } from "@sigtrap/text"
import { Effect, Fiber, Predicate } from "effect"
import * as Stream from "effect/Stream"
import * as HintText from "../render/HintText.ts"
import type { Terminal } from "./Terminal.ts"

/** How long one call waits for the next stop or output; then it is repeated. */
const patience = "10m"

/** The session as the newest answer shows it. */
interface Known {
  readonly session: string
  readonly state: Session.SessionState
  readonly stop: number
}

/** The session of an answer or error. */
interface Located {
  readonly session?: string
  readonly state?: Session.SessionState
  readonly stop?: number
}

/** Where a prompt runs. */
export interface Place {
  readonly directory: string
  readonly color: boolean
}

/** Calls an operation with fields as a caller writes them. */
const ask = (client: Client.Client["Service"], operation: Operation.Any, fields: object) =>
  Effect.flatMap(Payload.decode(operation, fields), (payload) => client.callAny(operation, payload))

/** Watches the session of one prompt. */
export class PromptSession {
  readonly #client: Client.Client["Service"]
  readonly #terminal: Terminal
  readonly #place: Place
  #known: Known | undefined
  #asked: string | undefined
  #output: { readonly session: string; readonly fiber: Fiber.Fiber<void> } | undefined
  #stops: Fiber.Fiber<void> | undefined

  constructor(client: Client.Client["Service"], terminal: Terminal, place: Place) {
    this.#client = client
    this.#terminal = terminal
    this.#place = place
  }

  /** The session of the newest answer. */
  get session(): Known | undefined {
    return this.#known
  }

  /** The session that the running command names, or the one of the newest answer. */
  get target(): string | undefined {
    return this.#asked ?? this.#known?.session
  }

  /** Asks whether the program of the session runs: another client may have resumed or paused it since the newest answer. */
  readonly isRunning: Effect.Effect<boolean> = Effect.suspend(() =>
    this.#known === undefined
      ? Effect.succeed(false)
      : ask(this.#client, Operations.byTag("status"), { session: this.#known.session }).pipe(
          Effect.map(({ state }) => state === "running"),
          Effect.orElseSucceed(() => false)
        )
  )

  /** The client that the commands use: it records the session and the stop of each answer or error. */
  get client(): Client.Client["Service"] {
    const { call, callAny } = this.#client
    return Client.Client.of({
      call,
      callAny: (operation, payload) =>
        Effect.suspend(() => {
          const session = Predicate.isReadonlyObject(payload) ? payload["session"] : undefined
          this.#asked = Predicate.isString(session) ? session : undefined
          return callAny(operation, payload)
        }).pipe(
          Effect.tap((answer) => this.#record(operation, answer)),
          Effect.tapError((error) => this.#record(operation, error))
        )
    })
  }

  /** Records the session of an answer or error, and shows the output of a session that was not known. */
  #record(operation: Operation.Any, { session, state, stop }: Located): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (session === undefined || state === undefined) return Effect.void
      const starts = operation._tag === "start"
      const before = this.#known?.session === session && !starts ? this.#known.stop : 0
      this.#known = { session, state, stop: stop ?? before }
      if (!this.#terminal.interactive || (this.#output?.session === session && !starts)) return Effect.void
      return this.#followOutput(session, starts)
    })
  }

  /** Shows the output of a session: of a new one all, of another one what it writes from now on. */
  #followOutput(session: string, whole: boolean): Effect.Effect<void> {
    const operation = Operations.byTag("output")
    const shown = (fields: Follow.Input): Stream.Stream<void, unknown> =>
      Stream.paginate(fields, (current) =>
        ask(this.#client, operation, current).pipe(
          Effect.tap((answer) => this.#terminal.print("Stdout", OutputPage.of(answer.data)?.text ?? "")),
          Effect.map((answer) => [[], Follow.next(current, answer)] as const)
        )
      )
    return Effect.gen({ self: this }, function* () {
      if (this.#output !== undefined) yield* Fiber.interrupt(this.#output.fiber)
      const end = whole
        ? 0
        : yield* ask(this.#client, operation, { session, limit: 1 }).pipe(
            Effect.map(({ data }) => OutputPage.of(data)),
            Effect.map((page) => (page === undefined ? 0 : OutputPage.nextOf(page))),
            Effect.orElseSucceed(() => 0)
          )
      const input = { session, since: end, follow: true, timeout: patience }
      const fiber = yield* Effect.forkDetach(Effect.ignoreCause(Stream.runDrain(shown(input))))
      this.#output = { session, fiber }
    })
  }

  /** Shows stops after the newest known one, until `quiet`. */
  readonly watch: Effect.Effect<void> = Effect.suspend(() => {
    const known = this.#known
    if (!this.#terminal.interactive || known === undefined || !Session.isLive(known.state)) return Effect.void
    return Effect.map(Effect.forkDetach(Effect.ignoreCause(this.#nextStop)), (fiber) => {
      this.#stops = fiber
    })
  })

  /** Waits for stops after the newest known one and prints their reports. Ends with the session. */
  readonly #nextStop: Effect.Effect<void, unknown> = Effect.gen({ self: this }, function* () {
    const operation = Operations.byTag("wait")
    while (this.#known !== undefined && Session.isLive(this.#known.state)) {
      const { session, stop } = this.#known
      const fields = { session, after: stop, timeout: patience, directory: this.#place.directory }
      const answer = yield* ask(this.#client, operation, fields).pipe(
        Effect.catchTag("WaitTimeout", () => Effect.succeed(undefined))
      )
      if (answer === undefined) continue
      this.#known = { session, state: answer.state, stop: answer.stop ?? stop }
      const view = { directory: this.#place.directory, write: HintText.write, input: { session } }
      const text = Doc.render(Render.renderAny("wait", answer, view), { color: this.#place.color })
      yield* this.#terminal.print("Stdout", text)
    }
  })

  /** Stops watching for stops: a command of this prompt reports its own. */
  readonly quiet: Effect.Effect<void> = Effect.suspend(() => {
    const fiber = this.#stops
    this.#stops = undefined
    return fiber === undefined ? Effect.void : Fiber.interrupt(fiber)
  })

  /** Ends everything. */
  readonly end: Effect.Effect<void> = Effect.suspend(() =>
    Effect.andThen(this.quiet, this.#output === undefined ? Effect.void : Fiber.interrupt(this.#output.fiber))
  )
}
