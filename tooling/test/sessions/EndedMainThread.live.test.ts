/** A program whose main thread has ended while another one runs. The kernel lists its process as a zombie. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem, Option, Schedule, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { compiled } from "../support/compiled.ts"
import { debugging, platform } from "../support/fixturePrograms.ts"

const suite = layer(platform, { excludeTestServices: true, timeout: "120 seconds" })

const text = `#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static volatile int rounds;
static void count(int number) { rounds = number; }
static void *other(void *unused) {
  puts("begun"); fflush(stdout);
  for (int number = 1; number < 6000; number++) { usleep(10000); count(number); }
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, other, NULL);
  pthread_exit(NULL);
}
`

const built = Effect.map(
  compiled({ "ended.c": text }, ["gcc", "-pthread", "-o", "ended", "ended.c"]),
  (directory) => `${directory}/ended`
)

/** Returns whether the kernel lists the process as a zombie with a second thread. */
const mainHasEnded = Effect.fnUntraced(function* (pid: number) {
  const stat = yield* (yield* FileSystem.FileSystem).readFileString(`/proc/${pid}/stat`)
  return / Z(?: \S+){16} 2 /.test(stat.slice(stat.lastIndexOf(")") + 1))
})

const untilEnded = (pid: number) =>
  mainHasEnded(pid).pipe(
    Effect.repeat({ until: (ended) => ended, schedule: Schedule.spaced("20 millis") }),
    Effect.timeout("20 seconds")
  )

suite("a program whose main thread has ended", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`is debugged, and left running (${backend})`, () =>
      debugging(({ call, environment }) =>
        Effect.gen(function* () {
          if (process.platform !== "linux") return
          const program = yield* built
          yield* call("start", { program, backend, environment, wait: false })
          const { data } = yield* call("status", {})
          const pid = data.pid ?? 0
          yield* untilEnded(pid)

          const paused = yield* call("pause", {})
          assert.strictEqual(paused.state, "stopped")
          yield* call("continue", { wait: false })
          const explained = yield* call("explain", {})
          assert.deepStrictEqual(
            explained.data.waits.map(({ text }) => text),
            ["sleeps"]
          )
          assert.strictEqual((yield* call("status", {})).data.state, "running")

          yield* call("break", { function: "count" })
          const stop = yield* call("wait", { timeout: "10s" })
          assert.strictEqual(stop.data.location?.function, "count")
          const next = yield* call("next", {})
          assert.strictEqual(next.state, "stopped")
          yield* call("breakpoint.remove", { all: true })
          yield* call("continue", { wait: false })

          const detached = yield* call("detach", {})
          assert.deepInclude(detached.data, { pid, alive: true, suspended: false })
          assert.isTrue(yield* mainHasEnded(pid))
          yield* Effect.sync(() => process.kill(pid, "SIGKILL"))
        })
      ).pipe(Effect.scoped)
    )
  }

  it.effect("cannot be attached to, and the error says why", () =>
    debugging(({ call, environment }) =>
      Effect.gen(function* () {
        if (process.platform !== "linux") return
        const program = yield* built
        const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
        const running = yield* spawner.spawn(ChildProcess.make(program, [], { stdin: "ignore" }))
        const said = yield* running.stdout.pipe(Stream.decodeText(), Stream.splitLines, Stream.runHead)
        assert.deepStrictEqual(said, Option.some("begun"))
        yield* untilEnded(running.pid)
        const failure = yield* Effect.flip(call("attach", { pid: running.pid, environment }))
        assert.strictEqual(failure._tag, "AttachFailed")
        assert.match(failure.message, /its main thread has ended/)
        assert.isTrue(yield* mainHasEnded(running.pid))
      })
    ).pipe(Effect.scoped)
  )
})
