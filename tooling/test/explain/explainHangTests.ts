/** Tests of `explain` of programs that make no progress, for each LLDB backend. The source of `waits.c` says what is true. */
import { assert, layer } from "@effect/vitest"
import type { Operations } from "@sigtrap/protocol"
import { Effect, Option, Schedule, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { debugging, environment, platform, Programs, type Debugging } from "../support/fixturePrograms.ts"

type Explained = Operations.Data<"explain">
type Wait = Explained["waits"][number]

/** One way to wait: the mark of its line, and what must be said of it. */
interface Hang {
  /** The program; without it, `waits`. */
  readonly program?: "initializations"
  readonly kind: string
  readonly mark: string
  readonly wait: Partial<Pick<Wait, "kind" | "symbol" | "expression">>
  readonly text: RegExp
  /** What is known of the owner; `none` if no owner may be named. */
  readonly owner: "alive" | "dead" | "unknown" | "none"
  /** Number of threads in a cycle; 0 if there is none. */
  readonly cycle: number
}

/** The programs that are tested with every change. */
export const quickHangs: ReadonlyArray<Hang> = [
  {
    kind: "deadlock2",
    mark: "cycle",
    wait: { kind: "mutex" },
    text: /^waits for mutex lock_[ab], held by/,
    owner: "alive",
    cycle: 2
  },
  { kind: "livelock", mark: "spin", wait: { kind: "runs" }, text: /^runs$/, owner: "none", cycle: 0 }
]

/** All programs that hang: the quick ones and the others. */
export const allHangs: ReadonlyArray<Hang> = [
  ...quickHangs,
  {
    kind: "deadlock3",
    mark: "cycle",
    wait: { kind: "mutex" },
    text: /^waits for mutex lock_[abc], held by/,
    owner: "alive",
    cycle: 3
  },
  {
    kind: "recursive",
    mark: "recursive",
    wait: { kind: "mutex", symbol: "lock_a" },
    text: /lock_a, held by thread 1/,
    owner: "alive",
    cycle: 1
  },
  { kind: "yielding", mark: "yields", wait: { kind: "runs" }, text: /^runs$/, owner: "none", cycle: 0 },
  {
    kind: "element",
    mark: "element",
    wait: { kind: "mutex", symbol: "bank.accounts[2].guard" },
    text: /guard, held by thread 1/,
    owner: "alive",
    cycle: 1
  },
  {
    kind: "member",
    mark: "member",
    wait: { kind: "condition", symbol: "bank.ready" },
    text: /^waits for condition bank\.ready$/,
    owner: "none",
    cycle: 0
  },
  {
    kind: "written",
    mark: "written",
    wait: { kind: "rwlock", symbol: "bank.book" },
    text: /bank\.book, held by thread 2/,
    owner: "alive",
    cycle: 0
  },
  {
    kind: "rwlock",
    mark: "writer",
    wait: { kind: "rwlock", symbol: "book" },
    text: /book, held by 1 reader$/,
    owner: "none",
    cycle: 0
  },
  {
    kind: "condition",
    mark: "condition",
    wait: { kind: "condition", symbol: "ready" },
    text: /^waits for condition ready$/,
    owner: "none",
    cycle: 0
  },
  {
    kind: "condition",
    mark: "joined",
    wait: { kind: "join" },
    text: /^waits for the end of thread 2/,
    owner: "alive",
    cycle: 0
  },
  {
    kind: "pipe",
    mark: "pipe",
    wait: { kind: "read" },
    text: /^reads fd \d+ \(pipe \d+\), which can be written by this program \(fd \d+\)$/,
    owner: "none",
    cycle: 0
  },
  {
    kind: "socket",
    mark: "socket",
    wait: { kind: "read" },
    text: /^reads fd \d+ \(socket \d+\)$/,
    owner: "none",
    cycle: 0
  },
  { kind: "sleep", mark: "sleep", wait: { kind: "sleep" }, text: /^sleeps$/, owner: "none", cycle: 0 },
  {
    kind: "accepted",
    mark: "accepted",
    wait: { kind: "accept" },
    text: /^waits for a connection to fd \d+ \(TCP 0\.0\.0\.0:\d+, listening\)$/,
    owner: "none",
    cycle: 0
  },
  {
    kind: "semaphore",
    mark: "semaphore",
    wait: { kind: "semaphore", symbol: "slots" },
    text: /^waits for semaphore slots$/,
    owner: "none",
    cycle: 0
  },
  // Calls with a time limit. The main thread joins the other one, so a lock that it holds closes a cycle.
  {
    kind: "polled",
    mark: "polled",
    wait: { kind: "poll" },
    text: /^waits for descriptors \(poll\): fd \d+ \(p/,
    owner: "none",
    cycle: 0
  },
  {
    kind: "timed",
    mark: "timed",
    wait: { kind: "mutex", symbol: "lock_a" },
    text: /^waits for mutex lock_a, held by thread 1/,
    owner: "alive",
    cycle: 2
  },
  // A futex that is not a lock of the library has no owner.
  {
    kind: "futex",
    mark: "raw",
    wait: { kind: "futex", symbol: "word" },
    text: /^waits for futex word$/,
    owner: "none",
    cycle: 0
  },
  {
    kind: "child",
    mark: "child",
    wait: { kind: "child" },
    text: /^waits for process \d+ \(waits\)$/,
    owner: "none",
    cycle: 0
  },
  // The mutex says that its owner is dead, so its new owner does not wait for it.
  { kind: "robust", mark: "dead", wait: { kind: "signal" }, text: /^waits for a signal$/, owner: "none", cycle: 0 },
  { kind: "rescued", mark: "rescued", wait: { kind: "mutex" }, text: /held by thread 1/, owner: "alive", cycle: 2 },
  // A thread that was woken from a condition waits for its mutex.
  {
    kind: "woken",
    mark: "woken",
    wait: { kind: "mutex", symbol: "lock_a" },
    text: /^waits for mutex lock_a, held by thread 1/,
    owner: "alive",
    cycle: 0
  },
  {
    kind: "inherit",
    mark: "kept",
    wait: { kind: "mutex" },
    text: /^waits for mutex mutex \(0x[0-9a-f]+\), held by thread 2/,
    owner: "alive",
    cycle: 0
  },
  {
    kind: "kept",
    mark: "kept",
    wait: { kind: "mutex" },
    text: /^waits for mutex mutex \(0x[0-9a-f]+\), held by thread 2/,
    owner: "alive",
    cycle: 0
  },
  {
    kind: "dead",
    mark: "dead",
    wait: { kind: "mutex" },
    text: /which has ended without an unlock$/,
    owner: "dead",
    cycle: 0
  },
  {
    kind: "shared",
    mark: "shared",
    wait: { kind: "mutex" },
    text: /which is not a thread of this process$/,
    owner: "unknown",
    cycle: 0
  },
  {
    kind: "orphan",
    mark: "shared",
    wait: { kind: "mutex" },
    text: /whose id no thread of this system has$/,
    owner: "unknown",
    cycle: 0
  },
  // Initializations, and data of the libraries.
  {
    program: "initializations",
    kind: "guards",
    mark: "second",
    wait: { kind: "once", symbol: "second()::value" },
    text: /^waits for one-time initialization second\(\)::value, run by thread 3/,
    owner: "alive",
    cycle: 2
  },
  {
    program: "initializations",
    kind: "flag",
    mark: "flag",
    wait: { kind: "once", symbol: "loaded" },
    text: /^waits for one-time initialization loaded, run by thread 1/,
    owner: "alive",
    cycle: 2
  },
  {
    program: "initializations",
    kind: "once",
    mark: "once",
    wait: { kind: "once", symbol: "opened" },
    text: /^waits for one-time initialization opened, run by thread 2/,
    owner: "alive",
    cycle: 0
  },
  {
    program: "initializations",
    kind: "future",
    mark: "future",
    wait: { kind: "future", expression: "result" },
    text: /^waits for the future result$/,
    owner: "none",
    cycle: 0
  },
  {
    program: "initializations",
    kind: "stream",
    mark: "stream",
    wait: { kind: "library", expression: "journal" },
    text: /^waits for the lock of journal, held by thread 2/,
    owner: "alive",
    cycle: 0
  },
  {
    program: "initializations",
    kind: "stdout",
    mark: "stdout",
    wait: { kind: "library", expression: "stdout" },
    text: /^waits for the lock of stdout, held by thread 2/,
    owner: "alive",
    cycle: 0
  },
  {
    program: "initializations",
    kind: "handler",
    mark: "handler",
    wait: { kind: "library" },
    text: /^waits for a lock of the C library in (?:__libc_)?(?:malloc|c?free)\b.*, called by a signal handler that interrupted (?:__libc_)?(?:malloc|c?free)\b/,
    owner: "none",
    cycle: 0
  }
]

/** Programs that wait in a call with a time limit. */
const timed: ReadonlySet<string> = new Set(["sleep", "polled", "timed"])

/** Returns the explanation once the marked wait is in it. Each try stops the program, so it runs for a moment between two of them. */
const untilThere = ({ call }: Debugging, line: number, hang: Hang) =>
  Effect.gen(function* () {
    const { data } = yield* call("explain", { what: "hang" })
    const wait = data.waits.find(({ kind, stack }) => stack[0]?.line === line && kind === hang.wait.kind)
    return wait === undefined || data.cycles.length !== (hang.cycle === 0 ? 0 : 1)
      ? yield* Effect.fail(`${hang.kind}: ${JSON.stringify(data)}`)
      : { data, wait }
  }).pipe(Effect.retry({ times: 40, schedule: Schedule.spaced("50 millis") }))

/** Defines the tests of one adapter. */
export const hangTests = (adapter: "lldb-dap" | "lldb", hangs: ReadonlyArray<Hang>): void => {
  layer(platform, { excludeTestServices: true, timeout: "240 seconds" })(
    `explain of a hang, under ${adapter}`,
    (it) => {
      const title = "says what threads wait for, who holds it, and which of them wait for each other"
      it.effect(
        title,
        () =>
          debugging((own) =>
            Effect.gen(function* () {
              const { line } = yield* Programs
              for (const hang of hangs) {
                const { program = "waits" } = hang
                const marked = line(program === "waits" ? "waits.c" : `${program}.cpp`, hang.mark)
                yield* own.start(program, { adapter, args: [hang.kind], replace: true, wait: false })
                const { data, wait } = yield* untilThere(own, marked, hang)
                assert.strictEqual(data.what, "hang", hang.kind)
                assert.deepInclude(wait, hang.wait, hang.kind)
                assert.match(wait.text, hang.text, hang.kind)
                assert.strictEqual(wait.owner?.state ?? "none", hang.owner, hang.kind)
                const [cycle = []] = data.cycles
                assert.lengthOf(cycle, hang.cycle, hang.kind)
                // Each thread of a cycle waits for the next one.
                cycle.forEach(({ held_by }, index) =>
                  assert.strictEqual(held_by.id, cycle[(index + 1) % cycle.length]?.thread.id, hang.kind)
                )
                // The program was paused for the question only.
                assert.strictEqual((yield* own.call("status", {})).data.state, "running", hang.kind)
                // The kernel has restarted a call with a time limit then.
                if (!timed.has(hang.kind)) continue
                const again = yield* untilThere(own, marked, hang)
                assert.deepInclude(again.wait, hang.wait, hang.kind)
              }
            })
          ),
        240_000
      )
      it.effect(
        "names no owner that may live in another process: the child of a fork has the locks of its parent",
        () =>
          debugging((own) =>
            Effect.gen(function* () {
              const { directory, line } = yield* Programs
              const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
              const parent = yield* spawner.spawn(
                ChildProcess.make(`${directory}/waits`, ["forked"], { stdin: "ignore" })
              )
              const said = yield* parent.stdout.pipe(Stream.decodeText(), Stream.splitLines, Stream.runHead)
              const child = Number(/^child (\d+)$/.exec(Option.getOrElse(said, () => ""))?.[1])
              yield* own.call("attach", { pid: child, adapter, environment })
              const { wait } = yield* untilThere(own, line("waits.c", "forked"), {
                kind: "forked",
                mark: "forked",
                wait: { kind: "mutex" },
                text: /^waits/,
                owner: "unknown",
                cycle: 0
              })
              assert.strictEqual(wait.owner?.state, "unknown")
              assert.match(wait.text, /which is not a thread of this process$/)
              yield* own.call("stop", {})
              yield* Effect.sync(() => process.kill(child, "SIGKILL"))
            })
          )
      )

      it.effect("explains a core file of a hang by the registers and the memory in it", () =>
        debugging((own) =>
          Effect.gen(function* () {
            const { directory, line } = yield* Programs
            yield* own.start("waits", { adapter, args: ["woken"], replace: true, wait: false })
            const hang = allHangs.find(({ kind }) => kind === "woken")
            if (hang === undefined) return
            yield* untilThere(own, line("waits.c", "woken"), hang)
            const { pid } = (yield* own.call("status", {})).data
            yield* own.call("detach", {})
            const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
            const core = `${directory}/hang-${adapter}`
            const code = yield* spawner.exitCode(ChildProcess.make("gcore", ["-o", core, String(pid)]))
            yield* Effect.sync(() => process.kill(pid ?? 0, "SIGKILL"))
            // Only an installation of GDB has the program that writes the core.
            if (code !== 0) return
            yield* own.call("core", { file: `${core}.${pid}`, program: `${directory}/waits`, adapter, environment })
            const { data } = yield* own.call("explain", {})
            assert.strictEqual(data.what, "hang")
            const wait = data.waits.find(({ stack }) => stack[0]?.line === line("waits.c", "woken"))
            assert.deepInclude(wait, { kind: "mutex", symbol: "lock_a" })
            assert.strictEqual(wait?.owner?.state, "alive")
            assert.include<string>([...(wait?.by ?? [])].join(" "), "core")
          })
        )
      )
    }
  )
}
