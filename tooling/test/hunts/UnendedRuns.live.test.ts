/** What `run` reports of programs that do not end: the call is the last one that sees them. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { compile, debugging, environment, platform } from "../support/fixturePrograms.ts"
import { needs } from "../support/fixtures.ts"

const suite = layer(platform, { excludeTestServices: true, timeout: "60 seconds" })

const locks = `import threading, time
accounts, journal = threading.Lock(), threading.Lock()
def transfer():
    with accounts:
        time.sleep(0.1)
        with journal: pass
def audit():
    with journal:
        time.sleep(0.1)
        with accounts: pass
for function in (transfer, audit):
    threading.Thread(target=function, name=function.__name__).start()
`

const spins = `def spin(n):
    while n != 1:
        n = 8 if n == 4 else n // 2
spin(8)
`

const waits = `#include <unistd.h>
int main(void) { return pause(); }
`

const sleeps = `#include <unistd.h>
int main(void) { for (;;) usleep(10000); }
`

const crowd = `#include <pthread.h>
pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static void *enter(void *unused) { pthread_mutex_lock(&gate); return unused; }
int main(void) {
  pthread_t thread;
  pthread_mutex_lock(&gate);
  for (int number = 0; number < 300; number++) pthread_create(&thread, 0, enter, 0);
  pthread_join(thread, 0);
}
`

/** Writes a file into a directory of its own. */
const written = (name: string, text: string) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
    yield* fs.writeFileString(`${directory}/${name}`, text)
    return `${directory}/${name}`
  })

suite("a run whose program does not end", (it) => {
  for (const [how, input, outcome] of [
    ["whose time is up", { timeout: "10s" }, "time-out"],
    ["that hangs by its rule", { fail_if: ["hang:1s"] }, "failed"]
  ] as const) {
    it.effect(`says what the threads of a Python program wait for, although they cannot be paused: one ${how}`, () =>
      debugging(({ call }) =>
        Effect.gen(function* () {
          yield* needs("debugpy", "python3-debugpy")
          const { data } = yield* call("run", { environment, program: yield* written("locks.py", locks), ...input })
          assert.nestedPropertyVal(data, "run.outcome", outcome)
          assert.include(data.explain, 'threads "transfer" and "audit" wait for each other')
          assert.include(data.explain, 'locks.py:6 waits: threading.Lock, journal, held by thread "audit"')
          assert.lengthOf((yield* call("sessions", {})).data.sessions, 0)
        })
      )
    )
  }

  it.effect("keeps one that hangs and cannot be paused, and explains it afterwards", () =>
    debugging(({ call }) =>
      Effect.gen(function* () {
        yield* needs("debugpy", "python3-debugpy")
        const program = yield* written("locks.py", locks)
        const { data } = yield* call("run", { environment, program, fail_if: ["hang:1s"], until_failure: 1 })
        assert.deepInclude(data.run, { outcome: "failed", session: "failed" })
        assert.strictEqual((yield* call("status", {})).data.state, "running")
        assert.include((yield* call("explain", {})).data.summary, "wait for each other")
      })
    )
  )

  it.effect("says of 300 threads what they wait for, or that there was no time to read it", () =>
    debugging(({ call }) =>
      Effect.gen(function* () {
        const source = yield* written("crowd.c", crowd)
        const program = source.replace(/\.c$/, "")
        yield* compile(source, program)
        const { data } = yield* call("run", { environment, program, timeout: "1s" })
        assert.nestedPropertyVal(data, "run.outcome", "time-out")
        // On a busy machine the owner of the mutex may not be read in time either.
        const sentences =
          /wait for each other|^300 of 301 threads: waits for mutex |^what its threads wait for was not read in time/
        assert.match(data.explain ?? "", sentences)
      })
    )
  )

  it.effect("shows where a loop of Python is, and lists no tasks", () =>
    debugging(({ call }) =>
      Effect.gen(function* () {
        yield* needs("debugpy", "python3-debugpy")
        const { data } = yield* call("run", {
          environment,
          program: yield* written("spins.py", spins),
          fail_if: ["hang:1s"]
        })
        assert.deepInclude(data, { event: "stopped", reason: "pause" })
        assert.strictEqual(data.location?.function, "spin")
        assert.strictEqual(data.explain, undefined)
      })
    )
  )

  it.effect("shows where a native program is, within a second after its time", () =>
    debugging(({ call }) =>
      Effect.gen(function* () {
        const source = yield* written("waits.c", waits)
        const program = source.slice(0, -2)
        yield* compile(source, program)
        const answer = yield* call("run", { environment, program, timeout: "2s" })
        assert.deepInclude(answer.data, { event: "stopped", reason: "pause" })
        assert.nestedPropertyVal(answer.data, "run.outcome", "time-out")
        assert.strictEqual(answer.data.location?.function, "main")
      })
    )
  )

  it.effect("shows where the last of repeated runs is when the time is up, and leaves no other one", () =>
    debugging(({ alive, call }) =>
      Effect.gen(function* () {
        const source = yield* written("waits.c", waits)
        const program = source.slice(0, -2)
        yield* compile(source, program)
        const input = { environment, program, until_failure: 5, parallel: 2, timeout: "2s" }
        const { data } = yield* call("run", input)
        assert.deepInclude(data, { event: "stopped", reason: "pause", explain: "thread 1: waits for a signal" })
        assert.nestedPropertyVal(data, "run.outcome", "time-out")
        assert.strictEqual(data.location?.function, "main")
        assert.lengthOf((yield* call("sessions", {})).data.sessions, 0)
        assert.deepStrictEqual(alive(), [])
      })
    )
  )

  it.effect("says of a run that hangs how many of its threads ran before it was stopped", () =>
    debugging(({ call }) =>
      Effect.gen(function* () {
        const source = yield* written("sleeps.c", sleeps)
        const program = source.slice(0, -2)
        yield* compile(source, program)
        const { data } = yield* call("run", { environment, program, until_failure: 1, fail_if: ["hang:500ms"] })
        assert.nestedPropertyVal(data, "run.outcome", "failed")
        assert.match(data.explain ?? "", /^1 of 1 thread ran in the \d+ ms before the pause/)
      })
    )
  )

  it.effect("leaves none of the runs that failed while another one was examined", () =>
    debugging(({ alive, call }) =>
      Effect.gen(function* () {
        const source = yield* written("aborts.c", "#include <stdlib.h>\nint main(void) { abort(); }\n")
        const program = source.slice(0, -2)
        yield* compile(source, program)
        const { data } = yield* call("run", { environment, program, until_failure: 9, parallel: 4, keep: false })
        assert.nestedPropertyVal(data, "run.outcome", "failed")
        assert.deepStrictEqual(alive(), [])
      })
    )
  )
})
