/**
 * Random operations of three clients on one session: an agent over MCP, a person at a terminal, a client over HTTP.
 *
 * For each client there is a second session in which only that client reads, and all resumes and changes are repeated. If the
 * answers of a client are the same in both sessions, what the others read has changed nothing for it.
 */
import { assert } from "@effect/vitest"
import { Caller, Client, Errors, Feed, Methods, Operations, Payload } from "@sigtrap/protocol"
import { Effect, Exit, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { SessionFeed } from "../../src/index.ts"
import { Behaviour, FakeBackend, SimulatedProgram } from "../../src/testing/index.ts"
import { manager } from "../support.ts"

const clients = {
  mcp: { kind: "mcp", name: "agent" },
  cli: { kind: "cli", name: "pts/3", person: true },
  http: { kind: "http", name: "observer" }
} as const satisfies { readonly [name: string]: Caller.Actor }
type Name = keyof typeof clients
const names = ["mcp", "cli", "http"] as const

/** A program with a loop that the operations do not reach the end of at once. */
const loop: SimulatedProgram.Program = {
  ...SimulatedProgram.sample,
  moments: [
    ...SimulatedProgram.sample.moments.slice(0, 1),
    ...Array.from({ length: 60 }, () => SimulatedProgram.sample.moments.slice(1, -1)).flat(),
    ...SimulatedProgram.sample.moments.slice(-1)
  ]
}

/** Returns numbers from 0 to 1 that depend on the seed only (mulberry32). */
const randomOf = (seed: number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

type Input = { readonly [field: string]: unknown }

/** An operation with its input. */
interface Operation {
  readonly tag: Operations.Tag
  readonly input: Input
}

const reads: ReadonlyArray<Operation> = [
  { tag: "context", input: {} },
  { tag: "context", input: { sections: ["output"] } },
  { tag: "locals", input: {} },
  { tag: "locals", input: { changed: true } },
  { tag: "print", input: { expressions: ["n", "total", "i"] } },
  { tag: "backtrace", input: {} },
  { tag: "output", input: {} },
  { tag: "output", input: { new: true } },
  { tag: "output", input: { new: true, limit: 7 } },
  { tag: "output", input: { tail: 2 } },
  { tag: "changed", input: {} },
  { tag: "up", input: {} },
  { tag: "down", input: {} },
  { tag: "frame", input: {} },
  { tag: "frame", input: { index: "1" } },
  { tag: "source", input: {} },
  { tag: "threads", input: {} },
  { tag: "status", input: {} }
]

const resumes: ReadonlyArray<Operation> = [
  { tag: "next", input: {} },
  { tag: "next", input: { count: 2 } },
  { tag: "step", input: {} },
  { tag: "finish", input: {} },
  { tag: "continue", input: {} }
]

const changes: ReadonlyArray<Operation> = [
  { tag: "break", input: { at: "app.c:3", directory: "/src" } },
  { tag: "break", input: { at: "app.c:11", directory: "/src" } },
  { tag: "breakpoint.toggle", input: { ids: [2] } },
  { tag: "breakpoint.remove", input: { ids: [3] } }
]

/** Fields that number or time things, which depend on all calls of a session. */
const incomparable = new Set(
  "ref seq next next_offset previous previous_offset offset time elapsed_ms age_s idle_s pid session clients lease since hints driver".split(
    " "
  )
)

const comparable = (value: unknown): string =>
  JSON.stringify(value, (key, field) => (incomparable.has(key) ? undefined : field))

/** Runs a call as a client. */
const as = <A, E, R>(name: Name, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(work, Caller.Current, { actor: clients[name], allowance: Caller.everything })

/** Calls an operation as a client and returns what can be compared of the answer. */
const act = Effect.fnUntraced(function* (name: Name, session: string, { input, tag }: Operation) {
  const operation = Operations.byTag(tag)
  const payload = yield* Effect.orDie(Payload.decode(operation, { session, ...input }))
  const client = yield* Client.Client
  const exit = yield* Effect.exit(as(name, client.callAny(operation, payload)))
  if (Exit.isSuccess(exit)) {
    const { data, state, stop } = exit.value
    return { state, stop: stop ?? 0, text: comparable({ data, state, stop }) }
  }
  const error = Exit.findErrorOption(exit)
  if (error._tag === "None") return yield* Effect.failCause(exit.cause).pipe(Effect.orDie)
  return { state: "none", stop: 0, text: Errors.meta(error.value).code }
})

/** Returns the operations as methods of a client. */
const methodsOf = (name: Name) =>
  Effect.map(Client.Client, (client) =>
    Methods.make(
      {
        call: (tag, payload) => as(name, client.call(tag, payload)),
        callAny: (operation, payload) => as(name, client.callAny(operation, payload))
      },
      { directory: "/src", environment: {} }
    )
  )

/** The events of a session as a client has read them: kinds and stops, by number. */
const reader = Effect.fnUntraced(function* (name: Name, session: string) {
  const methods = yield* methodsOf(name)
  const seen = new Map<number, string>()
  let since = 1
  const read = Effect.gen(function* () {
    const { data } = yield* methods.events({ session, since, limit: 10_000 })
    assert.strictEqual(data.dropped, 0, "events that no client could read")
    for (const { kind, seq, stop } of data.events) if (kind !== "output") seen.set(seq, `${kind} #${stop}`)
    since = data.next
  })
  return { seen, read }
})

/** Observes a session over the stream: its stops, and the numbers of its events. */
const observer = Effect.fnUntraced(function* (session: string) {
  const feed = yield* Feed.Feed
  const stops: Array<number> = []
  const numbers: Array<number> = []
  let gaps = 0
  const fiber = yield* Effect.forkChild(
    Stream.runForEach(feed.lines({ follow: [{ session, since: 1 }] }), (line) =>
      Effect.sync(() => {
        if (line.type === "gap") gaps += line.count
        if (line.type !== "event") return
        numbers.push(line.seq)
        if (line.event._tag === "Stopped" && line.event.focus) stops.push(line.stop)
      })
    ),
    { startImmediately: true }
  )
  const settle = Effect.andThen(TestClock.adjust("60 millis"), Effect.repeat(Effect.yieldNow, { times: 30 }))
  return { stops, numbers, settle, gaps: () => gaps, end: Fiber.interrupt(fiber) }
})

const alone = (name: Name) => `alone-${name}`

/** Runs `count` random operations, and checks after each that the client's answer does not depend on what others read. */
const compared = Effect.fnUntraced(function* (seed: number, count: number) {
  const random = randomOf(seed)
  const choose = <A>(all: ReadonlyArray<A>): A => all[Math.floor(random() * all.length)] ?? assert.fail("empty")
  const sessions = ["shared", ...names.map(alone)]
  const begin: Operation = {
    tag: "start",
    input: { program: "/src/app", break: ["square"], directory: "/src", replace: true }
  }
  const moved: Array<number> = []
  const everywhere = (name: Name, operation: Operation) =>
    Effect.forEach(sessions, (session) => act(name, session, operation))
  yield* everywhere("mcp", begin)
  for (const name of names) yield* everywhere(name, { tag: "context", input: {} })
  const observed = yield* observer("shared")
  const readers = yield* Effect.forEach(names, (name) => reader(name, "shared"))
  let stop = 1
  for (let index = 0; index < count; index++) {
    const name = choose(names)
    const kind = random()
    const reading = kind < 0.7
    const operation = choose(reading ? reads : kind < 0.95 ? resumes : changes)
    const shared = yield* act(name, "shared", operation)
    for (const other of names) {
      if (reading && other !== name) continue
      const single = yield* act(name, alone(other), operation)
      if (other === name)
        assert.strictEqual(shared.text, single.text, `seed ${seed}, ${index}: ${name} ${operation.tag}`)
    }
    if (!reading && shared.state === "stopped" && operation.tag !== "break" && shared.stop > stop) {
      assert.strictEqual(shared.stop > stop, true)
      stop = shared.stop
      moved.push(stop)
    }
    if (shared.state === "exited") {
      yield* everywhere("cli", { tag: "restart", input: {} })
      stop = Math.max(stop, (yield* act("cli", "shared", { tag: "status", input: {} })).stop)
    }
    if (index % 100 === 99) {
      yield* observed.settle
      for (const { read } of readers) yield* read
    }
  }
  yield* observed.settle
  for (const { read } of readers) yield* read
  yield* observed.settle
  return { observed, readers, moved }
})

/** Runs rounds in which all clients resume at the same moment, and returns the stops that their answers name. */
const crossing = Effect.fnUntraced(function* (seed: number, rounds: number) {
  const random = randomOf(seed)
  const moved: Array<number> = []
  const start: Operation = {
    tag: "start",
    input: { program: "/src/app", break: ["square"], directory: "/src", replace: true }
  }
  yield* act("mcp", "crossing", start)
  const observed = yield* observer("crossing")
  for (let round = 0; round < rounds; round++) {
    const now = yield* act("cli", "crossing", { tag: "status", input: {} })
    if (now.state !== "stopped") {
      yield* act("cli", "crossing", { tag: "restart", input: {} })
      continue
    }
    const guarded = random() < 0.5
    const answers = yield* Effect.forEach(
      names,
      (name) =>
        act(name, "crossing", {
          tag: resumes[Math.floor(random() * 3)]?.tag ?? "next",
          input: guarded ? { at_stop: now.stop } : {}
        }),
      { concurrency: "unbounded" }
    )
    const stops = answers.flatMap((answer) => (answer.state === "stopped" ? [answer.stop] : []))
    const ended = answers.some(({ state }) => state === "exited")
    if (guarded && !ended) assert.deepStrictEqual(stops, [now.stop + 1], `seed ${seed}, round ${round}`)
    assert.strictEqual(new Set(stops).size, stops.length, "two answers with the same stop")
    moved.push(...stops.toSorted((a, b) => a - b))
  }
  yield* observed.settle
  return { observed, moved }
})

/** Checks sequences of `count` operations. */
export const check = (seed: number, count: number) =>
  Effect.gen(function* () {
    const { moved, observed, readers } = yield* compared(seed, count)
    const [first, ...others] = readers.map(({ seen }) => [...seen])
    const common = Math.min(...readers.map(({ seen }) => seen.size))
    for (const other of others) assert.deepStrictEqual(other.slice(0, common), first?.slice(0, common))
    assert.strictEqual(observed.gaps(), 0)
    assert.deepStrictEqual(
      observed.numbers,
      observed.numbers.toSorted((a, b) => a - b)
    )
    // Every stop, once and in order, with those of the answers among them.
    assert.deepStrictEqual(
      observed.stops,
      observed.stops.map((_, index) => index + 1)
    )
    assert.includeMembers(observed.stops, moved)
    assert.isAbove(moved.length, count / 20)
    yield* observed.end

    const crossed = yield* crossing(seed, count / 20)
    assert.deepStrictEqual(
      crossed.observed.stops,
      crossed.observed.stops.map((_, index) => index + 1)
    )
    assert.includeMembers(crossed.observed.stops, crossed.moved)
    yield* crossed.observed.end
  }).pipe(
    Effect.provide(
      SessionFeed.layer("1.2.3").pipe(Layer.provideMerge(manager(FakeBackend.make(loop, Behaviour.plain))))
    ),
    Effect.scoped
  )
