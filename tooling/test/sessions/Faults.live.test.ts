/** Failures with real programs: the errors are correct, and no process or file remains. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, FileSystem, Result, Schedule } from "effect"
import { readFileSync } from "node:fs"
import { compile, debugging, platform, Programs, type Debugging } from "../support/fixturePrograms.ts"

/** Returns the running processes of a client whose program has this name. */
const named = ({ alive }: Debugging, name: RegExp) =>
  alive().filter((pid) => name.test(readFileSync(`/proc/${pid}/comm`, "utf8").trim()))

const kill = (pids: ReadonlyArray<number>) =>
  Effect.sync(() => {
    assert.lengthOf(pids, 1)
    for (const pid of pids) process.kill(pid, "SIGKILL")
  }).pipe(
    // The kernel takes a moment over it.
    Effect.andThen(
      Effect.sync(() => pids.some(lives)).pipe(
        Effect.repeat({ while: (any) => any, schedule: Schedule.spaced("5 millis") })
      )
    )
  )

/** Whether a process is there and more than the remains of one. */
const lives = (pid: number) =>
  Result.match(
    Result.try(() => readFileSync(`/proc/${pid}/stat`, "utf8")),
    { onFailure: () => false, onSuccess: (text) => !/\) [ZX] /.test(text) }
  )

const endedByKill = (own: Debugging) =>
  Effect.gen(function* () {
    const ended = yield* own.call("wait", {})
    assert.strictEqual(ended.data.event, "exited")
    assert.strictEqual(ended.data.signal, "SIGKILL", JSON.stringify(ended.data))
    yield* own.call("stop", {})
    assert.deepStrictEqual(own.alive(), [])
  })

const lines = (...text: ReadonlyArray<string>) => `${text.join("\n")}\n`

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("an adapter", (it) => {
  it.effect("fails to start if it does not speak DAP, and is ended", () =>
    debugging((own) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const file = `${yield* fs.makeTempDirectoryScoped()}/chatty`
        yield* fs.writeFileString(file, lines("#!/bin/sh", "echo hello", "exec sleep 1000"))
        yield* fs.chmod(file, 0o755)
        const failed = yield* Effect.flip(own.start("app", { adapter: file }))
        assert(failed._tag === "AdapterStartFailed", failed._tag)
        assert.include(failed.detail, "hello")
        // The failure is answered at once; the adapter ends afterwards.
        yield* Effect.sync(() => named(own, /^sleep$/)).pipe(
          Effect.repeat({ while: (left) => left.length > 0, schedule: Schedule.spaced("5 millis") })
        )
      })
    )
  )
})

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("a breakpoint", (it) => {
  it.effect("moves from a line without code, and reports the move", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const { line, source } = yield* Programs
        yield* start("app", { stop_at_main: true })
        const empty = line("app.c", "return") + 2
        const moved = yield* call("break", { at: `${source("app.c")}:${empty}` })
        assert.deepInclude(moved.data, { moved: true, resolved: true })
        assert.isAbove(moved.data.locations[0]?.line ?? 0, empty)
        const exact = yield* call("break", { at: `app.c:${line("app.c", "bug")}` })
        assert.deepInclude(exact.data, { moved: false, resolved: true })
      })
    )
  )

  it.effect("fails with the reason if it does not resolve, and is not created", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* start("app", { stop_at_main: true })
        const before = (yield* call("breakpoint.list", {})).data.breakpoints
        for (const [at, reason] of [
          ["app.c:9999", /line 9999/],
          ["nofile.c:3", /file/],
          ["nosuch", /function/],
          ['no "such` $file.c:3', /file/]
        ] as const) {
          const error = yield* Effect.flip(call("break", { at }))
          assert(error._tag === "BreakpointUnresolved", `${at}: ${error._tag}`)
          assert.match(error.reason, reason)
        }
        assert.deepStrictEqual((yield* call("breakpoint.list", {})).data.breakpoints, before)
        const failed = yield* Effect.flip(start("app", { break: ["nosuch"], session: "second" }))
        assert.strictEqual(failed._tag, "BreakpointUnresolved")
        assert.lengthOf((yield* call("sessions", {})).data.sessions, 1)
      })
    )
  )

  it.effect("can be set while the program runs, and stops it", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const { line } = yield* Programs
        yield* start("loop", { wait: false })
        yield* call("break", { at: `loop.c:${line("loop.c", "loop")}` })
        const stopped = yield* call("wait", {})
        assert.deepInclude(stopped.data, { event: "stopped", reason: "breakpoint", breakpoints: [1] })
      })
    )
  )
})

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("a running program", (it) => {
  it.effect("is reported to every waiting caller, and refuses a second resume", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* start("loop", { wait: false })
        const waiting = yield* Effect.forkChild(Effect.all([call("wait", {}), call("wait", {})], { concurrency: 2 }))
        const error = yield* Effect.flip(call("continue", {}))
        assert.strictEqual(error._tag, "NotStopped")
        assert.strictEqual((yield* Effect.flip(call("locals", {})))._tag, "NotStopped")
        yield* call("pause", {})
        const [first, second] = yield* Fiber.join(waiting)
        assert.deepStrictEqual([first.stop, second.stop], [1, 1])
      })
    )
  )
})

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("a kill", (it) => {
  for (const state of ["stopped", "running"] as const) {
    const begin = ({ start }: Debugging) =>
      state === "stopped" ? start("loop", { stop_at_main: true }) : start("loop", { wait: false })

    it.effect(`of lldb-dap while the program is ${state} loses the session and ends the program`, () =>
      debugging((own) =>
        Effect.gen(function* () {
          yield* begin(own)
          const waiting = yield* Effect.forkChild(own.call("wait", { after: 5 }))
          const adapter = named(own, /^lldb-dap/)
          yield* kill(adapter)
          yield* Fiber.await(waiting)
          const error = yield* Effect.flip(own.call("continue", {}))
          assert.strictEqual(error._tag, "SessionLost")
          const status = (yield* own.call("status", {})).data
          assert.strictEqual(status.state, "lost")
          assert.match(status.lost ?? "", /killed by SIGKILL/)
          yield* own.call("stop", {})
          assert.deepStrictEqual(own.alive(), [])
          const again = yield* own.start("exit_code")
          assert.deepInclude(again.data, { event: "exited", exit_code: 7 })
        })
      )
    )
  }

  it.effect("ends the session of a stopped program, with debugger and server", () =>
    debugging((own) =>
      Effect.gen(function* () {
        const started = yield* own.start("loop", { stop_at_main: true })
        yield* kill(started.data.pid === undefined ? [] : [started.data.pid])
        const context = yield* own.call("context", {})
        assert.strictEqual(context.data.event, "exited", "reading is allowed in a session that has ended")
        yield* Effect.ignore(own.call("continue", {}))
        yield* endedByKill(own)
      })
    )
  )

  it.effect("ends the session of a running program, with debugger and server", () =>
    debugging((own) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = yield* fs.makeTempDirectoryScoped()
        yield* fs.writeFileString(
          `${directory}/die.c`,
          lines("#include <signal.h>", "int main(void)", "{", "  return raise(SIGKILL);", "}")
        )
        yield* compile(`${directory}/die.c`, `${directory}/die`)
        yield* own.start(`${directory}/die`)
        yield* endedByKill(own)
      })
    )
  )

  it.effect("leaves no process when stop answers", () =>
    debugging((own) =>
      Effect.gen(function* () {
        for (const state of ["stopped", "running"] as const) {
          yield* own.start("loop", state === "stopped" ? { stop_at_main: true } : { wait: false })
          assert.isAtLeast(own.alive().length, 3)
          const stopped = yield* own.call("stop", {})
          assert.deepInclude(stopped.data.sessions[0], { name: "default", how: "killed" })
          assert.deepStrictEqual(own.alive(), [], state)
        }
      })
    )
  )
})

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("a raw command", (it) => {
  it.effect("answers with the debugger's text, may not end it, and is noticed when it resumes", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* start("app", { break: ["sum_scores"] })
        const images = yield* call("raw", { command: "image list" })
        assert.match(images.data.output, /\/app\b/)
        assert.isFalse(images.data.state_changed)
        for (const command of ["quit", "q 1", "script", "expression --"]) {
          assert.strictEqual((yield* Effect.flip(call("raw", { command })))._tag, "Unsupported", command)
        }
        const wrong = yield* Effect.flip(call("raw", { command: "nosuchcommand" }))
        assert(wrong._tag === "AdapterError")
        assert.include(wrong.detail, "'nosuchcommand' is not a valid command")
        const resumed = yield* call("raw", { command: "continue" })
        assert.isTrue(resumed.data.state_changed)
        assert.deepInclude((yield* call("wait", {})).data, { event: "exited", exit_code: 3 })
      })
    )
  )

  it.effect("shows that the settings which protect the user are in force", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* start("app", { stop_at_main: true })
        for (const [setting, value] of [
          ["target.inherit-env", "(boolean) = false"],
          ["target.auto-apply-fixits", "(boolean) = false"],
          ["target.load-script-from-symbol-file", "(enum) = false"],
          ["symbols.enable-external-lookup", "(boolean) = false"]
        ] as const) {
          const shown = yield* call("raw", { command: `settings show ${setting}` })
          assert.strictEqual(shown.data.output.trim(), `${setting} ${value}`)
        }
      })
    )
  )
})

const printer = lines(
  "#include <stdio.h>",
  "#include <stdlib.h>",
  "int main(int argc, char **argv)",
  "{",
  "  for (int i = 1; i < argc; i++) {",
  '    printf("[%s]", argv[i]);',
  "  }",
  '  const char *odd = getenv("ODD");',
  '  printf("{%s}", odd == NULL ? "unset" : odd);',
  "  return 0;",
  "}"
)

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("hostile text", (it) => {
  it.effect("reaches the program unchanged in arguments, variables, paths and conditions, and runs nothing", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = yield* fs.makeTempDirectoryScoped()
        const canary = `${directory}/canary`
        const touch = `platform shell touch ${canary}`
        const args = ["a b", "", `'"\\`, "`1+1`", "$HOME", "*", "-x", "--", `x\n${touch}`, `\`${touch}\``, "größe 🧵"]
        const folder = `${directory}/it's a "path" \`1+1\` $HOME ; -o`
        yield* fs.makeDirectory(folder)
        yield* fs.writeFileString(`${directory}/printer.c`, printer)
        yield* compile(`${directory}/printer.c`, `${folder}/print "er"`)
        const odd = `"quoted" \`${touch}\` $PATH \\ 'x'\nlast=1`
        const condition = `argc == ${args.length + 1} && "\`${touch}\`"[0] == '\`'`
        const started = yield* start(`${folder}/print "er"`, {
          args,
          cwd: folder,
          env: [`ODD=${odd}`],
          break: [`printer.c:6 if ${condition}`]
        })
        assert.deepInclude(started.data, { event: "stopped", reason: "breakpoint" })
        yield* call("breakpoint.remove", { all: true })
        yield* call("continue", {})
        const said = (yield* call("output", {})).data.text
        assert.strictEqual(said, `${args.map((arg) => `[${arg}]`).join("")}{${odd}}`)
        assert.isFalse(yield* fs.exists(canary))
      })
    )
  )

  it.effect("is not read by the debugger from a home directory", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const { directory } = yield* Programs
        const home = yield* fs.makeTempDirectoryScoped()
        for (const name of [".lldbinit", ".lldbinit-lldb-dap", ".lldbinit-lldb"]) {
          yield* fs.writeFileString(`${home}/${name}`, `platform shell touch ${home}/canary\n`)
        }
        const environment = { PATH: process.env["PATH"] ?? "", HOME: home }
        yield* start("app", { environment, cwd: home, directory, stop_at_main: true })
        assert.isFalse(yield* fs.exists(`${home}/canary`))
        const seen = yield* call("eval", { expression: '(char *)getenv("HOME")' })
        assert.include(seen.data.value.value, home, "the program has the user's home all the same")
        yield* call("stop", {})
      })
    )
  )

  it.effect("fails without a debugger and names every searched place", () =>
    debugging(({ start }) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(start("app", { environment: { PATH: "/nowhere" } }))
        assert(error._tag === "AdapterNotFound")
        assert.include(error.looked.join(), "/nowhere/lldb-dap*")
      })
    )
  )
})
