import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Latch, Queue } from "effect"
import { ChildSessions, Errors, Message, Requests } from "../src/index.ts"
import { ScriptedAdapter } from "../src/testing/index.ts"

type Answers = Readonly<Record<string, (args: Readonly<Record<string, unknown>>) => unknown>>

const capabilities = { supportsConfigurationDoneRequest: true, supportsSetVariable: true }

const list = (args: Readonly<Record<string, unknown>>) =>
  (Array.isArray(args["breakpoints"]) ? args["breakpoints"] : []).filter(Message.isRecord)

/** Answers each entry as unverified, with ids from 1 in each session. */
const provisional: Answers = {
  setBreakpoints: (args) => ({ breakpoints: list(args).map((_, index) => ({ id: index + 1, verified: false })) })
}

/** A session that answers every request at once, with functions for the test. */
const answering = Effect.fnUntraced(function* (answers: Answers = {}) {
  const here = yield* Deferred.make<ScriptedAdapter.Adapter>()
  const scripted = yield* ScriptedAdapter.make((adapter) =>
    Effect.gen(function* () {
      yield* Deferred.succeed(here, adapter)
      for (;;) {
        const request = yield* adapter.next
        const args = Message.isRecord(request.arguments) ? request.arguments : {}
        const body = request.command === "initialize" ? capabilities : answers[request.command]?.(args)
        yield* body === "refused" ? adapter.refuse(request) : adapter.respond(request, body)
        if (request.command === "launch") yield* adapter.event("initialized")
      }
    })
  )
  const sent = () => scripted.received().flatMap((message) => (message.type === "request" ? [message] : []))
  return {
    ...(yield* Deferred.await(here)),
    transport: scripted.transport,
    commands: () => sent().map(({ command }) => command),
    last: (command: string) => sent().findLast((request) => request.command === command)?.arguments
  }
})

/** An adapter with a started first session; `child` starts a child session and waits until it is configured. */
const startAdapter = Effect.fnUntraced(function* (answers: Answers = provisional) {
  const root = yield* answering(answers)
  const coming = yield* Queue.unbounded<Effect.Success<ReturnType<typeof answering>>>()
  const events: Array<readonly [string, unknown]> = []
  const changed = yield* Latch.make()
  const client = yield* ChildSessions.make({
    transport: root.transport,
    connect: Effect.map(Queue.take(coming), ({ transport }) => transport),
    onEvent: ({ body, event }) => {
      events.push([event, body])
      changed.openUnsafe()
    }
  })
  /** Waits for the next event of this kind and returns its body; each event is returned once. */
  const event = (name: string): Effect.Effect<unknown> =>
    Effect.suspend(() => {
      const index = events.findIndex(([known]) => known === name)
      const found = events[index]
      if (found !== undefined) return Effect.succeed(events.splice(index, 1)[0]?.[1])
      changed.closeUnsafe()
      return Effect.andThen(changed.await, event(name))
    })
  yield* client.request(Requests.Initialize, { adapterID: "x" })
  yield* client.request(Requests.Launch, { program: "/p.js" })
  const child = Effect.fnUntraced(function* (own: Answers = {}, from: Pick<ScriptedAdapter.Adapter, "reverse"> = root) {
    const session = yield* answering({ ...provisional, ...own })
    yield* Queue.offer(coming, session)
    const configuration = { name: "p.js", __pendingTargetId: "t" }
    assert.isTrue((yield* from.reverse("startDebugging", { request: "launch", configuration })).success)
    // This request is answered after all earlier messages are processed.
    yield* client.request(Requests.Threads)
    while (!session.commands().includes("configurationDone")) yield* Effect.yieldNow
    return session
  })
  const names = () => events.map(([name]) => name)
  return { root, client, child, event, names }
})

const stop = { reason: "breakpoint", threadId: 0, hitBreakpointIds: [1] }

const field = (body: unknown, name: string) => (Message.isRecord(body) ? body[name] : undefined)

const number = (value: unknown) => {
  assert(typeof value === "number")
  return value
}

describe("an adapter that debugs by child sessions", () => {
  it.effect("initializes each child, sends it the breakpoint lists and ends its configuration", () =>
    Effect.gen(function* () {
      const { child, client } = yield* startAdapter()
      yield* client.request(Requests.SetBreakpoints, { source: { path: "/p.js" }, breakpoints: [{ line: 4 }] })
      yield* client.request(Requests.SetExceptionBreakpoints, { filters: ["uncaught"] })
      const first = yield* child()
      assert.deepStrictEqual(
        first.commands().filter((command) => command !== "threads"),
        ["initialize", "launch", "setBreakpoints", "setExceptionBreakpoints", "configurationDone"]
      )
      assert.deepStrictEqual(first.last("initialize"), { adapterID: "x" })
      assert.deepStrictEqual(first.last("launch"), { name: "p.js", __pendingTargetId: "t" })
      assert.deepStrictEqual(first.last("setBreakpoints"), { source: { path: "/p.js" }, breakpoints: [{ line: 4 }] })
      // A child may ask for a child of its own.
      const grandchild = yield* child({}, first)
      assert.deepStrictEqual(grandchild.last("setExceptionBreakpoints"), { filters: ["uncaught"] })
    })
  )

  it.effect("has attached when the first child is started, and then pauses the child", () =>
    Effect.gen(function* () {
      const { child, client } = yield* startAdapter()
      const attaching = yield* Effect.forkChild(client.request(Requests.Attach, { port: 9229 }), {
        startImmediately: true
      })
      // The response to attach has come by then.
      yield* client.request(Requests.Threads)
      assert.isUndefined(attaching.pollUnsafe())
      const session = yield* child()
      yield* Fiber.join(attaching)
      yield* client.request(Requests.Pause, { threadId: 1 })
      assert.include(session.commands(), "pause")
    })
  )

  it.effect("reports a breakpoint as verified when one session has verified it, under one number", () =>
    Effect.gen(function* () {
      const { child, client, event } = yield* startAdapter()
      const set = { source: { path: "/p.js" }, breakpoints: [{ line: 4 }, { line: 9 }] }
      const { breakpoints } = yield* client.request(Requests.SetBreakpoints, set)
      assert.deepStrictEqual(
        breakpoints.map(({ verified }) => verified),
        [false, false]
      )
      yield* child()
      const second = yield* child()
      yield* second.event("breakpoint", { reason: "changed", breakpoint: { id: 2, verified: true, line: 10 } })
      const changed = field(yield* event("breakpoint"), "breakpoint")
      assert.deepInclude(changed, { id: breakpoints[1]?.id, verified: true, line: 10 })
      yield* second.event("stopped", { ...stop, hitBreakpointIds: [2] })
      assert.deepStrictEqual(field(yield* event("stopped"), "hitBreakpointIds"), [breakpoints[1]?.id])
    })
  )

  it.effect("repeats the last answer of a list if a session answers the unchanged list with nothing", () =>
    Effect.gen(function* () {
      const { child, client } = yield* startAdapter()
      let times = 0
      const once: Answers = {
        setBreakpoints: (args) => ({
          breakpoints: times++ === 0 ? list(args).map(({ line }) => ({ id: 7, verified: true, line })) : []
        })
      }
      yield* child(once)
      const set = client.request(Requests.SetBreakpoints, { source: { path: "/p.js" }, breakpoints: [{ line: 4 }] })
      const first = yield* set
      assert.deepInclude(first.breakpoints[0], { verified: true, line: 4 })
      assert.deepStrictEqual(yield* set, first)
    })
  )

  it.effect("reports no hit breakpoint if a session uses its id for two, and matches their events by line", () =>
    Effect.gen(function* () {
      const { child, client, event } = yield* startAdapter()
      const both: Answers = {
        setBreakpoints: (args) => ({
          breakpoints: list(args).map(({ line }) => ({ id: 1, verified: line === 4, line }))
        })
      }
      const session = yield* child(both)
      const { breakpoints } = yield* client.request(Requests.SetBreakpoints, {
        source: { path: "/p.js" },
        breakpoints: [{ line: 4 }, { line: 9 }]
      })
      yield* session.event("breakpoint", { reason: "changed", breakpoint: { id: 1, verified: true, line: 9 } })
      assert.deepInclude(field(yield* event("breakpoint"), "breakpoint"), { id: breakpoints[1]?.id, line: 9 })
      yield* session.event("stopped", stop)
      assert.deepStrictEqual(field(yield* event("stopped"), "hitBreakpointIds"), [])
    })
  )

  it.effect(
    "has distinct numbers for threads, frames and values of all sessions, and routes each request to its session",
    () =>
      Effect.gen(function* () {
        const { child, client, event } = yield* startAdapter()
        const own = (name: string): Answers => ({
          threads: () => ({ threads: [{ id: 0, name }] }),
          stackTrace: () => ({ stackFrames: [{ id: 0, name, line: 1, column: 1 }] }),
          scopes: () => ({ scopes: [{ name, variablesReference: 1 }] }),
          variables: () => ({ variables: [{ name, value: "1", variablesReference: 0 }] })
        })
        const a = yield* child(own("a"))
        const b = yield* child(own("b"))
        const { threads } = yield* client.request(Requests.Threads)
        assert.deepStrictEqual(
          threads.map(({ id, name }) => [id, name]),
          [
            [1, "a"],
            [2, "b"]
          ]
        )
        yield* b.event("stopped", stop)
        assert.strictEqual(field(yield* event("stopped"), "threadId"), 2)
        yield* a.event("stopped", stop)
        for (const [thread, name] of [
          [2, "b"],
          [1, "a"]
        ] as const) {
          yield* Effect.yieldNow
          const page = { threadId: thread, startFrame: 0, levels: 1 }
          const { stackFrames } = yield* client.request(Requests.StackTrace, page)
          const frameId = stackFrames[0]?.id ?? 0
          const { scopes } = yield* client.request(Requests.Scopes, { frameId })
          const { variablesReference = 0 } = scopes[0] ?? {}
          const { variables } = yield* client.request(Requests.Variables, { variablesReference })
          assert.deepStrictEqual([stackFrames[0]?.name, scopes[0]?.name, variables[0]?.name], [name, name, name])
        }
        assert.deepInclude(b.last("scopes"), { frameId: 0 })
        assert.deepInclude(b.last("variables"), { variablesReference: 1 })
      })
  )

  it.effect("reports stops of several sessions one at a time, without losing one", () =>
    Effect.gen(function* () {
      const { child, client, event, names } = yield* startAdapter()
      const sessions = [yield* child(), yield* child(), yield* child()] as const
      for (const session of sessions) yield* session.event("stopped", stop)
      const seen: Array<number> = []
      for (const _ of sessions) {
        const threadId = number(field(yield* event("stopped"), "threadId"))
        assert.notInclude(names(), "stopped")
        seen.push(threadId)
        yield* client.request(Requests.Continue, { threadId })
      }
      assert.strictEqual(new Set(seen).size, 3)
      assert.deepStrictEqual(
        sessions.map((session) => session.commands().filter((command) => command === "continue").length),
        [1, 1, 1]
      )
    })
  )

  it.effect("reports a thread that runs during a stop as running: no frames, no step, no continued event", () =>
    Effect.gen(function* () {
      const { child, client, event, names } = yield* startAdapter()
      const threads = (name: string): Answers => ({ threads: () => ({ threads: [{ id: 0, name }] }) })
      const runs = yield* child(threads("runs"))
      const stopped = yield* child(threads("stopped"))
      yield* client.request(Requests.Threads)
      yield* stopped.event("stopped", stop)
      yield* event("stopped")
      yield* runs.event("continued", { threadId: 0 })
      assert.deepStrictEqual([client.isRunning(1), client.isRunning(2)], [true, false])
      const page = { threadId: 1, startFrame: 0, levels: 1 }
      assert.deepStrictEqual((yield* client.request(Requests.StackTrace, page)).stackFrames, [])
      const refused = yield* Effect.flip(client.request(Requests.Next, { threadId: 1 }))
      assert(refused instanceof Errors.RequestFailed)
      assert.strictEqual(refused.code, "notStopped")
      assert.notInclude(names(), "continued")
    })
  )

  it.effect("is paused and resumed as a whole", () =>
    Effect.gen(function* () {
      const { child, client, event } = yield* startAdapter()
      const sessions = [yield* child(), yield* child()] as const
      yield* client.request(Requests.Pause, { threadId: 0 })
      for (const session of sessions) yield* session.event("stopped", { reason: "pause", threadId: 0 })
      const shown = yield* event("stopped")
      assert.isUndefined(field(shown, "preserveFocusHint"))
      assert.isTrue(field(yield* event("stopped"), "preserveFocusHint"))
      yield* client.request(Requests.Continue, { threadId: number(field(shown, "threadId")) })
      for (const session of sessions) {
        while (!session.commands().includes("continue")) yield* Effect.yieldNow
      }
    })
  )

  it.effect("resumes a session that stops for a pause sent before the last resume", () =>
    Effect.gen(function* () {
      const { child, client, event, names } = yield* startAdapter()
      const quick = yield* child()
      const idle = yield* child()
      yield* client.request(Requests.Pause, { threadId: 0 })
      yield* quick.event("stopped", { reason: "pause", threadId: 0 })
      yield* client.request(Requests.Continue, { threadId: number(field(yield* event("stopped"), "threadId")) })
      yield* idle.event("stopped", { reason: "pause", threadId: 0 })
      while (!idle.commands().includes("continue")) yield* Effect.yieldNow
      assert.notInclude(names(), "stopped")
    })
  )

  it.effect("continues when a child ends, with the queued stop, and ends with its first session", () =>
    Effect.gen(function* () {
      const { child, client, event, names, root } = yield* startAdapter()
      const first = yield* child()
      const second = yield* child()
      yield* first.event("stopped", stop)
      yield* event("stopped")
      yield* second.event("stopped", { ...stop, reason: "exception" })
      yield* first.event("terminated")
      assert.strictEqual(field(yield* event("stopped"), "reason"), "exception")
      assert.include(first.commands(), "disconnect")
      assert.notInclude(names(), "terminated")
      yield* root.event("terminated")
      yield* event("terminated")
      yield* root.end
      assert.strictEqual((yield* client.closed).reason, "ended")
    })
  )

  it.effect("keeps its children connected until later finalizers of the scope have run", () =>
    Effect.gen(function* () {
      const session = yield* Effect.scoped(
        Effect.gen(function* () {
          const { child } = yield* startAdapter()
          const own = yield* child()
          yield* Effect.addFinalizer(() =>
            Effect.gen(function* () {
              yield* own.event("terminated")
              while (!own.commands().includes("disconnect")) yield* Effect.yieldNow
            })
          )
          return own
        })
      )
      assert.strictEqual(session.commands().at(-1), "disconnect")
    })
  )

  it.effect("gets an error response if a child cannot be connected", () =>
    Effect.gen(function* () {
      const root = yield* answering()
      const client = yield* ChildSessions.make({
        transport: root.transport,
        connect: Effect.fail(new Errors.TransportError({ reason: "failed", detail: "connection refused" })),
        onEvent: () => {}
      })
      yield* client.request(Requests.Initialize, { adapterID: "x" })
      const answer = yield* root.reverse("startDebugging", { request: "launch", configuration: {} })
      assert.deepInclude(answer, { success: false, message: "no connection for a child: connection refused" })
      const other = yield* root.reverse("runInTerminal", { args: [] })
      assert.deepInclude(other, { success: false, message: "unknown request: runInTerminal" })
    })
  )

  it.effect("reports a child that fails to start and continues without it", () =>
    Effect.gen(function* () {
      const { child, client, event } = yield* startAdapter()
      yield* Effect.forkChild(child({ launch: () => "refused" }))
      assert.match(String(field(yield* event("output"), "output")), /a child session cannot start: launch failed/)
      assert.deepStrictEqual((yield* client.request(Requests.Threads)).threads, [])
    })
  )
})
