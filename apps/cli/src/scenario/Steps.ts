/**
 * What a step of a scenario does: a command line, a shell's line, or a question that is put as a command line; and of its
 * answer the part that an expectation is most likely about.
 */
import { Field } from "@sigtrap/protocol"
import { Effect, Predicate } from "effect"
import * as Commands from "../grammar/Commands.ts"
import * as Expectation from "./Expectation.ts"
import { both, document, shell, type World } from "./CommandLines.ts"
import * as Scenario from "./Scenario.ts"
import * as Snapshots from "./Snapshots.ts"

/** What came of a step. */
export interface Ran {
  readonly exit: number
  /** What named parts of an expectation are looked up in. */
  readonly value: unknown
  /** The part that a plain expectation means. */
  readonly main: unknown
  /** What a comparison may be about as well. */
  readonly other?: unknown
  /** Things that an expectation may name one by one: variables by name, frames in their order. */
  readonly parts?: ReadonlyArray<unknown>
  /** Size of the answer. */
  readonly bytes: number
  readonly text: string
}

/** A list, empty for what is none. */
export const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** A field of what may be an object. */
export const part = (value: unknown, key: string): unknown =>
  Predicate.isReadonlyObject(value) ? value[key] : undefined

const record = (value: unknown): { readonly [key: string]: unknown } => (Predicate.isReadonlyObject(value) ? value : {})

/** The parts of a stop that are asked for most, where the answer has no others of these names. */
const place = (data: unknown) => {
  const location = record(part(data, "location"))
  return Object.fromEntries(
    ["function", "file", "line", "column"].flatMap((key) => (location[key] === undefined ? [] : [[key, location[key]]]))
  )
}

/** Everything an expectation can name in an answer. */
const named = (doc: { readonly [key: string]: unknown }, exit: number, more: object = {}) => {
  const data = record(doc["data"])
  const code = part(doc["error"], "code")
  const thread = part(data["thread"], "id")
  const signal = /\bSIG[A-Z\d]+/.exec(String(data["reason"] === "signal" ? data["description"] : ""))?.[0]
  return {
    ...place(data),
    exit_code: exit,
    ...(thread === undefined ? {} : { thread_id: thread }),
    ...(signal === undefined ? {} : { signal }),
    ...data,
    ...doc,
    exit,
    success: exit === 0,
    ...(code === undefined ? {} : { code }),
    ...more
  }
}

/** Puts a question; `main` is the part that a plain expectation means. */
const ask = Effect.fnUntraced(function* (
  world: World,
  argv: ReadonlyArray<string>,
  main: (data: unknown) => unknown,
  more: (data: unknown) => object = () => ({})
) {
  const { answered, written } = yield* both(world, argv)
  const { doc, exit, text } = answered
  const data = doc["data"]
  const said = `${written.stdout}${written.stderr}` || text
  // Of a question that failed, what it was answered is why.
  const value = exit === 0 ? more(data) : { text: said, value: said }
  const ran: Ran = {
    exit,
    value: named(doc, exit, value),
    main: exit === 0 ? main(data) : said,
    bytes: Buffer.byteLength(written.stdout),
    text: said
  }
  return ran
})

/** Carries out a command line. */
export const command = Effect.fnUntraced(function* (argv: ReadonlyArray<string>, world: World) {
  const { answered, written } = yield* both(world, argv)
  const { doc, exit } = answered
  const text = written.stdout + written.stderr
  const ran: Ran = {
    exit,
    value: named(doc, exit, { text, stdout: written.stdout, stderr: written.stderr }),
    main: text,
    other: doc,
    bytes: Buffer.byteLength(written.stdout),
    text
  }
  return ran
})

const option = (name: string, value: unknown): ReadonlyArray<string> =>
  value === undefined ? [] : [`--${name}`, String(value)]

/** What events are called by those who wait for them. */
const events: { readonly [word: string]: { readonly event: string; readonly reason?: string | undefined } } = {
  stop: { event: "stopped" },
  exit: { event: "exited" },
  end: { event: "exited" },
  terminate: { event: "exited" },
  terminated: { event: "exited" },
  ...Object.fromEntries(["stopped", "exited", "running", "detached", "loaded"].map((event) => [event, { event }]))
}

const wait = Effect.fnUntraced(function* (
  asked: NonNullable<Scenario.Step["await"]>,
  world: World,
  within: string | undefined
) {
  const timeout = asked.timeout === undefined ? within : durationOf(asked.timeout)
  const event = asked.event === "running" ? "state:running" : asked.event
  const special = event !== undefined && /^(?:output|breakpoint|state):/.test(event)
  const argv = ["wait", ...option("timeout", timeout), ...option("for", special ? event : undefined)]
  const ran = yield* ask(world, argv, (data) => part(data, "event"))
  const named = asked.event ?? asked.reason
  if (ran.exit !== 0 || named === undefined || special) return ran
  // Any other word is why it stopped.
  const wanted = events[named] ?? { event: "stopped", reason: named }
  const reason = asked.reason !== undefined && events[asked.reason]?.event !== "exited" ? asked.reason : wanted.reason
  const came = part(part(ran.value, "data"), "reason")
  const right = wanted.event === ran.main && (reason === undefined || Expectation.same(reason, came, "reason"))
  if (right) return ran
  const expected = [wanted.event, ...(reason === undefined ? [] : [`by ${reason}`])].join(" ")
  const failed: Ran = {
    ...ran,
    exit: 1,
    text: `expected ${expected}, but it ${String(ran.main)} ${String(came ?? "")}\n${ran.text}`
  }
  return failed
})

/** A duration as the command line takes it. A bare number is seconds, but nobody means 50 of them: from there milliseconds. */
const durationOf = (value: string | number): string => {
  const text = String(value)
    .replaceAll(/\s/g, "")
    .replace(/(?:sec|seconds?)$/, "s")
    .replace(/(?:msecs?|milliseconds?|millis)$/, "ms")
  return /^\d+(?:\.\d+)?$/.test(text) && Number(text) >= 50 ? `${text}ms` : text
}

const sleep = Effect.fnUntraced(function* (asked: NonNullable<Scenario.Step["sleep"]>) {
  const { duration, ms, seconds } = asked
  const millis = ms ?? (seconds === undefined ? Field.millis(durationOf(duration ?? 0)) : seconds * 1000)
  yield* Effect.sleep(Math.min(millis, 60_000))
  const ran: Ran = { exit: 0, value: { exit: 0, ms: millis }, main: millis, bytes: 0, text: "" }
  return ran
})

const shellLine = Effect.fnUntraced(function* (asked: NonNullable<Scenario.Step["shell"]>, world: World) {
  const { exit, stderr, stdout } = yield* shell(asked.line, world, asked)
  const value = { exit, exit_code: exit, success: exit === 0, stdout, stderr, text: stdout + stderr }
  const ran: Ran = {
    exit,
    value,
    main: stdout,
    other: stdout + stderr,
    bytes: Buffer.byteLength(stdout),
    text: stdout + stderr
  }
  return ran
})

const locals = Effect.fnUntraced(function* (asked: NonNullable<Scenario.Step["inspect_locals"]>, world: World) {
  const names = typeof asked.names === "string" ? Scenario.words(asked.names) : (asked.names ?? [])
  const { depth, frame, thread } = asked
  const argv = ["locals", ...names, ...option("frame", frame), ...option("thread", thread), ...option("depth", depth)]
  const variables = (data: unknown) => list(part(data, "variables"))
  const values = (data: unknown) =>
    Object.fromEntries(variables(data).map((variable) => [String(part(variable, "name")), part(variable, "value")]))
  const ran = yield* ask(world, argv, values, (data) => ({ names: Object.keys(values(data)) }))
  const found: Ran = { ...ran, parts: variables(part(ran.value, "data")) }
  return found
})

const stack = Effect.fnUntraced(function* (asked: NonNullable<Scenario.Step["inspect_stack"]>, world: World) {
  const argv = ["backtrace", ...option("thread", asked.thread), ...option("limit", asked.limit)]
  const frames = (data: unknown) => list(part(data, "frames"))
  const functions = (data: unknown) => frames(data).map((frame) => part(frame, "function"))
  const ran = yield* ask(world, argv, functions, (data) => ({
    functions: functions(data),
    depth: frames(data).length,
    count: frames(data).length,
    top: functions(data)[0],
    ...record(frames(data)[0])
  }))
  const found: Ran = { ...ran, parts: frames(part(ran.value, "data")) }
  return found
})

const memory = Effect.fnUntraced(function* (asked: NonNullable<Scenario.Step["inspect_memory"]>, world: World) {
  const argv = ["memory", "read", String(asked.address), ...option("count", asked.count)]
  const bytes = (data: unknown) => [...Buffer.from(String(part(data, "data") ?? ""), "base64")]
  const hex = (data: unknown) => bytes(data).map((byte) => byte.toString(16).padStart(2, "0"))
  return yield* ask(
    world,
    argv,
    (data) => hex(data).join(" "),
    (data) => ({
      hex: hex(data).join(" "),
      bytes: bytes(data),
      ascii: String.fromCodePoint(...bytes(data).map((byte) => (byte >= 32 && byte < 127 ? byte : 46))),
      text: Buffer.from(bytes(data)).toString("utf8").replace(/\0.*$/s, "")
    })
  )
})

const output = Effect.fnUntraced(function* (asked: NonNullable<Scenario.Step["check_output"]>, world: World) {
  const channel = (name: string) => (data: unknown) =>
    list(part(data, "entries"))
      .filter((entry) => part(entry, "channel") === name)
      .map((entry) => String(part(entry, "text") ?? ""))
      .join("")
  return yield* ask(
    world,
    ["output", ...option("channel", asked.channel)],
    (data) => part(data, "text"),
    (data) => ({ stdout: channel("stdout")(data), stderr: channel("stderr")(data) })
  )
})

const breakpoints = Effect.fnUntraced(function* (asked: NonNullable<Scenario.Step["check_breakpoints"]>, world: World) {
  const all = (data: unknown) =>
    list(part(data, "breakpoints"))
      .filter((each) => asked.id === undefined || part(each, "id") === asked.id)
      .map((each) => {
        const first = record(list(part(each, "locations"))[0])
        return {
          ...first,
          location: part(part(each, "requested"), "text"),
          ...record(each),
          hits: part(each, "hit_count"),
          verified: part(each, "resolved")
        }
      })
  const ran = yield* ask(
    world,
    ["breakpoint", "list"],
    (data) => all(data).length,
    (data) => ({
      ...(asked.id === undefined ? {} : all(data)[0]),
      count: all(data).length,
      total: all(data).length,
      breakpoints: all(data)
    })
  )
  const found: Ran = { ...ran, parts: all(part(ran.value, "data")) }
  return found
})

const threads = Effect.fnUntraced(function* (world: World) {
  const all = (data: unknown) => list(part(data, "threads"))
  const ran = yield* ask(
    world,
    ["threads"],
    (data) => all(data).length,
    (data) => ({ count: all(data).length })
  )
  const found: Ran = { ...ran, parts: all(part(ran.value, "data")) }
  return found
})

const state = Effect.fnUntraced(function* (asked: NonNullable<Scenario.Step["check_state"]>, world: World) {
  const ran = yield* ask(
    world,
    ["status"],
    (data) => part(data, "state"),
    () => ({})
  )
  const wanted = asked.state === undefined ? undefined : (events[asked.state]?.event ?? asked.state)
  if (wanted === undefined || wanted === ran.main) return ran
  const failed: Ran = { ...ran, exit: 1, text: `expected ${wanted}, but it is ${String(ran.main)}` }
  return failed
})

const evaluate = Effect.fnUntraced(function* (asked: NonNullable<Scenario.Step["evaluate"]>, world: World) {
  const value = (data: unknown) => part(data, "value") ?? list(part(data, "values"))[0]
  const given = [...option("frame", asked.frame), ...option("format", asked.format), "--", asked.expression]
  const put = (command: string) =>
    ask(
      world,
      [command, ...given],
      (data) => part(value(data), "value"),
      (data) => record(value(data))
    )
  const ran = yield* put("print")
  // What `print` does not do since it may change the program, it says how to do.
  const hint = String(part(part(ran.value, "error"), "hint") ?? "")
  return hint.startsWith("sigtrap eval ") ? yield* put("eval") : ran
})

/** Carries out one step. It never fails: what goes wrong is its exit code and text. */
export const carryOut = Effect.fnUntraced(function* (step: Scenario.Step, world: World, shots: Snapshots.Snapshots) {
  const within = step.timeout === undefined ? undefined : durationOf(step.timeout)
  if (step.shell !== undefined) return yield* shellLine(step.shell, world)
  if (step.command !== undefined) {
    const argv = Scenario.lineOf(step.command)
    const known = Commands.resolve(argv)?.command
    const waits = within !== undefined && known?.options.some(({ field }) => field === "timeout") === true
    return yield* command(waits ? [argv[0] ?? "", ...option("timeout", within), ...argv.slice(1)] : argv, world)
  }
  if (step.evaluate !== undefined) return yield* evaluate(step.evaluate, world)
  if (step.await !== undefined) return yield* wait(step.await, world, within)
  if (step.inspect_locals !== undefined) return yield* locals(step.inspect_locals, world)
  if (step.inspect_stack !== undefined) return yield* stack(step.inspect_stack, world)
  if (step.inspect_threads !== undefined) return yield* threads(world)
  if (step.inspect_memory !== undefined) return yield* memory(step.inspect_memory, world)
  if (step.check_output !== undefined) return yield* output(step.check_output, world)
  if (step.check_breakpoints !== undefined) return yield* breakpoints(step.check_breakpoints, world)
  if (step.sleep !== undefined) return yield* sleep(step.sleep)
  if (step.snapshot !== undefined || step.diff !== undefined) {
    const questions = yield* Effect.forEach(Snapshots.questions, (argv) => document(world, argv))
    const shot = Snapshots.make(questions)
    const { exit, main, text, value } =
      step.diff === undefined ? shots.take(step.snapshot?.name, shot) : shots.diff(step.diff, shot)
    const ran: Ran = { exit, main, value: { exit, ...record(value) }, bytes: Buffer.byteLength(text), text }
    return ran
  }
  return yield* state(step.check_state ?? {}, world)
})
