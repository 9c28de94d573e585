/** Shared by the tests of this package: a simulated machine, typed calls, and checks of what is left afterwards. */
import { assert } from "@effect/vitest"
import { Client, Envelope, Errors, Operation, Operations, Payload } from "@sigtrap/protocol"
import { HintCheck } from "@sigtrap/protocol/testing"
import { ByteSize, Deferred, Effect, FileSystem, Layer, Option, Path, PlatformError, Schema, type Scope } from "effect"
import { ChildProcessSpawner } from "effect/process"
import { IntentStore, Ledger, Local, type Processes, Simulators } from "../src/index.ts"
import { Behaviour, DiskReader, FakeBackend, FakeMachine, SimulatedProgram } from "../src/testing/index.ts"

const program = "/src/app"
const source = SimulatedProgram.sample.source.file

/** Makes the information about a file of 100 bytes. */
export const file = (mode: number, type: FileSystem.File.Type = "File"): FileSystem.File.Info => ({
  type,
  mode,
  mtime: Option.none(),
  atime: Option.none(),
  birthtime: Option.none(),
  dev: 0n,
  ino: Option.none(),
  nlink: Option.none(),
  uid: Option.none(),
  gid: Option.none(),
  rdev: Option.none(),
  size: ByteSize.bytes(100),
  blksize: Option.none(),
  blocks: Option.none()
})

const disk: ReadonlyMap<string, FileSystem.File.Info> = new Map([
  [program, file(0o755)],
  [source, file(0o644)],
  ["/src", file(0o755, "Directory")],
  ["/src/sub", file(0o755, "Directory")],
  ["/src/input", file(0o644)],
  ["/dev/null", file(0o666, "CharacterDevice")],
  ["/src/long.c", file(0o644)],
  ["/src/pipe", file(0o644, "FIFO")]
])

/** The text of `/src/long.c`, 2,500 lines. */
const longText = Array.from({ length: 2500 }, (_, index) => `int line_${index + 1};`).join("\n")

const files = FileSystem.layerNoop({
  exists: (path) => Effect.succeed(disk.has(path)),
  stat: (path) => {
    const info = disk.get(path)
    return info === undefined
      ? Effect.fail(
          PlatformError.systemError({ _tag: "NotFound", module: "FileSystem", method: "stat", pathOrDescriptor: path })
        )
      : Effect.succeed(info)
  },
  realPath: (path) => Effect.succeed(path),
  readFileString: (path) => Effect.succeed(path === "/src/long.c" ? longText : SimulatedProgram.sampleText)
})

/** A ledger whose records a test can read. */
export const ledger = (lost: ReadonlyArray<Ledger.Entry> = []) => {
  const entries = new Map<string, Ledger.Entry>()
  return {
    entries,
    layer: Layer.succeed(Ledger.Ledger, {
      write: (entry) =>
        Effect.sync(() => {
          entries.set(entry.name, entry)
          return true
        }),
      remove: (name) => Effect.sync(() => entries.delete(name)),
      lost: Effect.succeed(lost)
    })
  }
}

/** A spawner that starts no programs. */
export const noPrograms = Layer.mock(ChildProcessSpawner.ChildProcessSpawner, {})

/** `Client` and `Manager` over a fake. */
export const manager = (
  fake: FakeBackend.Fake,
  kept: Layer.Layer<Ledger.Ledger> = Ledger.Ledger.layerNone,
  stored: Layer.Layer<IntentStore.IntentStore> = IntentStore.IntentStore.layerNone,
  table = FakeMachine.processes
) =>
  Local.layer.pipe(
    Layer.provide([
      noPrograms,
      fake.layer,
      kept,
      stored,
      table,
      files,
      DiskReader.layer.pipe(Layer.provide(files)),
      Path.layer,
      Simulators.SimulatorAccess.layerNone("testing")
    ])
  )

/** Makes a fake with changed behaviour. */
export const fakeWith = (behaviour: Partial<Behaviour.Behaviour>, program?: SimulatedProgram.Program) =>
  FakeBackend.make(program, { ...Behaviour.plain, ...behaviour })

/** Returns the schema of the orders in which a fake sends answers and events. `turns` bounds how late they are. */
export const eventOrder = (turns: number) =>
  Schema.Struct({
    pace: Schema.Literals(["before the answer", "after the answer"]),
    continued: Schema.Literals(["before the answer", "after the answer", "never"]),
    focus: Schema.Literals(["first", "last"]),
    others: Schema.Literals(["together", "late"]),
    totals: Schema.Boolean,
    turns: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: turns }))
  })

/** Adds to the program of a fake a second thread, which is stopped at each of its stops. */
export const withSecondThread = (fake: FakeBackend.Fake): FakeBackend.Fake => {
  fake.program = {
    ...fake.program,
    threads: [{ id: 1 }, { id: 2 }],
    moments: fake.program.moments.map((moment) => ({ ...moment, others: [2] }))
  }
  return fake
}

/** Runs a test over a fake. */
export const over = <A, E>(
  fake: FakeBackend.Fake,
  test: Effect.Effect<A, E, Layer.Success<ReturnType<typeof manager>> | Scope.Scope>,
  kept?: Layer.Layer<Ledger.Ledger>,
  stored?: Layer.Layer<IntentStore.IntentStore>,
  table?: Layer.Layer<Processes.Processes>
) => Effect.provide(test, manager(fake, kept, stored, table))

/** Calls an operation. Checks that its answer follows its schema and that its error is declared. */
export const ask = <T extends Operations.Tag>(tag: T, input: Operations.PayloadInput<T>) =>
  Effect.gen(function* () {
    const operation = Operations.find(tag) ?? (yield* Effect.die(tag))
    // Decoding forgets the types of an operation; here its tag says what they were.
    const payload = (yield* Effect.orDie(Payload.decode(operation, input))) as Operations.Payload<T>
    return yield* Client.Client.use((client) => client.call(tag, payload))
  }).pipe(
    Effect.tap((answer) => {
      const operation = Operations.find(tag)
      assert.deepStrictEqual(HintCheck.problems(HintCheck.ofAnswer(answer)), [], `hints of ${tag}`)
      return operation === undefined ? Effect.die(tag) : Envelope.success(operation, answer, JSON.stringify)
    }),
    Effect.tapError((error) =>
      Effect.sync(() => {
        const operation = Operations.find(tag)
        const declared = operation === undefined ? [] : Operation.meta(operation).errors.map(Errors.tagOf)
        assert.include(declared, error._tag, `${tag} may not fail with this`)
        assert.deepStrictEqual(HintCheck.ofError(error), [], `hints of ${tag}`)
      })
    )
  )

const report = { timeout: "30s", wait: true, context: "brief", lines: 1 } as const

type Input<T extends Operations.Tag> = Partial<Operations.PayloadInput<T>>

/** The operations with default payloads. */
export const call = {
  start: (input: Input<"start"> = {}) =>
    ask("start", {
      program,
      args: [],
      break: [],
      stop_on_entry: false,
      stop_at_main: false,
      pending: false,
      run: true,
      env: [],
      replace: false,
      directory: "/src",
      ...report,
      ...input
    }),
  connect: (address: string, input: Input<"connect"> = {}) =>
    ask("connect", {
      address,
      break: [],
      pending: false,
      replace: false,
      directory: "/src",
      timeout: "30s",
      context: "brief",
      lines: 1,
      ...input
    }),
  recover: (input: Input<"recover"> = {}) => ask("recover", { context: "brief", lines: 1, ...input }),
  rename: (name: string, to: string) => ask("session.rename", { name, new_name: to }),
  detach: () => ask("detach", {}),
  stop: (input: Input<"stop"> = {}) => ask("stop", { names: [], all: false, if_exists: false, keep: false, ...input }),
  diff: (input: Input<"diff"> = {}) => ask("diff", input),
  tasks: (input: Input<"tasks"> = {}) => ask("tasks", input),
  explain: (input: Input<"explain"> = {}) => ask("explain", input),
  status: (input: Input<"status"> = {}) => ask("status", input),
  sessions: () => ask("sessions", {}),
  wait: (input: Input<"wait"> = {}) => ask("wait", { timeout: "30s", context: "brief", lines: 1, ...input }),
  break: (at: string | undefined, input: Input<"break"> = {}) =>
    ask("break", {
      ...(at === undefined ? {} : { at }),
      pending: false,
      temporary: false,
      disabled: false,
      snap: "on",
      directory: "/src",
      ...input
    }),
  logpoint: (at: string, message: string, input: Input<"logpoint"> = {}) =>
    ask("logpoint", { at, message, pending: false, directory: "/src", ...input }),
  enable: (ids: ReadonlyArray<number | string>, input: Input<"breakpoint.enable"> = {}) =>
    ask("breakpoint.enable", { ids, all: false, ...input }),
  disable: (ids: ReadonlyArray<number | string>, input: Input<"breakpoint.disable"> = {}) =>
    ask("breakpoint.disable", { ids, all: false, ...input }),
  toggle: (ids: ReadonlyArray<number | string>, input: Input<"breakpoint.toggle"> = {}) =>
    ask("breakpoint.toggle", { ids, ...input }),
  info: (id: number | string) => ask("breakpoint.info", { id }),
  anchors: (file: string, text: string) => ask("breakpoint.find", { file, text, directory: "/src" }),
  edit: (id: number | string, input: Input<"breakpoint.edit"> = {}) =>
    ask("breakpoint.edit", { id, no_condition: false, no_hits: false, no_log: false, ...input }),
  breakpoints: (input: Input<"breakpoint.list"> = {}) => ask("breakpoint.list", input),
  remove: (ids: ReadonlyArray<number | string>, input: Input<"breakpoint.remove"> = {}) =>
    ask("breakpoint.remove", { ids, all: false, ...input }),
  continue: (input: Input<"continue"> = {}) => ask("continue", { count: 1, ...report, ...input }),
  next: (input: Input<"next"> = {}) => ask("next", { count: 1, ...report, ...input }),
  step: (input: Input<"step"> = {}) => ask("step", { count: 1, ...report, ...input }),
  finish: (input: Input<"finish"> = {}) => ask("finish", { ...report, ...input }),
  pause: (input: Input<"pause"> = {}) => ask("pause", { timeout: "30s", context: "brief", lines: 1, ...input }),
  context: (input: Input<"context"> = {}) => ask("context", { lines: 5, sections: [], ...input }),
  backtrace: (input: Input<"backtrace"> = {}) =>
    ask("backtrace", { limit: 20, start: 0, all_frames: false, all_threads: false, ...input }),
  locals: (input: Input<"locals"> = {}) =>
    ask("locals", { names: [], changed: false, depth: 0, start: 0, count: 50, ...input }),
  print: (expressions: Operations.Payload<"print">["expressions"], input: Input<"print"> = {}) =>
    ask("print", { expressions, depth: 1, max_items: 20, ...input }),
  display: (expression: string, input: Input<"display"> = {}) => ask("display", { expression, ...input }),
  take: (input: Input<"control.take"> = {}) => ask("control.take", input),
  release: () => ask("control.release", {}),
  control: () => ask("control.show", {}),
  restart: (input: Input<"restart"> = {}) => ask("restart", { ...report, ...input }),
  trace: (specs: readonly [string, ...ReadonlyArray<string>], input: Omit<Input<"trace">, "specs"> = {}) =>
    ask("trace", { specs, directory: "/src", ...input }),
  hits: (input: Input<"hits.list"> = {}) => ask("hits.list", { fields: [], ...input }),
  displays: () => ask("display.list", {}),
  undisplay: (ids: Operations.Payload<"display.remove">["ids"]) => ask("display.remove", { ids }),
  eval: (expression: string, input: Input<"eval"> = {}) => ask("eval", { expression, ...input }),
  output: (input: Input<"output"> = {}) =>
    ask("output", { channel: ["stdout", "stderr", "log"], follow: false, clear: false, timeout: "30s", ...input }),
  input: (input: Input<"input"> = {}) => ask("input", { newline: true, eof: false, directory: "/src", ...input }),
  events: (input: Input<"events"> = {}) =>
    ask("events", { kind: [], limit: 100, follow: false, timeout: "30s", ...input }),
  threads: (input: Input<"threads"> = {}) => ask("threads", { start: 0, limit: 50, ...input }),
  thread: (id?: number) => ask("thread", id === undefined ? {} : { id }),
  frame: (index?: string) => ask("frame", index === undefined ? {} : { index }),
  up: (count = 1) => ask("up", { count }),
  down: (count = 1) => ask("down", { count }),
  source: (at?: string, input: Input<"source"> = {}) =>
    ask("source", { lines: 5, directory: "/src", ...(at === undefined ? {} : { at }), ...input }),
  files: () => ask("files", { limit: 50 }),
  args: () => ask("args", {}),
  globals: (input: Input<"globals"> = {}) => ask("globals", { names: [], start: 0, count: 50, ...input }),
  expand: (target: string, input: Input<"expand"> = {}) =>
    ask("expand", { target, depth: 1, start: 0, count: 50, ...input }),
  set: (target: string, value: string) => ask("set", { target, value }),
  changed: (input: Input<"changed"> = {}) => ask("changed", input),
  stops: (input: Input<"stops"> = {}) => ask("stops", input),
  history: (path: string, input: Input<"history"> = {}) => ask("history", { path, ...input }),
  report: (input: Input<"report"> = {}) => ask("report", { directory: "/src", ...input }),
  vars: (names: Operations.Payload<"vars">["names"], input: Input<"vars"> = {}) => ask("vars", { names, ...input }),
  find: (name: string, input: Input<"find"> = {}) => ask("find", { name, ...input }),
  refs: () => ask("refs", {}),
  exceptions: (input: Input<"exceptions"> = {}) => ask("exceptions", input),
  watch: (expression: string, input: Input<"watch"> = {}) => ask("watch", { expression, ...input }),
  catch: (filter: string, input: Input<"catch"> = {}) => ask("catch", { filter, ...input }),
  until: (at: string, input: Input<"until"> = {}) => ask("until", { at, directory: "/src", ...report, ...input }),
  type: (name: string) => ask("type", { name, layout: false }),
  complete: (text: string) => ask("complete", { text }),
  memoryRead: (address: string, count = 64) => ask("memory.read", { address, count }),
  memoryWords: (address: string, input: Input<"memory.read">) => ask("memory.read", { address, ...input }),
  memoryWrite: (address: string, hex: string) => ask("memory.write", { address, hex }),
  memoryValues: (address: string, values: ReadonlyArray<string>, input: Input<"memory.write"> = {}) =>
    ask("memory.write", { address, values, ...input }),
  registers: (input: Input<"registers"> = {}) => ask("registers", { names: [], all: false, changed: false, ...input }),
  disassemble: (input: Input<"disassemble"> = {}) =>
    ask("disassemble", { function: false, source: false, bytes: false, ...input }),
  modules: (match?: string) => ask("modules", match === undefined ? {} : { match }),
  raw: (command: string, input: Input<"raw"> = {}) => ask("raw", { command, ...input })
}

/** Calls of several operations. */
export const calls = (...all: ReadonlyArray<Effect.Effect<unknown, Errors.SigtrapError, Client.Client>>) => all

/** Returns the code of the error that an effect fails with. */
export const code = <A, E extends Errors.SigtrapError, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (error) => Errors.meta(error).code)

/** Starts an effect and runs it until it waits. */
export const begin = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const done = yield* Deferred.make<A, E>()
  const fiber = yield* effect.pipe(
    Effect.onExit((exit) => Effect.sync(() => Deferred.doneUnsafe(done, exit))),
    Effect.forkScoped({ startImmediately: true })
  )
  yield* settle
  return { fiber, done: Deferred.await(done), pending: Effect.sync(() => !Deferred.isDoneUnsafe(done)) }
})

/** Runs every fiber until it waits, without moving the clock. */
export const settle = Effect.repeat(Effect.yieldNow, { times: 50 })

/** Checks that the debugger of a session has ended and left nothing. */
export const gone = Effect.fnUntraced(function* (fake: FakeBackend.Fake) {
  yield* settle
  for (const debuggee of fake.debuggees) assert.isTrue(debuggee.closed, "the scope of the debugger is closed")
})

/** Checks that no handle of an earlier stop was used. */
export const honest = (fake: FakeBackend.Fake) => {
  for (const debuggee of fake.debuggees) assert.strictEqual(debuggee.staleUses, 0, "handles of earlier stops used")
}

/** Returns the line of an answer's location. */
export const line = (answer: { readonly data: { readonly location?: { readonly line?: number } } }) =>
  answer.data.location?.line

/** A program that runs and does not leave line 10. */
export const hanging = (fake: FakeBackend.Fake) =>
  Effect.gen(function* () {
    fake.program = SimulatedProgram.blockingAt(10)
    yield* call.start({ break: ["main"] })
    yield* call.continue({ wait: false })
    yield* settle
    return yield* fake.newest
  })
