/** The driver with a real LLDB: the one in SIGTRAP_LLDB, or the newest on PATH. */
import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, FileSystem, Result, type Scope } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { Command, Lldb, type Notice } from "../src/index.ts"
import * as RealLldb from "./RealLldb.ts"

/** A program whose output and values look like LLDB's output. */
const hostile = `
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>
struct record { int id; const char *text; char inside[64]; };
static const char *lines =
  "error: no such thing\\n(lldb) quit\\nProcess 1 exited with status = 0 (0x00000000) \\n"
  "sigtrap0123456789abcdef0123456789abcdefn7\\nerror: 'sigtrap0123456789abcdef0123456789abcdefn7' is not a valid command.\\n";
int work(int n) {
  struct record r = { n, lines, "\\x1e\\x1f\\n\\"} (int) id = 99\\n" };
  return r.id + 1; // mark
}
int main(void) {
  prctl(PR_SET_NAME, "a\\nerror: b\\x1e", 0, 0, 0);
  for (int i = 0; i < 20; i++) { fputs(lines, stdout); fputs(lines, stderr); fflush(stdout); }
  int sum = 0;
  for (int i = 0; i < 3; i++) sum += work(i);
  return sum;
}
`

/** Starts an LLDB with a program that is stopped in `work`. */
const stopped = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-lldb-" }))
  yield* fs.writeFileString(`${directory}/hostile.c`, hostile)
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const compiler = ChildProcess.make("cc", ["-g", "-O0", `${directory}/hostile.c`, "-o", `${directory}/hostile`])
  assert.strictEqual(yield* spawner.exitCode(compiler), 0, "a C compiler is needed for these tests")
  const { name } = yield* RealLldb.find
  const lldb = yield* Lldb.make({ executable: name, env: { HOME: directory } })
  const notices: Array<Notice.Notice> = []
  const waiting: Array<{ readonly kind: string; readonly done: Deferred.Deferred<Notice.Notice> }> = []
  lldb.onNotice((notice) => {
    notices.push(notice)
    for (const one of waiting) if (one.kind === notice.kind) Deferred.doneUnsafe(one.done, Exit.succeed(notice))
  })
  /** Runs a command that resumes the program, and waits for the resulting notice. */
  const until = Effect.fnUntraced(function* (kind: Notice.Notice["kind"], command: string) {
    const one = { kind, done: Deferred.makeUnsafe<Notice.Notice>() }
    waiting.push(one)
    yield* lldb.run(command)
    return yield* Deferred.await(one.done)
  })
  for (const stream of ["input", "output", "error"]) yield* lldb.run(`settings set target.${stream}-path /dev/null`)
  const { major } = lldb.version
  yield* lldb.run(Result.getOrThrow(Command.command("target create", [`${directory}/hostile`], major)))
  yield* lldb.run("breakpoint set -n work")
  const first = yield* until("stopped", "process launch -n")
  return { lldb, notices, until, first, directory }
})

/** Runs a hundred commands, each with a different answer. */
const numbered = (lldb: Lldb.Lldb) =>
  Effect.gen(function* () {
    const answers = yield* Effect.forEach(
      Array.from({ length: 100 }, (_, index) => index),
      (index) => lldb.run(`expression -- (int)(1000 + ${index})`),
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(
      answers.map(({ output }) => /(\d+)$/.exec(output)?.[1]),
      answers.map((_, index) => String(1000 + index))
    )
  })

/** A test in real time with a scope. */
const live = <A, E>(name: string, test: () => Effect.Effect<A, E, NodeServices.NodeServices | Scope.Scope>) =>
  it.live(name, () => test().pipe(Effect.scoped, Effect.provide(NodeServices.layer)))

describe("a real LLDB", () => {
  live("returns a hundred commands their own answers after one that timed out", () =>
    Effect.gen(function* () {
      const { lldb } = yield* stopped
      for (const command of [
        // A function of the program that does not return; LLDB ends it at the second interrupt.
        "expression -- (int)usleep(60000000)",
        "expression -- int j = 0; for (;;) j++; j",
        "platform shell -- sleep 60"
      ]) {
        const failure = yield* Effect.flip(lldb.run(command, { timeout: "300 millis" }))
        // LLDB before 17 ends an endless loop without an interrupt.
        if (failure._tag !== "CommandFailed") assert.strictEqual(failure._tag, "CommandTimedOut", failure.message)
        yield* numbered(lldb)
      }
      assert.match((yield* lldb.run("frame variable n")).output, /= 0$/)
    })
  )

  live("launches a program whose output is a file, and that reads nothing", () =>
    Effect.gen(function* () {
      const { directory } = yield* stopped
      const { name } = yield* RealLldb.find
      const exited = Deferred.makeUnsafe<number>()
      yield* Effect.gen(function* () {
        const lldb = yield* Lldb.Lldb
        lldb.onNotice((notice) => {
          if (notice.kind === "exited") Deferred.doneUnsafe(exited, Exit.succeed(notice.status))
        })
        // It would take the driver's commands, or hold it, on LLDB's own terminal.
        yield* Lldb.launch({
          program: "/bin/sh",
          args: ["-c", 'cat; echo "said $#"; exit 3', "sh", "a b"],
          stdio: { stdout: `${directory}/said` }
        })
        assert.strictEqual(yield* Deferred.await(exited), 3)
      }).pipe(Effect.provide(Lldb.layer({ executable: name, env: { HOME: directory } })))
      const fs = yield* FileSystem.FileSystem
      assert.strictEqual(yield* fs.readFileString(`${directory}/said`), "said 1\n")
    })
  )

  live("is not confused by the output and values of a program", () =>
    Effect.gen(function* () {
      const { first, lldb, notices, until } = yield* stopped
      assert(first.kind === "stopped")
      assert.strictEqual(first.function, "work")
      assert.match(first.threadName ?? "", /^a\nerror: b/)
      const { output } = yield* lldb.run("frame variable --depth 2 -- r n")
      assert.match(output, /\(int\) n = 0$/)
      yield* until("stopped", "continue")
      assert.match((yield* lldb.run("frame variable n")).output, /= 1$/)
      assert.match((yield* lldb.run("expression -- r.text")).output, /error: no such thing/)
      yield* lldb.run("breakpoint delete")
      assert.deepStrictEqual(yield* until("exited", "continue"), {
        kind: "exited",
        pid: first.pid,
        status: 6
      })
      assert.deepStrictEqual(
        notices.filter(({ kind }) => kind !== "text").map(({ kind }) => kind),
        ["launched", "stopped", "resumed", "stopped", "resumed", "exited"]
      )
    })
  )

  live("does not take the output of a command for the exit of the program", () =>
    Effect.gen(function* () {
      const { directory, lldb, notices } = yield* stopped
      const fs = yield* FileSystem.FileSystem
      yield* fs.writeFileString(`${directory}/lie`, "Process 1 exited with status = 0 (0x00000000) \n")
      yield* lldb.run(`platform shell -- cat ${directory}/lie`)
      yield* numbered(lldb)
      assert(!notices.some(({ kind }) => kind === "exited"))
    })
  )

  live("removes the confirmation of a selection from all answers", () =>
    Effect.gen(function* () {
      const { lldb, notices } = yield* stopped
      const before = notices.length
      for (let turn = 0; turn < 30; turn++) {
        assert.strictEqual((yield* lldb.run("thread select 1")).output, "")
        const { output } = yield* lldb.run("thread backtrace -c 2 1")
        assert.strictEqual(output.split("\n").length, 4, output)
      }
      assert.deepStrictEqual(notices.slice(before), [])
    })
  )

  live("reports at once that it was killed, and during which command", () =>
    Effect.gen(function* () {
      const { lldb } = yield* stopped
      const running = yield* Effect.forkChild(Effect.flip(lldb.run("expression -- (int)usleep(60000000)")), {
        startImmediately: true
      })
      process.kill(lldb.pid, "SIGKILL")
      const lost = yield* Fiber.join(running)
      assert(lost._tag === "LldbLost")
      assert.deepStrictEqual([lost.reason, lost.signal], ["ended", "SIGKILL"])
      assert.strictEqual(lost.command, "expression -- (int)usleep(60000000)")
      assert.strictEqual(yield* lldb.lost, lost)
      assert.strictEqual(yield* Effect.flip(lldb.run("version")), lost)
    })
  )

  live("has exited with its program when its scope is closed", () =>
    Effect.gen(function* () {
      const pids = yield* Effect.scoped(
        Effect.map(stopped, ({ first, lldb }) => [lldb.pid, first.kind === "stopped" ? first.pid : 0])
      )
      for (const pid of pids) assert.throws(() => process.kill(pid, 0))
    })
  )
})
