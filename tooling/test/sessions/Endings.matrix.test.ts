/** The end of a session whose debugger is stopped, hung or dead: what happens to the program, and what the answer says. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, FileSystem, Schedule } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { readFileSync } from "node:fs"
import { compile, debugging, environment, platform, Programs, type Debugging } from "../support/fixturePrograms.ts"
import { standing } from "../support/processes.ts"

const suite = layer(platform, { excludeTestServices: true, timeout: "60 seconds" })

/** Returns the time that a process has run, in clock ticks. */
const runTime = (pid: number) =>
  Number(
    readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ")[11]
  )

/** Fails unless a process runs on and no debugger traces it. The loop of the program passes the breakpoint all the time. */
const runsOn = Effect.fnUntraced(function* (pid: number) {
  const before = runTime(pid)
  yield* Effect.sync(() => runTime(pid)).pipe(
    Effect.repeat({ until: (time) => time > before + 1, schedule: Schedule.spaced("10 millis"), times: 500 })
  )
  assert.isAbove(runTime(pid), before + 1)
  assert.deepStrictEqual(standing(pid), { state: "R", tracer: "0" })
})

/** Returns the processes of a client whose program has this name. */
const named = ({ alive }: Debugging, name: RegExp) =>
  alive().filter((pid) => name.test(readFileSync(`/proc/${pid}/comm`, "utf8").trim()))

/** Starts the loop and attaches at a breakpoint in it. */
const attached = Effect.fnUntraced(function* (own: Debugging, backend: "dap" | "lldb-cli") {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const { directory, line } = yield* Programs
  const target = yield* spawner.spawn(ChildProcess.make(`${directory}/loop`))
  const pid = Number(target.pid)
  const at = `loop.c:${line("loop.c", "loop")}`
  const variables = { ...environment, LC_MARK: own.temporary }
  yield* own.call("attach", { pid, backend, environment: variables, break: [at], pause: true })
  assert.deepInclude((yield* own.call("continue", {})).data, { event: "stopped", reason: "breakpoint" })
  assert.strictEqual(standing(pid)?.state, "t")
  return pid
})

const signal = (pids: ReadonlyArray<number>, name: NodeJS.Signals) => {
  assert.isNotEmpty(pids)
  for (const pid of pids) process.kill(pid, name)
}

suite("a program that was attached to and is at a breakpoint", (it) => {
  for (const [backend, debuggers] of [
    ["dap", /^lldb-dap/],
    ["dap", /^lldb-server/],
    ["lldb-cli", /^lldb(-\d+)?$/]
  ] as const) {
    it.effect(`runs on after stop if ${String(debuggers)} was stopped by a signal`, () =>
      debugging((own) =>
        Effect.gen(function* () {
          const pid = yield* attached(own, backend)
          signal(named(own, debuggers), "SIGSTOP")
          const stopped = yield* own.call("stop", {})
          assert.deepStrictEqual(stopped.data.leftovers, [])
          assert.deepInclude(stopped.data.sessions[0], { how: "detached" })
          assert.notProperty(stopped.data.sessions[0], "problem")
          yield* runsOn(pid)
        })
      ).pipe(Effect.scoped)
    )
  }

  it.effect("runs on after detach if lldb-dap was stopped by a signal", () =>
    debugging((own) =>
      Effect.gen(function* () {
        const pid = yield* attached(own, "dap")
        signal(named(own, /^lldb-dap/), "SIGSTOP")
        const detached = yield* own.call("detach", {})
        assert.deepStrictEqual(detached.data, { pid, alive: true, suspended: false, traced: false })
        yield* runsOn(pid)
      })
    ).pipe(Effect.scoped)
  )

  it.effect("may end by SIGTRAP if lldb-dap is killed, and status says so", () =>
    debugging((own) =>
      Effect.gen(function* () {
        const pid = yield* attached(own, "dap")
        const waiting = yield* Effect.forkChild(own.call("wait", { after: 5 }))
        signal(named(own, /^lldb-dap/), "SIGKILL")
        yield* Fiber.await(waiting)
        const { lost, state } = (yield* own.call("status", {})).data
        assert.strictEqual(state, "lost")
        assert.strictEqual(
          lost?.replace(/^\S+/, "lldb-dap"),
          `lldb-dap was killed by SIGKILL; process ${pid} may end by SIGTRAP at its next breakpoint`
        )
      })
    ).pipe(Effect.scoped)
  )
})

suite("the reported end of a program", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`under ${backend} is the signal or the exit code, also if both have the same number`, () =>
      debugging((own) =>
        Effect.gen(function* () {
          const fs = yield* FileSystem.FileSystem
          const directory = yield* fs.makeTempDirectoryScoped()
          const lines = [
            "#include <signal.h>",
            "#include <stdlib.h>",
            "int main(int argc, char **argv)",
            "{",
            "  return argc > 1 ? atoi(argv[1]) : raise(SIGKILL);",
            "}"
          ]
          yield* fs.writeFileString(`${directory}/die.c`, `${lines.join("\n")}\n`)
          yield* compile(`${directory}/die.c`, `${directory}/die`)
          const { data: killed } = yield* own.start(`${directory}/die`, { backend })
          assert.deepInclude(killed, { event: "exited", signal: "SIGKILL" })
          const { data: exited } = yield* own.start(`${directory}/die`, { backend, args: ["9"], replace: true })
          assert.deepInclude(exited, { event: "exited", exit_code: 9 })
          assert.notProperty(exited, "signal")
        })
      ).pipe(Effect.scoped)
    )
  }
})

/** Forks twice. The grandchild keeps the pipes and waits until a file exists, writes, then waits for a second file for ever. */
const forksTwice = [
  "#include <stdio.h>",
  "#include <stdlib.h>",
  "#include <unistd.h>",
  "static void await(const char *path)",
  "{",
  "  while (access(path, F_OK) != 0) usleep(10000);",
  "}",
  "int main(int argc, char **argv)",
  "{",
  "  int ends[2];",
  "  char byte;",
  "  if (pipe(ends) != 0) return 1;",
  // The program ends when the child between them has ended: until then both have a writing end.
  "  if (fork() != 0) {",
  "    close(ends[1]);",
  "    return read(ends[0], &byte, 1) == 0 ? 3 : 1;",
  "  }",
  "  if (setsid() < 0 || fork() != 0) exit(0);",
  "  close(ends[0]);",
  "  close(ends[1]);",
  "  await(argv[1]);",
  '  dprintf(1, "late %d\\n", getpid());',
  "  await(argv[2]);",
  "  return argc;",
  "}"
]

suite("a grandchild that keeps the pipes of a program after its exit", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`under ${backend} is named by status, its output is shown, and stop kills it`, () =>
      debugging((own) =>
        Effect.gen(function* () {
          const fs = yield* FileSystem.FileSystem
          const directory = yield* fs.makeTempDirectoryScoped()
          const [write, exit] = [`${directory}/write`, `${directory}/exit`]
          yield* fs.writeFileString(`${directory}/twice.c`, `${forksTwice.join("\n")}\n`)
          yield* compile(`${directory}/twice.c`, `${directory}/twice`)
          const { data: exited } = yield* own.start(`${directory}/twice`, { backend, args: [write, exit] })
          assert.deepInclude(exited, { event: "exited", exit_code: 3 })
          // The kernel may still list the child between them.
          const { outlived_by = [] } = (yield* Effect.repeat(own.call("status", {}), {
            until: ({ data }) => data.outlived_by?.length === 1,
            schedule: Schedule.spaced("10 millis"),
            times: 500
          })).data
          const [grandchild] = outlived_by
          assert.deepStrictEqual(outlived_by, [{ pid: grandchild?.pid ?? 0, name: "twice" }])
          yield* fs.writeFileString(write, "")
          const { data: late } = yield* Effect.repeat(own.call("output", {}), {
            until: ({ data }) => data.text !== "",
            schedule: Schedule.spaced("10 millis"),
            times: 500
          })
          assert.strictEqual(late.text, `late ${grandchild?.pid}\n`)
          assert.deepInclude((yield* own.call("status", {})).data, { state: "exited", outlived_by })
          yield* own.call("stop", {})
          assert.deepStrictEqual(own.alive(), [])
        })
      ).pipe(Effect.scoped)
    )
  }
})
