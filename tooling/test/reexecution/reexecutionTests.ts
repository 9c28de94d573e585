/** Tests of `back` and `last-write` with a real debugger, shared by the live and the long ones. */
import { assert } from "@effect/vitest"
import { WriteRuns } from "@sigtrap/manager"
import { directory } from "@sigtrap/host/testing"
import { Effect } from "effect"
import { existsSync, readdirSync } from "node:fs"
import { debugging, Programs, type Debugging } from "../support/fixturePrograms.ts"
import * as Tools from "../support/tools.ts"

type Backend = "dap" | "lldb-cli"

const timeout = "120s"

/** Counts everything of a session that a client can see. */
const seen = Effect.fnUntraced(function* (events: Effect.Effect<{ readonly data: unknown }, unknown>) {
  return JSON.stringify((yield* events).data)
})

/** The corrupted link was written by `touch`; the counter by the same function. */
export const findsTheWrite = (backend: Backend) =>
  debugging(({ call, start }) =>
    Effect.gen(function* () {
      const { line } = yield* Programs
      const started = yield* start("corruption", { backend })
      assert.strictEqual(started.data.signal ?? started.data.reason, "SIGSEGV")
      const before = yield* seen(call("events", { session: "default", limit: 1000 }))
      const link = yield* call("last-write", { expression: "list->next->next", frame: 1, session: "default", timeout })
      assert.strictEqual(link.session, "default.back")
      assert.strictEqual(link.data.write?.hit, 2)
      assert.strictEqual(link.data.write?.of, 2)
      assert.match(link.data.write?.new ?? "", /26fc/)
      assert.strictEqual(link.data.location?.function, "touch")
      assert.strictEqual(link.data.watch?.written_at?.line, line("corruption.c", "touch"))
      assert.deepStrictEqual(link.data.anchor, { session: "default", stop: 1 })
      assert.strictEqual(yield* seen(call("events", { session: "default", limit: 1000 })), before)
      // The new run is a session as any other.
      const { values } = (yield* call("print", { expressions: ["at"], session: "default.back" })).data
      assert.strictEqual(values[0]?.value, "1")

      const counter = yield* call("last-write", { expression: "writes", session: "default", nth: 2, timeout })
      assert.strictEqual(counter.data.write?.old, "1")
      assert.strictEqual(counter.data.write?.new, "3")
      assert.strictEqual(counter.data.watch?.written_at?.line, line("corruption.c", "loop"))
    })
  )

/** Starts the program with arguments and returns why the last write of an expression is not known. */
const failing =
  ({ call, start }: Debugging, backend: Backend) =>
  (expression: string, args: string) =>
    Effect.gen(function* () {
      yield* start("corruption", { backend, args: args.split(" "), replace: true })
      return yield* Effect.flip(call("last-write", { expression, session: "default", timeout }))
    })

/** A program that reads its process id or the time, by a function, an instruction or a system call; and a variable of an earlier call. */
export const claimsNothing = (backend: Backend) =>
  debugging((live) =>
    Effect.gen(function* () {
      const { call } = live
      const { line } = yield* Programs
      const failure = failing(live, backend)
      const pid = yield* failure("flag", "pid")
      assert.strictEqual(pid._tag, "NotReproduced")
      assert.match(pid.message, /reads process ids \(a call of getpid\)/)
      if (process.arch === "x64") {
        const clock = yield* failure("flag", "clock")
        assert.strictEqual(clock._tag, "NotReproduced")
        assert.match(
          clock.message,
          new RegExp(`:${line("corruption.c", "clock")} reads the time \\(the instruction rdtsc\\)`)
        )
        const number = yield* failure("flag", "number")
        assert.strictEqual(number._tag, "NotReproduced")
        assert.match(
          number.message,
          new RegExp(`:${line("corruption.c", "number")} reads process ids \\(system call 39\\)`)
        )
      }
      const earlier = yield* failure("left", "call")
      assert.strictEqual(earlier._tag, "NeverWritten")
      assert.match(earlier.message, /before this call of use began/)
      const { sessions } = (yield* call("sessions", {})).data
      assert.deepStrictEqual(
        sessions.map(({ name }) => name),
        ["default"]
      )
    })
  )

/** The kernel gave the value last: read, which the run sees, and a function whose results it does not compare. */
export const claimsNothingOfTheKernel = (backend: Backend) =>
  debugging((live) =>
    Effect.gen(function* () {
      const failure = failing(live, backend)
      // The program itself has written the second one before.
      for (const place of ["received[0]", "received[1]"]) {
        const kernel = yield* failure(place, "kernel")
        assert.strictEqual(kernel._tag, "WatchUnavailable", place)
        assert.match(kernel.message, /the kernel did, in a call of read in main corruption\.c:/)
      }
      const unseen = yield* failure("slice.tv_sec", "kernel")
      assert.strictEqual(unseen._tag, "WatchUnavailable")
      assert.match(unseen.message, /the kernel wrote them \(for example by read\)/)
    })
  )

/** The system gives a value that the program wrote before; memory has two addresses; only the first run can make a folder. */
export const claimsNothingOfTheSystem = (backend: Backend) =>
  debugging((live) =>
    Effect.gen(function* () {
      const { line } = yield* Programs
      const failure = failing(live, backend)
      // The value is that of the last write, but read gave it again.
      const after = yield* failure("received[0]", "after")
      assert.strictEqual(after._tag, "WatchUnavailable")
      assert.match(
        after.message,
        new RegExp(`in a call of read in fill corruption\\.c:${line("corruption.c", "fill")}$`)
      )
      const shared = yield* failure("*page", "shared")
      assert.strictEqual(shared._tag, "WatchUnavailable")
      assert.match(shared.message, /its memory is shared/)
      const folder = yield* failure("flag", `folder ${yield* directory}/made`)
      assert.strictEqual(folder._tag, "NotReproduced")
      assert.match(folder.message, /reads a folder that it changes itself \(a call of mkdir\)/)
    })
  )

/** Two writes give the same value, and `read` another one between them: the second write is the one that gave the value. */
export const seesTheSystemBetween = (backend: Backend) =>
  debugging(({ call, start }) =>
    Effect.gen(function* () {
      const { line } = yield* Programs
      yield* start("corruption", { backend, args: ["between"] })
      const { data } = yield* call("last-write", { expression: "received[0]", session: "default", timeout })
      assert.deepInclude(data.write, { hit: 2, of: 2, old: "113 'q'", new: "114 'r'" })
      assert.strictEqual(data.watch?.written_at?.line, line("corruption.c", "reset"))
      const earlier = yield* Effect.flip(
        call("last-write", { expression: "received[0]", session: "default", nth: 2, timeout })
      )
      assert.strictEqual(earlier._tag, "WatchUnavailable")
      const { frames } = (yield* call("backtrace", { session: "default.back" })).data
      assert.strictEqual(frames.find((frame) => frame.function === "main")?.line, line("corruption.c", "second"))
    })
  )

/** The writer depends on random bytes that the kernel gives each program: a new run gets those of the first one. */
export const repeatsTheSeed = (backend: Backend) =>
  debugging(({ call, start }) =>
    Effect.gen(function* () {
      const { line } = yield* Programs
      for (let round = 0; round < 4; round++) {
        yield* start("corruption", { backend, args: ["seed"], replace: true })
        const { values } = (yield* call("print", { expressions: ["seed"], session: "default" })).data
        const found = yield* call("last-write", { expression: "flag", session: "default", timeout })
        const isOdd = Number(values[0]?.value) % 2 === 1
        assert.strictEqual(found.data.location?.function, isOdd ? "set_odd" : "set_even")
        assert.strictEqual(found.data.watch?.written_at?.line, line("corruption.c", isOdd ? "odd" : "even"))
      }
    })
  )

/** Stops by number, by steps and by hits that did not stop. */
export const goesBack = (backend: Backend) =>
  debugging(({ call, start }) =>
    Effect.gen(function* () {
      yield* start("corruption", { backend, break: ["push"] })
      yield* call("next", { session: "default" })
      yield* call("next", { session: "default" })
      const here = yield* call("context", { session: "default" })
      yield* call("continue", { session: "default" })
      const stepped = yield* call("back", { session: "default", timeout })
      assert.strictEqual(stepped.data.location?.line, here.data.location?.line)
      assert.strictEqual(stepped.data.location?.function, "push")
      const first = yield* call("back", { session: "default", to_stop: 1, timeout })
      assert.strictEqual(first.data.anchor.stop, 1)
      const { values } = (yield* call("print", { expressions: ["value"], session: "default.back" })).data
      assert.strictEqual(values[0]?.value, "3")
      yield* call("break", { at: "touch", session: "default.back" })
      const there = yield* call("continue", { session: "default.back", count: 3 })
      assert.strictEqual(there.data.location?.function, "touch")
      const none = yield* Effect.flip(call("back", { session: "default", count: 9, timeout }))
      assert.strictEqual(none._tag, "StopNotFound")

      yield* start("corruption", { backend, break: ["push hits 3"], replace: true })
      const passed = yield* call("back", { session: "default", to_hit: "1:2", timeout })
      assert.strictEqual(passed.data.location?.function, "push")
      const second = (yield* call("print", { expressions: ["value"], session: "default.back" })).data
      assert.strictEqual(second.values[0]?.value, "2")
    })
  )

/** A call that the debugger rejects changes nothing; one that fails while it runs may have changed the program. */
export const goesBackAfterErrors = (backend: Backend) =>
  debugging(({ call, start }) =>
    Effect.gen(function* () {
      yield* start("corruption", { backend, break: ["touch"] })
      const evaluate = (expression: string) => Effect.flip(call("eval", { expression, session: "default" }))
      const raw = (command: string) => Effect.flip(call("raw", { command, session: "default" }))
      for (const expression of ["absent", "absent(1)", "touch(", "touch(1, 2, 3, 4)", "touch(absent)"]) {
        yield* evaluate(expression)
      }
      for (const command of ["absent", "expression absent", "register write absent 1", "frame variable absent"]) {
        yield* raw(command)
      }
      const { data } = yield* call("back", { session: "default", to_stop: 1, timeout })
      assert.deepStrictEqual(data.anchor, { session: "default", stop: 1 })
      yield* call("stop", { session: "default.back" })

      yield* evaluate("touch(0, 0)")
      const { message } = yield* Effect.flip(call("back", { session: "default", to_stop: 1, timeout }))
      assert.match(message, /^the program may have been changed by the debugger: eval/)
    })
  )

/** A parameter, a variable that is changed in a loop, and one whose address was used before. */
export const findsLocals = (backend: Backend) =>
  debugging(({ call, start }) =>
    Effect.gen(function* () {
      const { line } = yield* Programs
      yield* start("corruption", { backend })
      const node = yield* call("last-write", { expression: "node", session: "default", timeout })
      assert.strictEqual(node.data.watch?.written_at?.line, line("corruption.c", "next"))
      const list = yield* call("last-write", { expression: "list", frame: 1, session: "default", timeout })
      assert.strictEqual(list.data.location?.function, "main")
    })
  )

/** Returns whether a debug server can count writes: one is on PATH, on a machine whose watchpoints it understands. */
const hasServer = () => {
  const names = (process.env["PATH"] ?? "")
    .split(":")
    .flatMap((folder) => (existsSync(folder) ? readdirSync(folder) : []))
  const isPresent = Tools.recorded(
    "lldb-server",
    names.some((name) => /^lldb-server(?:-\d+)?$/.test(name))
  )
  return isPresent && process.platform === "linux" && process.arch === "x64"
}

/** Looks for a write of the program `writes`, without the seconds in which LLDB counts. */
const findWrite = (
  { call, start }: Pick<Debugging, "call" | "start">,
  backend: Backend,
  args: ReadonlyArray<string>,
  input: { readonly expression: string; readonly nth?: number; readonly same_values?: boolean },
  breaks: ReadonlyArray<string> = []
) =>
  Effect.gen(function* () {
    yield* start("writes", { backend, args, break: breaks, replace: true })
    return yield* call("last-write", { ...input, session: "default", timeout })
  }).pipe(Effect.provideService(WriteRuns.DebuggerTimeout, "1 millis"))

/** A debug server finds the same writes as LLDB, up to a signal and up to a hit of a breakpoint. */
export const countsManyWrites = (backend: Backend) =>
  debugging((own) =>
    Effect.gen(function* () {
      const { line } = yield* Programs
      const by = hasServer() ? "re-execution (rsp)" : "re-execution"
      // LLDB does not always take a run over; it counts itself then.
      const counted = (...words: Parameters<typeof findWrite>) =>
        Effect.repeat(findWrite(...words), { until: ({ data }) => data.by === by, times: 2 })
      const found = yield* counted(own, backend, ["set", "500"], { expression: "value" })
      assert.deepInclude(found.data.write, { old: "498", new: "499", hit: 500, of: 500 })
      assert.strictEqual(found.data.watch?.written_at?.line, line("writes.c", "set"))
      assert.strictEqual(found.data.by, by)
      // The new run is a session as any other.
      const { values } = (yield* own.call("print", { expressions: ["i"], session: "default.back" })).data
      assert.strictEqual(values[0]?.value, "499")
      assert.strictEqual((yield* own.call("continue", { session: "default.back" })).data.signal, "SIGABRT")

      const passed = yield* counted(own, backend, ["probe", "400"], { expression: "value" }, ["probe hits 300"])
      assert.deepInclude(passed.data.write, { old: "298", new: "299", hit: 300, of: 300 })
      assert.strictEqual(passed.data.by, by)

      const same = yield* findWrite(own, backend, ["same", "300"], { expression: "value", nth: 2 })
      assert.deepInclude(same.data.write, { old: "5", new: "6", hit: 7, of: 300 })
      assert.strictEqual(same.data.watch?.written_at?.line, line("writes.c", "same"))
    })
  )

/** Nothing is claimed of values of the kernel, of variables of earlier calls, and of programs that another run may not repeat. */
export const claimsNothingOfMany = (backend: Backend) =>
  debugging((own) =>
    Effect.gen(function* () {
      const failure = (args: ReadonlyArray<string>, expression: string, nth = 1) =>
        Effect.flip(findWrite(own, backend, args, { expression, nth }))
      const left = yield* failure(["again", "300"], "left[1]")
      assert.strictEqual(left._tag, "NeverWritten")
      assert.match(left.message, /before this call of use_again began/)
      // LLDB shows what the system wrote between two equal writes.
      const refilled = yield* findWrite(own, backend, ["refill", "20"], { expression: "buffer[2]" })
      assert.deepInclude(refilled.data.write, { hit: 21, of: 21 })
      const kernel = yield* failure(["kernel", "300"], "buffer[2]", 2)
      assert.strictEqual(kernel._tag, "WatchUnavailable")
      const pid = yield* failure(["pid", "300"], "value")
      assert.strictEqual(pid._tag, "NotReproduced")
      assert.match(pid.message, /process ids/)
    })
  )

/** Other kinds of memory, and writes that do not change it. */
export const countsOtherWrites = (backend: Backend) =>
  debugging((own) =>
    Effect.gen(function* () {
      const { line } = yield* Programs
      const same = yield* findWrite(own, backend, ["same", "300"], { expression: "value", same_values: true })
      assert.deepInclude(same.data.write, { old: "7", new: "7", hit: 300, of: 300 })
      const local = yield* findWrite(own, backend, ["local", "300"], { expression: "sum" })
      assert.deepInclude(local.data.write, { old: "44551", new: "44850" })
      assert.strictEqual(local.data.watch?.written_at?.line, line("writes.c", "sum"))
      const left = yield* Effect.flip(findWrite(own, backend, ["left", "300"], { expression: "left[1]" }))
      assert.match(left.message, /before this call of use began/)
      const copied = yield* findWrite(own, backend, ["copy", "100"], { expression: "buffer[5]" })
      assert.deepInclude(copied.data.write, { hit: 100, of: 100 })
      assert.match(copied.data.write?.new ?? "", /'c'/)
    })
  )

/** The session itself becomes the new run. */
export const inPlace = debugging(({ call, start }) =>
  Effect.gen(function* () {
    yield* start("corruption", {})
    const found = yield* call("last-write", { expression: "writes", session: "default", in_place: true, timeout })
    assert.strictEqual(found.session, "default")
    const { sessions } = (yield* call("sessions", {})).data
    assert.deepStrictEqual(
      sessions.map(({ name }) => name),
      ["default"]
    )
  })
)
