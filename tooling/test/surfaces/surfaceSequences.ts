/**
 * Random operations of an agent over MCP, a command line and an HTTP client on one session, each through its real surface.
 *
 * For each client there is a second session in which only that client reads, and all resumes and changes are repeated. If the
 * answers of a client are the same in both sessions, what the others read has changed nothing for it.
 */
import { assert } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { randomOf } from "../../soak/Random.ts"
import { type Call, type Fields, type Name, names, record, type Surfaces } from "./realSurfaces.ts"

const reads: ReadonlyArray<Call> = [
  { tag: "context", input: {} },
  { tag: "context", input: { sections: ["output"] } },
  { tag: "locals", input: {} },
  { tag: "locals", input: { changed: true } },
  { tag: "print", input: { expressions: ["n", "total", "i"] } },
  { tag: "backtrace", input: {} },
  { tag: "output", input: { tail: 5 } },
  { tag: "output", input: { new: true } },
  { tag: "output", input: { new: true, limit: 7 } },
  { tag: "output", input: { tail: 2 } },
  { tag: "changed", input: {} },
  { tag: "up", input: {} },
  { tag: "down", input: {} },
  { tag: "frame", input: {} },
  { tag: "frame", input: { index: "1" } },
  { tag: "threads", input: {} },
  { tag: "status", input: {} },
  { tag: "ask.list", input: {} },
  { tag: "control.show", input: {} }
]

const resumes: ReadonlyArray<Call> = [
  { tag: "next", input: {} },
  { tag: "next", input: { count: 2 } },
  { tag: "step", input: {} },
  { tag: "finish", input: {} },
  { tag: "continue", input: {} }
]

const changesIn = (source: string): ReadonlyArray<Call> => [
  { tag: "break", input: { at: `${source}:3` } },
  { tag: "break", input: { at: `${source}:11` } },
  { tag: "breakpoint.toggle", input: { ids: [2] } },
  { tag: "breakpoint.remove", input: { ids: [3] } }
]

/** Fields that number or time things, which depend on all calls of a session, and those that name the caller or the session. */
const incomparable = new Set(
  (
    "ref seq next next_offset previous previous_offset offset time elapsed_ms age_s idle_s uptime_s pid session clients lease " +
    "since hint hints driver command began_by actor by more message"
  ).split(" ")
)

/** Fields that differ between two processes of one program. */
const ofProcess = new Set("thread tid id threads".split(" "))

const comparable = (envelope: Fields, isReal: boolean): string =>
  JSON.stringify(envelope, (key, field) =>
    incomparable.has(key) || (isReal && ofProcess.has(key)) ? undefined : field
  )

const sessionsOf = ["shared", ...names.map((name) => `alone-${name}`)]

/** Operations without a session. */
const free = new Set<string>(["ask.list"])

/** What is run: the clients, the random numbers, and how the sessions are started. */
export interface Sequence {
  readonly surfaces: Surfaces
  readonly seed: number
  readonly count: number
  /** The debugger's backend, for a real program. */
  readonly backend?: string
  /** The source file of the program. */
  readonly source: string
}

const run = Effect.fnUntraced(function* ({ backend, count, seed, source, surfaces }: Sequence) {
  const { call, observe, program } = surfaces
  const changes = changesIn(source)
  const isReal = backend !== undefined
  const random = randomOf(seed)
  const choose = <A>(all: ReadonlyArray<A>): A => all[Math.floor(random() * all.length)] ?? assert.fail("empty")
  const everywhere = (name: Name, one: Call) =>
    Effect.forEach(sessionsOf, (session) => call(name, session, one), { concurrency: "unbounded" })
  for (const session of sessionsOf) {
    const started = yield* call("cli", session, {
      tag: "start",
      input: { program, break: ["square"], ...(isReal ? { backend } : {}) }
    })
    assert.strictEqual(started["ok"], true, JSON.stringify(started))
  }
  for (const name of names) yield* everywhere(name, { tag: "context", input: {} })
  const lines = yield* observe({ sessions: true, follow: [{ session: "shared", since: 1 }] })
  const moved: Array<number> = []
  let stop = 1
  for (let index = 0; index < count; index++) {
    const name = choose(names)
    const kind = random()
    const reading = kind < 0.7
    const one = choose(reading ? reads : kind < 0.95 ? resumes : changes)
    const others = reading ? [`alone-${name}`] : names.map((other) => `alone-${other}`)
    const [shared = {}, ...alone] = yield* Effect.forEach(
      ["shared", ...others],
      (session) => (free.has(one.tag) ? call(name, "shared", { tag: "threads", input: {} }) : call(name, session, one)),
      { concurrency: "unbounded" }
    )
    const single = alone[others.indexOf(`alone-${name}`)] ?? {}
    const where = `seed ${seed}, operation ${index}: ${name} ${one.tag} ${JSON.stringify(one.input)}`
    assert.strictEqual(comparable(shared, isReal), comparable(single, isReal), where)
    const { state, stop: now } = shared
    if (!reading && state === "stopped" && Number(now) > stop) {
      stop = Number(now)
      moved.push(stop)
    }
    if (state === "exited" || record(shared["error"])["code"] === "NOT_STOPPED" || shared["ok"] === false) {
      const status = yield* call("cli", "shared", { tag: "status", input: {} })
      if (status["state"] === "exited") {
        yield* everywhere("cli", { tag: "restart", input: {} })
        stop = Math.max(stop, Number((yield* call("cli", "shared", { tag: "status", input: {} }))["stop"]))
      }
    }
  }
  return { lines, moved }
})

/** Reads an answer of `events`. */
const eventsIn = (answer: Fields) => {
  const { events, next } = record(answer["data"])
  return {
    events: Array.isArray(events) ? events.map(record) : assert.fail(JSON.stringify(answer)),
    next: Number(next)
  }
}

/** Reads the events of the shared session before a number, as a surface shows them. */
const eventsOf = Effect.fnUntraced(function* ({ call }: Surfaces, name: Name, end: number) {
  const seen: Array<string> = []
  for (let since = 1; since < end;) {
    const { events, next } = eventsIn(yield* call(name, "shared", { tag: "events", input: { since, limit: 500 } }))
    for (const { kind, seq, stop } of events) {
      // Reading is an event of its own, and pieces of output are joined.
      if (kind !== "acted" && kind !== "output" && Number(seq) < end) seen.push(`${seq} ${kind} #${stop}`)
    }
    assert.isAbove(next, since)
    since = next
  }
  return seen
})

/** The kinds of `events`, by the tags of the stream. */
const kinds: { readonly [tag: string]: string } = {
  Starting: "starting",
  Process: "process",
  Resumed: "resumed",
  ResumeRefused: "refused",
  Continued: "continued",
  Stopped: "stopped",
  Exited: "exited",
  Terminated: "terminated",
  BreakpointChanged: "breakpoint"
}

/** Runs a sequence and checks what each client was shown. */
export const check = (sequence: Sequence) =>
  Effect.gen(function* () {
    const { count, surfaces } = sequence
    const { lines, moved } = yield* run(sequence)
    const { next: end } = eventsIn(yield* surfaces.call("http", "shared", { tag: "events", input: { limit: 1 } }))
    const seen = yield* Effect.forEach(names, (name) => eventsOf(surfaces, name, end))
    // The journal keeps the newest events; reading adds some and drops as many of the oldest.
    const common = Math.min(...seen.map(({ length }) => length))
    const [first = [], ...others] = seen.map((each) => each.slice(-common))
    for (const other of others) assert.deepStrictEqual(other, first, "each surface shows the same events")
    const last = first.at(-1)
    const streamed = () =>
      lines.flatMap((line) => {
        if (line["type"] !== "event" || line["session"] !== "shared") return []
        const kind = kinds[String(record(line["event"])["_tag"])]
        return kind === undefined ? [] : [`${line["seq"]} ${kind} #${line["stop"]}`]
      })
    yield* Effect.repeat(
      Effect.sync(() => streamed().at(-1) === last),
      { until: (isThere) => isThere, schedule: Schedule.spaced("50 millis"), times: 200 }
    )
    assert.deepStrictEqual(
      lines.filter(({ type }) => type === "gap"),
      []
    )
    const all = streamed()
    // The journal keeps the newest events only; the stream had every one.
    assert.deepStrictEqual(all.slice(-first.length), first)
    const stops = lines.flatMap((line) =>
      record(line["event"])["_tag"] === "Stopped" && record(line["event"])["focus"] === true
        ? [Number(line["stop"])]
        : []
    )
    assert.deepStrictEqual(
      stops,
      stops.map((_, index) => index + 1),
      "no stop is lost"
    )
    assert.includeMembers(stops, moved)
    assert.isAbove(moved.length, count / 20)
  })
