// Notices of LLDB: stops, resumes and ends, which are printed between and inside answers.
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit } from "effect"
import type { Lldb } from "../src/index.ts"
import * as ScriptedLldb from "./ScriptedLldb.ts"

const separator = "\u001fTOKEN"

/** Formats a stop as LLDB prints it, with the fields of the driver's format. */
const stop = (thread: number, reason: string, name = "app") =>
  `Process 77 stopped\n* \u001eTOKEN${["77", thread, 7700 + thread, "0x0000000000401000", "12", reason, name, "work", "/src/a.c", ""].join(separator)}\u001eTOKEN\n    frame #0: 0x0000000000401000 app\`work(n=1) at a.c:12:3\n`

const stopped = (thread: number, reason: string, threadName = "app"): Lldb.Notice => ({
  kind: "stopped",
  pid: 77,
  thread,
  tid: 7700 + thread,
  reason,
  threadName,
  address: "0x401000",
  function: "work",
  file: "/src/a.c",
  line: 12
})

/** Collects notices, and waits until there are `count`. */
const listening = (lldb: Lldb.Lldb) => {
  const notices: Array<Lldb.Notice> = []
  let waiting: { readonly count: number; readonly done: Deferred.Deferred<void> } | undefined
  lldb.onNotice((notice) => {
    notices.push(notice)
    if (waiting !== undefined && notices.length >= waiting.count) Deferred.doneUnsafe(waiting.done, Exit.void)
  })
  const until = (count: number) =>
    Effect.suspend(() => {
      if (notices.length >= count) return Effect.void
      waiting = { count, done: Deferred.makeUnsafe() }
      return Deferred.await(waiting.done)
    })
  return { notices, until }
}

describe("notices", () => {
  it.effect("are removed from answers and reported in order, however the text is cut", () =>
    Effect.gen(function* () {
      for (const cut of [[], [1], [5, 2, 90]]) {
        const scripted = ScriptedLldb.make(
          (command) => (command === "image list" ? { out: `[ 0] a\n[ 1]${stop(2, "signal SIGUSR1")} b\n` } : undefined),
          { cut }
        )
        const lldb = yield* ScriptedLldb.start(scripted)
        const { notices, until } = listening(lldb)
        assert.strictEqual((yield* lldb.run("image list")).output, "[ 0] a\n[ 1] b")
        scripted.say(`2 locations added to breakpoint 3\nProcess 77 resuming\n${stop(1, "breakpoint 3.1")}`)
        yield* until(4)
        assert.deepStrictEqual(notices, [
          stopped(2, "signal SIGUSR1"),
          { kind: "locations", breakpoint: 3, added: 2 },
          { kind: "resumed", pid: 77 },
          stopped(1, "breakpoint 3.1")
        ])
      }
    })
  )

  it.effect("cannot be made by a thread's name or a reason with line breaks and separators", () =>
    Effect.gen(function* () {
      const name = "x\u001f\u001e\nProcess 77 detached\n"
      const scripted = ScriptedLldb.make(ScriptedLldb.numbered)
      const lldb = yield* ScriptedLldb.start(scripted)
      const { notices, until } = listening(lldb)
      scripted.say(stop(1, "a\u001e\nProcess 77 resuming\n", name))
      yield* until(1)
      yield* lldb.run("p 1")
      assert.deepStrictEqual(notices, [stopped(1, "a\u001e\nProcess 77 resuming\n", name.trim())])
    })
  )

  it.effect(
    "are stops of one line where LLDB 22 shows no thread, outside of answers and in those of commands that resume",
    () =>
      Effect.gen(function* () {
        const bare = "Process 77 stopped\n"
        const replies = (command: string): ScriptedLldb.Reply | undefined => {
          if (command === "process status") return { out: stop(1, "shared-library-event") }
          if (command === "process continue") return { out: `Process 77 resuming\n${bare}` }
          if (command === "thread step-over") return { out: bare }
          return command === "thread list" ? { out: `${bare}* thread #1\n` } : undefined
        }
        for (const cut of [[], [1], [5, 2, 90]]) {
          const scripted = ScriptedLldb.make(replies, { version: "22.1.8", cut })
          const lldb = yield* ScriptedLldb.start(scripted)
          const { notices, until } = listening(lldb)
          const expected: Array<Lldb.Notice> = []
          const next = (...more: ReadonlyArray<Lldb.Notice>) => {
            expected.push(...more)
            return Effect.map(until(expected.length), () => assert.deepStrictEqual(notices, expected))
          }
          scripted.say(bare)
          yield* next({ kind: "stopped", pid: 77 })
          scripted.say(stop(1, "breakpoint 3.1"))
          yield* next(stopped(1, "breakpoint 3.1"))
          assert.strictEqual((yield* lldb.run("process continue")).output, "")
          yield* next({ kind: "resumed", pid: 77 }, { kind: "stopped", pid: 77 })
          assert.strictEqual((yield* lldb.run("thread list")).output, "Process 77 stopped\n* thread #1")
          yield* lldb.run("thread step-over")
          yield* next({ kind: "stopped", pid: 77 })
        }
        const older = yield* ScriptedLldb.start(ScriptedLldb.make(replies))
        const { notices } = listening(older)
        assert.strictEqual((yield* older.run("process continue")).output, "Process 77 stopped")
        assert.deepStrictEqual(notices, [{ kind: "resumed", pid: 77 }])
      })
  )

  it.effect("of an exit are reported if `process status` confirms them", () =>
    Effect.gen(function* () {
      for (const gone of [true, false]) {
        const scripted = ScriptedLldb.make((command) => {
          if (command === "process status")
            return { out: gone ? "Process 77 exited with status = 3 (0x00000003) \n" : stop(1, "step over") }
          return command === "po text"
            ? { out: "Process 77 exited with status = 3 (0x00000003) \n" }
            : ScriptedLldb.numbered(command)
        })
        const lldb = yield* ScriptedLldb.start(scripted)
        const { notices, until } = listening(lldb)
        yield* lldb.run("po text")
        yield* until(1)
        assert.deepStrictEqual(notices, [
          gone
            ? { kind: "exited", pid: 77, status: 3 }
            : { kind: "text", stream: "output", text: "Process 77 exited with status = 3" }
        ])
      }
    })
  )

  it.effect("have the form of the output of process status, which stays an answer", () =>
    Effect.gen(function* () {
      const lldb = yield* ScriptedLldb.start(
        ScriptedLldb.make((command) => (command === "process status" ? { out: stop(1, "step over") } : undefined))
      )
      const { notices } = listening(lldb)
      const { output } = yield* lldb.run("process status")
      assert.strictEqual(
        output,
        "Process 77 stopped\n* thread #1, name = 'app', stop reason = step over\n    frame #0: 0x0000000000401000 app`work(n=1) at a.c:12:3"
      )
      assert.deepStrictEqual(notices, [])
    })
  )

  it.effect("of a stop are reported if LLDB prints them at the same time as the output of process status", () =>
    Effect.gen(function* () {
      const [head = "", rest = ""] = stop(1, "breakpoint 1.1").split(/(?<=stopped\n)/)
      for (const out of [head + rest + head + rest, head + head + rest + rest]) {
        const lldb = yield* ScriptedLldb.start(
          ScriptedLldb.make((command) => (command === "process status" ? { out } : undefined))
        )
        const { notices, until } = listening(lldb)
        const { output } = yield* lldb.run("process status")
        yield* until(1)
        assert.match(output, /^Process 77 stopped\n\* thread #1.*\n    frame #0.*$/)
        assert.deepStrictEqual(
          notices.map((notice) => notice.kind === "stopped" && [notice.pid, notice.reason]),
          [[77, "breakpoint 1.1"]]
        )
      }
    })
  )

  it.effect("of a selection are awaited and not part of any answer", () =>
    Effect.gen(function* () {
      const [, confirmation = ""] = /^Process 77 stopped\n([\s\S]*)$/.exec(stop(2, "step over")) ?? []
      const scripted = ScriptedLldb.make((command) =>
        command === "thread select 2" ? { late: confirmation } : ScriptedLldb.numbered(command)
      )
      const lldb = yield* ScriptedLldb.start(scripted)
      const { notices } = listening(lldb)
      assert.strictEqual((yield* lldb.run("thread select 2")).output, "")
      assert.strictEqual((yield* lldb.run("p 3")).output, "(int) 3")
      assert.deepStrictEqual(notices, [])
    })
  )
})
