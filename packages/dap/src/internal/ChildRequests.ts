/**
 * Routes requests to the sessions of one connection.
 *
 * The life of the adapter belongs to the first session, breakpoint lists go to all sessions, requests about a thread, a
 * frame or a value to the session that it belongs to. Arguments and answers are translated between the connection's
 * numbers and the session's.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Client from "../Client.ts"
import * as Errors from "../Errors.ts"
import * as Requests from "../Requests.ts"
import { commands as listCommands, type List } from "./BreakpointLists.ts"
import type { ChildEvents } from "./ChildEvents.ts"
import { bodyOf, type Body, type ChildTables, rootNumber, type Session, startTimeout } from "./ChildTables.ts"

/** Requests that resume a thread. */
const resumeCommands = new Set(["continue", "next", "stepIn", "stepOut", "stepBack", "reverseContinue", "goto"])

/** Requests about the adapter as a whole, for the first session. */
const rootCommands = new Set([
  "initialize",
  "launch",
  "attach",
  "configurationDone",
  "disconnect",
  "terminate",
  "restart"
])

const sessionEnded = new Errors.ConnectionClosed({ reason: "ended", detail: "the thread's process has ended." })

/** Returns the frame, value or source that a request is about. */
const handleOf = (args: Body): number | undefined =>
  [
    args["frameId"],
    args["variablesReference"],
    args["sourceReference"],
    bodyOf(args["source"])["sourceReference"]
  ].find((value): value is number => typeof value === "number" && value !== 0)

/** Sends a list to a session and records the answer. */
export const sendList = ({ lists }: ChildTables, { client, number }: Session, list: List, how?: How) =>
  client
    .request(Requests.raw(list.command), list.args, how)
    .pipe(Effect.tap((body) => Effect.sync(() => lists.answered(number, list, body))))

/** Sends `continue` for the thread of a `stopped` event, in the session's numbers. */
export const resume = ({ client }: Session, body: Body) =>
  Effect.ignore(client.request(Requests.raw("continue"), { threadId: body["threadId"] ?? 0 }))

type How = Client.RequestOptions | undefined

/** Dependencies of the routing. */
export interface Options {
  readonly tables: ChildTables
  readonly events: ChildEvents
  readonly root: Session
  readonly fork: (effect: Effect.Effect<unknown>) => unknown
  /** Waits until a child was started. */
  readonly childStarted: Effect.Effect<void>
}

/** The requests of one connection. */
export class ChildRequests {
  readonly #options: Options
  readonly #tables: ChildTables

  constructor(options: Options) {
    this.#options = options
    this.#tables = options.tables
  }

  /** Sends a request to the session or sessions that it is about; answers in the connection's numbers. */
  send(command: string, args: unknown, how: How): Effect.Effect<unknown, Errors.RequestError> {
    const { root } = this.#options
    const body = bodyOf(args)
    if (command === "attach") return this.#attach(args, how)
    if (rootCommands.has(command)) return root.client.request(Requests.raw(command), args, how)
    if (listCommands.has(command)) return this.#setList(command, body, how)
    if (command === "threads") return this.#threads(how)
    if (command === "pause") return this.#pause(body, how)
    const session = this.#target(body)
    if (session === undefined) return Effect.fail(sessionEnded)
    if (resumeCommands.has(command)) {
      return this.#runsBeside(session.number)
        ? Effect.fail(new Errors.RequestFailed({ command, code: "notStopped", text: "that thread is running" }))
        : this.#resume(session, command, body, how)
    }
    // A client asks for the frames of every thread after a stop; a running session has none.
    if (command === "stackTrace" && this.#runsBeside(session.number)) {
      return Effect.succeed({ stackFrames: [], totalFrames: 0 })
    }
    const { numbers } = this.#tables
    return Effect.map(session.client.request(Requests.raw(command), numbers.toSession(args), how), (answer) =>
      numbers.fromSession(session.number, answer)
    )
  }

  /** Returns whether a thread runs while the stop of another session is shown. */
  isRunning(threadNumber: number): boolean {
    const thread = this.#tables.numbers.thread(threadNumber)
    return thread !== undefined && this.#runsBeside(thread.session)
  }

  #runsBeside(number: number): boolean {
    const { stops } = this.#tables
    return number !== rootNumber && stops.shown() !== undefined && !stops.isStopped(number)
  }

  #session(number: number): Session | undefined {
    return number === rootNumber ? this.#options.root : this.#tables.children.get(number)
  }

  #all(): ReadonlyArray<Session> {
    return [this.#options.root, ...this.#tables.children.values()]
  }

  /** Returns the session whose stop is shown, otherwise the oldest child, otherwise the first session. */
  #current(): Session {
    const { children, stops } = this.#tables
    return this.#session(stops.shown() ?? 0) ?? [...children.values()][0] ?? this.#options.root
  }

  /** Returns the session that a request is about; `undefined` if it has ended. */
  #target(args: Body): Session | undefined {
    const { threadId } = args
    const { numbers } = this.#tables
    const handle = handleOf(args)
    if (handle !== undefined) return this.#session(numbers.session(handle))
    const thread = typeof threadId === "number" ? numbers.thread(threadId) : undefined
    return thread === undefined ? this.#current() : this.#session(thread.session)
  }

  /** Attaches; answers when the first child is started, since nothing can be paused before. */
  #attach(args: unknown, how: How) {
    const { childStarted, root } = this.#options
    return Effect.tap(root.client.request(Requests.raw("attach"), args, how), () =>
      childStarted.pipe(Effect.raceFirst(root.client.closed), Effect.timeoutOption(startTimeout))
    )
  }

  /** Sets a list in all sessions; fails if all of them fail, since one that has just ended cannot answer. */
  #setList(command: string, args: Body, how: How) {
    const { listLock, lists } = this.#tables
    return Effect.suspend(() => {
      const list = lists.replace(command, args)
      return Effect.forEach(this.#all(), (session) => Effect.result(sendList(this.#tables, session, list, how)), {
        concurrency: "unbounded"
      }).pipe(
        Effect.flatMap((answers) => {
          const failures = answers.flatMap((answer) => (Result.isFailure(answer) ? [answer.failure] : []))
          const [failure] = failures
          return failure !== undefined && failures.length === answers.length
            ? Effect.fail(failure)
            : Effect.sync(() => lists.response(list))
        })
      )
    }).pipe(listLock.withPermit)
  }

  #threads(how: How) {
    const { numbers } = this.#tables
    return Effect.forEach(
      this.#all(),
      ({ client, number }) =>
        client.request(Requests.Threads, undefined, how).pipe(
          Effect.map((body) => bodyOf(numbers.fromSession(number, body))["threads"]),
          Effect.orElseSucceed(() => [])
        ),
      { concurrency: "unbounded" }
    ).pipe(Effect.map((threads) => ({ threads: threads.flat() })))
  }

  /** Pauses all running children; the first session if it has none. */
  #pause(args: Body, how: How) {
    const { children, numbers, stops } = this.#tables
    const running = [...children.values()].filter(({ number }) => !stops.isStopped(number))
    return Effect.forEach(
      running.length === 0 && children.size === 0 ? [this.#options.root] : running,
      ({ client, number }) =>
        Effect.suspend(() => {
          stops.pausing(number)
          return client.request(Requests.raw("pause"), numbers.toSession(args), how)
        }).pipe(Effect.catchTag("ConnectionClosed", () => Effect.void)),
      { concurrency: "unbounded", discard: true }
    )
  }

  /** Resumes a session; `continue` also resumes those whose stops had joined its stop. */
  #resume(session: Session, command: string, args: Body, how: How) {
    const { events, fork } = this.#options
    const { numbers, stops } = this.#tables
    return Effect.suspend(() => {
      const joined = stops.resuming(session.number, command !== "continue" || args["singleThread"] === true)
      for (const { body, session: number } of joined) {
        const other = this.#session(number)
        if (other !== undefined) fork(resume(other, bodyOf(numbers.toSession(body))))
      }
      return session.client.request(Requests.raw(command), numbers.toSession(args), how).pipe(
        Effect.tapError(() => Effect.sync(() => stops.resumeFailed(session.number))),
        Effect.tap(() => Effect.sync(() => events.showNext()))
      )
    })
  }
}
