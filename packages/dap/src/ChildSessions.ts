/**
 * One client over an adapter that debugs by child sessions (DAP `startDebugging`): the session that was begun and every
 * child that the adapter asks for, each a further connection to the same adapter, seen as one.
 *
 * Breakpoints go to all of them, requests about a thread, a frame or a value to the one it belongs to, and numbers are
 * ours, since each session counts by itself. Children stop each by itself; `Stops` shows their stops one at a time.
 * The beginning and the end belong to the first session: with it everything is over, a child's end is only its own.
 *
 * Fibers: those of every session's client; one for each child, which begins it and waits for its end. All end with the
 * scope, a child's with its connection.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Capabilities from "./Capabilities.ts"
import * as Client from "./Client.ts"
import * as Errors from "./Errors.ts"
import { BreakpointLists, commands as listCommands } from "./internal/BreakpointLists.ts"
import { mostSessions, Numbers } from "./internal/Numbers.ts"
import { Stops } from "./internal/Stops.ts"
import * as Message from "./Message.ts"
import * as Requests from "./Requests.ts"
import type { Transport } from "./Transport.ts"

/** What the client is made of; the callbacks see what is told outside, in our numbers. */
export interface Options extends Omit<Client.Options, "onMessage" | "onResponse"> {
  /** Opens a further connection to the adapter; it belongs to the scope. */
  readonly connect: Effect.Effect<Transport, Errors.TransportError, Scope.Scope>
}

/** A client that is several. */
export interface ChildSessions extends Client.Client {
  /** Whether a thread runs while another is shown as stopped. */
  readonly runs: (thread: number) => boolean
}

type Body = Readonly<Record<string, unknown>>

interface Session {
  readonly number: number
  readonly client: Client.Client
}

/** The number of the session that was begun; 0 is none, since a frame of it may have the number 0. */
const rootNumber = 1

/** How long a child may take to begin. */
const beginsWithin = "30 seconds"

/** How long a child may take to say that it has let go. */
const leavesWithin = "3 seconds"

/** Requests that set a thread going. */
const departures = new Set(["continue", "next", "stepIn", "stepOut", "stepBack", "reverseContinue", "goto"])

/** Requests about the adapter as a whole. */
const first = new Set(["initialize", "launch", "attach", "configurationDone", "disconnect", "terminate", "restart"])

const bodyOf = (value: unknown): Body => (Message.isRecord(value) ? value : {})

/** The frame, value or source that a request is about. */
const placed = (args: Body): number | undefined =>
  [
    args["frameId"],
    args["variablesReference"],
    args["sourceReference"],
    bodyOf(args["source"])["sourceReference"]
  ].find((value): value is number => typeof value === "number" && value !== 0)

const gone = new Errors.ConnectionClosed({ reason: "ended", detail: "the thread's process has ended." })

/** Connects a client to an adapter with child sessions, for the life of the scope. */
export const make: (options: Options) => Effect.Effect<ChildSessions, never, Scope.Scope> = Effect.fnUntraced(
  function* (options) {
    const { connect, onEvent, onReverseRequest, transport, ...common } = options
    // Made now, so that children stay until what comes later in the scope has ended: the end of a program is told to them.
    const scope = yield* Effect.flatMap(Effect.scope, Scope.fork)
    const fork = yield* FiberSet.makeRuntime<never>()
    const setting = yield* Semaphore.make(1)
    const numbers = new Numbers()
    const lists = new BreakpointLists()
    const stops = new Stops()
    const children = new Map<number, Session>()
    const endings = new Map<number, Deferred.Deferred<void>>()
    const begun = Deferred.makeUnsafe<void>()
    let initializing: unknown
    let count = rootNumber

    const tell = (event: string, body: unknown) => onEvent({ type: "event", event, body })

    const showNext = () => {
      const next = stops.next()
      if (next !== undefined) tell("stopped", next.body)
    }

    const goOn = (session: Session, body: Body) =>
      fork(Effect.ignore(session.client.request(Requests.raw("continue"), { threadId: body["threadId"] ?? 0 })))

    const stopped = (session: Session, body: Body) => {
      const told = {
        ...bodyOf(numbers.toOutside(session.number, body)),
        hitBreakpointIds: lists.hit(session.number, body["hitBreakpointIds"])
      }
      switch (stops.stopped(session.number, told)) {
        case "shown":
          return tell("stopped", told)
        case "joins":
          return tell("stopped", { ...told, preserveFocusHint: true })
        case "unwanted":
          goOn(session, body)
      }
    }

    const handle = (session: Session, event: Message.Event) => {
      const body = bodyOf(event.body)
      switch (event.event) {
        case "stopped":
          return stopped(session, body)
        case "continued":
          if (stops.continued(session.number)) tell("continued", numbers.toOutside(session.number, body))
          return
        case "breakpoint": {
          const breakpoint = lists.changed(session.number, bodyOf(body["breakpoint"]))
          return breakpoint === undefined
            ? undefined
            : tell("breakpoint", { ...body, breakpoint: numbers.toOutside(session.number, breakpoint) })
        }
        // A child's readiness and end are its own.
        case "terminated":
          return session.number === rootNumber ? onEvent(event) : over(session.number)
        case "initialized":
        case "exited":
        case "capabilities":
          return session.number === rootNumber ? onEvent(event) : undefined
        case "thread":
        case "output":
        case "invalidated":
          return tell(event.event, numbers.toOutside(session.number, body))
        default:
          return onEvent(event)
      }
    }

    /** A child says that it is over; the adapter may keep its connection open. */
    const over = (number: number) => {
      const ended = endings.get(number)
      if (ended !== undefined) Deferred.doneUnsafe(ended, Exit.void)
    }

    const part = (session: Session) => {
      endings.delete(session.number)
      children.delete(session.number)
      lists.forget(session.number)
      if (!stops.gone(session.number)) return
      tell("continued", {})
      showNext()
    }

    /** Sends a session a list and notes its answer. */
    const send = (session: Session, list: ReturnType<typeof lists.replace>, how?: Client.RequestOptions) =>
      session.client
        .request(Requests.raw(list.command), list.args, how)
        .pipe(Effect.tap((body) => Effect.sync(() => lists.answered(session.number, list, body))))

    /** Introduces us to a child, gives it the breakpoints there are, and lets it go. */
    const begin = Effect.fnUntraced(function* (session: Session, request: Message.Request) {
      const { client } = session
      const args = bodyOf(request.arguments)
      yield* client.request(Requests.raw("initialize"), initializing)
      const command = args["request"] === "attach" ? "attach" : "launch"
      const launched = yield* Effect.forkChild(
        client.request(Requests.raw(command), args["configuration"], { timeout: beginsWithin }),
        { startImmediately: true }
      )
      yield* Effect.raceFirst(client.initialized, Effect.andThen(Fiber.join(launched), Effect.never))
      // A list that is set meanwhile goes to it as well: before or after, and never neither.
      yield* setting.withPermit(
        Effect.suspend(() => {
          children.set(session.number, session)
          return Effect.forEach(lists.all(), (list) => Effect.ignore(send(session, list)), { discard: true })
        })
      )
      if (Capabilities.supports(client.capabilities(), "supportsConfigurationDoneRequest")) {
        yield* client.request(Requests.raw("configurationDone"), {})
      }
      yield* Fiber.join(launched)
      Deferred.doneUnsafe(begun, Exit.void)
    })

    /** Lets go of a child. An adapter may count on being told, for the end of the first session too. */
    const leave = ({ client }: Session) =>
      Effect.ignore(client.request(Requests.Disconnect, { terminateDebuggee: true }, { timeout: leavesWithin }))

    const child = Effect.fnUntraced(function* (request: Message.Request) {
      const number = ++count
      if (number >= mostSessions) return yield* new Errors.ReverseRefused({ text: "too many child sessions" })
      const own = yield* Scope.fork(scope)
      const client = yield* connect.pipe(
        Effect.flatMap((transport) => clientOf(number, transport)),
        Effect.provideService(Scope.Scope, own),
        Effect.mapError(({ message }) => new Errors.ReverseRefused({ text: `no connection for a child: ${message}` })),
        Effect.onError((cause) => Scope.close(own, Exit.failCause(cause)))
      )
      const session: Session = { number, client }
      const ended = Deferred.makeUnsafe<void>()
      endings.set(number, ended)
      fork(
        begin(session, request).pipe(
          Effect.timeout(beginsWithin),
          Effect.andThen(Effect.never),
          Effect.catch(({ message }) =>
            Effect.sync(() =>
              tell("output", { category: "important", output: `a child session cannot begin: ${message}\n` })
            )
          ),
          Effect.raceFirst(Effect.raceFirst(client.closed, Effect.andThen(Deferred.await(ended), leave(session)))),
          Effect.ensuring(
            Effect.suspend(() => {
              part(session)
              return Scope.close(own, Exit.void)
            })
          )
        )
      )
      return undefined
    })

    const clientOf = (number: number, over: Transport): Effect.Effect<Client.Client, never, Scope.Scope> =>
      Effect.gen(function* () {
        const client: Client.Client = yield* Client.make({
          ...common,
          transport: over,
          onEvent: (event) => handle({ number, client }, event),
          onReverseRequest: (request) =>
            request.command === "startDebugging"
              ? child(request)
              : (onReverseRequest?.(request) ??
                Effect.fail(new Errors.ReverseRefused({ text: `unknown request: ${request.command}` })))
        })
        return client
      })

    const root: Session = { number: rootNumber, client: yield* clientOf(rootNumber, transport) }

    const session = (number: number): Session | undefined => (number === rootNumber ? root : children.get(number))

    const everyone = () => [root, ...children.values()]

    /** The session for questions about none in particular: the one whose stop is shown, else the oldest with a program. */
    const current = (): Session => session(stops.shown() ?? 0) ?? [...children.values()][0] ?? root

    /** Whether a session runs while another's stop is shown. */
    const runs = (number: number) => number !== rootNumber && stops.shown() !== undefined && !stops.isStopped(number)

    /** Where a request belongs. */
    const addressed = (args: Body): Session | undefined => {
      const { threadId } = args
      const handle = placed(args)
      if (handle !== undefined) return session(numbers.session(handle))
      const thread = typeof threadId === "number" ? numbers.thread(threadId) : undefined
      return thread === undefined ? current() : session(thread.session)
    }

    const set = (command: string, args: Body, how: Client.RequestOptions | undefined) =>
      Effect.suspend(() => {
        const list = lists.replace(command, args)
        return Effect.forEach(everyone(), (one) => Effect.result(send(one, list, how)), {
          concurrency: "unbounded"
        }).pipe(
          Effect.flatMap((answers) => {
            const failures = answers.flatMap((answer) => (Result.isFailure(answer) ? [answer.failure] : []))
            const [failure] = failures
            // One that has just gone has nothing to say.
            return failure !== undefined && failures.length === answers.length
              ? Effect.fail(failure)
              : Effect.sync(() => lists.answer(list))
          })
        )
      }).pipe(setting.withPermit)

    const threads = (how: Client.RequestOptions | undefined) =>
      Effect.forEach(
        everyone(),
        ({ client, number }) =>
          client.request(Requests.Threads, undefined, how).pipe(
            Effect.map((body) => bodyOf(numbers.toOutside(number, body))["threads"]),
            Effect.orElseSucceed(() => [])
          ),
        { concurrency: "unbounded" }
      ).pipe(Effect.map((found) => ({ threads: found.flat() })))

    /** Who attaches has hold of a program when its session has begun: before that there is nothing to pause. */
    const attach = (args: unknown, how: Client.RequestOptions | undefined) =>
      Effect.tap(root.client.request(Requests.raw("attach"), args, how), () =>
        Deferred.await(begun).pipe(Effect.raceFirst(root.client.closed), Effect.timeoutOption(beginsWithin))
      )

    const pause = (args: Body, how: Client.RequestOptions | undefined) => {
      const running = [...children.values()].filter(({ number }) => !stops.isStopped(number))
      return Effect.forEach(
        running.length === 0 && children.size === 0 ? [root] : running,
        ({ client, number }) =>
          Effect.suspend(() => {
            stops.asked(number)
            return client.request(Requests.raw("pause"), numbers.toSession(args), how)
          }).pipe(Effect.catchTag("ConnectionClosed", () => Effect.void)),
        { concurrency: "unbounded", discard: true }
      )
    }

    const depart = Effect.fnUntraced(function* (
      one: Session,
      command: string,
      args: Body,
      how: Client.RequestOptions | undefined
    ) {
      const others = stops.departing(one.number, command !== "continue" || args["singleThread"] === true)
      for (const { body, session: number } of others) {
        const other = session(number)
        if (other !== undefined) goOn(other, bodyOf(numbers.toSession(body)))
      }
      const answer = yield* one.client
        .request(Requests.raw(command), numbers.toSession(args), how)
        .pipe(Effect.tapError(() => Effect.sync(() => stops.stayed(one.number))))
      showNext()
      return answer
    })

    const route = (
      command: string,
      args: unknown,
      how: Client.RequestOptions | undefined
    ): Effect.Effect<unknown, Errors.RequestError> => {
      const body = bodyOf(args)
      if (command === "initialize") initializing = args
      if (command === "attach") return attach(args, how)
      if (first.has(command)) return root.client.request(Requests.raw(command), args, how)
      if (listCommands.has(command)) return set(command, body, how)
      if (command === "threads") return threads(how)
      if (command === "pause") return pause(body, how)
      const one = addressed(body)
      if (one === undefined) return Effect.fail(gone)
      if (departures.has(command)) {
        return runs(one.number)
          ? Effect.fail(new Errors.RequestFailed({ command, code: "notStopped", text: "that thread is running" }))
          : depart(one, command, body, how)
      }
      // What runs has no frames; it is asked for them because another has stopped.
      if (command === "stackTrace" && runs(one.number)) return Effect.succeed({ stackFrames: [], totalFrames: 0 })
      return Effect.map(one.client.request(Requests.raw(command), numbers.toSession(args), how), (answer) =>
        numbers.toOutside(one.number, answer)
      )
    }

    const request = Effect.fnUntraced(function* <Args, Answer>(
      kind: Requests.Request<Args, Answer>,
      args?: Args,
      how?: Client.RequestOptions
    ) {
      const { capability, command } = kind
      if (capability !== undefined && !Capabilities.supports(root.client.capabilities(), capability)) {
        return yield* new Errors.RequestUnsupported({ command, capability })
      }
      const body = kind.decode(yield* route(command, args, how))
      if (Result.isSuccess(body)) return body.success
      return yield* new Errors.BodyInvalid({ command, issue: body.failure.message })
    })

    return {
      ...root.client,
      request,
      runs: (number) => {
        const thread = numbers.thread(number)
        return thread !== undefined && runs(thread.session)
      }
    }
  }
)
