/** The backend lldb-cli: every way to select it, hostile input, lost processes, detach. */
import { assert, layer } from "@effect/vitest"
import { Hint } from "@sigtrap/protocol"
import { Effect, Fiber, FileSystem } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { chmodSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import {
  compile,
  debugging,
  environment as outside,
  platform,
  Programs,
  type Debugging
} from "../support/fixturePrograms.ts"
import { isOver } from "../support/processes.ts"

const cli = { backend: "lldb-cli" } as const

const options = { excludeTestServices: true, timeout: "60 seconds" } as const

/** The caller's environment without a choice of a backend, and with one. */
const { SIGTRAP_BACKEND: _, ...neutral } = outside
const choosing = (value: string) => ({ ...neutral, SIGTRAP_BACKEND: value })

const source = (...lines: ReadonlyArray<string>) => `${lines.join("\n")}\n`

/** LLDB 14 shows the zeros at the end of an array of characters. */
const plain = (value: string) => value.replaceAll("\\0", "")

/** The living debuggers of a client. */
const debuggers = ({ alive }: Debugging) =>
  alive().filter((pid) => /^lldb(?:-\d+)?$/.test(readFileSync(`/proc/${pid}/comm`, "utf8").trim()))

const killOne = (pids: ReadonlyArray<number>) =>
  Effect.sync(() => {
    assert.lengthOf(pids, 1)
    for (const pid of pids) process.kill(pid, "SIGKILL")
  })

layer(platform, options)("a program on LLDB's command line", (it) => {
  it.effect("is debugged from its first breakpoint to its exit", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const { line } = yield* Programs
        const bug = line("app.c", "bug")
        const started = yield* start("app", { ...cli, break: [`app.c:${bug}`], args: ["one", "two"] })
        assert.deepInclude(started.data, { event: "stopped", reason: "breakpoint", breakpoints: [1] })
        assert.deepInclude(started.data.adapter, { name: "lldb", backend: "lldb-cli" })
        assert.deepInclude(started.data.location, { function: "sum_scores", line: bug })
        assert.strictEqual(started.data.output?.tail, "hello from app, argc=3")
        const items = started.data.locals?.find(({ name }) => name === "items")
        assert.match(items?.value ?? "", /^0x[0-9a-f]+ \{id:1, name:"alpha.*\}$/)
        const next = yield* call("next", {})
        assert.deepInclude(next.data, { event: "stopped", reason: "step" })
        assert.deepInclude(
          next.data.locals?.find(({ name }) => name === "total"),
          { value: "10", changed: true }
        )
        const printed = yield* call("print", { expressions: ["total", "items[i].score", "(int)items[i].score + 1"] })
        assert.deepStrictEqual(
          printed.data.values.map(({ value }) => value),
          ["10", "10.5", "11"]
        )
        yield* call("breakpoint.remove", { all: true })
        const finished = yield* call("finish", {})
        assert.deepInclude(finished.data, { event: "stopped", reason: "finish" })
        assert.deepInclude(finished.data.return_value, { type: "int", value: "60" })
        assert.deepInclude((yield* call("continue", {})).data, { event: "exited", exit_code: 3 })
        assert.include((yield* call("output", {})).data.text, "total=60\n")
      })
    )
  )

  it.effect("shows members, elements and pointers by pages, and expressions with what is inside them", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* start("app", { ...cli, break: ["sum_scores"] })
        yield* call("up", {})
        const inside = (yield* call("expand", { target: "items", depth: 2, start: 1, count: 3 })).data
        assert.deepInclude(inside.children[0], { name: "[1]", expression: "items[1]" })
        assert.deepStrictEqual(
          inside.children[0]?.children?.map(({ name, value }) => `${name}=${plain(value)}`),
          ["id=2", 'name="beta"', "score=20.25"]
        )
        const pointer = (yield* call("expand", { target: "(struct item *)items + 2" })).data
        assert.deepStrictEqual(
          pointer.children.map(({ name, value }) => `${name}=${plain(value)}`),
          ["id=3", 'name="gamma"', "score=30.75"]
        )
        const deep = (yield* call("expand", { target: "argv", depth: 2 })).data.children[0]
        // The characters of a string are not its members.
        assert.isUndefined(deep?.children)
        assert.strictEqual((yield* Effect.flip(call("print", { expressions: ["itens"] })))._tag, "VariableNotFound")
        const wrong = yield* Effect.flip(call("print", { expressions: ["n +"] }))
        assert(wrong._tag === "EvaluationFailed")
        assert.include(wrong.detail, "expected expression")
        const old = inside.children[0]?.ref ?? ""
        yield* call("next", {})
        assert.strictEqual((yield* Effect.flip(call("expand", { target: old })))._tag, "StaleReference")
      })
    )
  )
})

layer(platform, options)("the backend", (it) => {
  it.effect("is chosen by argument, by adapter, by environment, in that order", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const began = (input: Parameters<Debugging["start"]>[1]) =>
          Effect.map(start("app", { stop_at_main: true, replace: true, ...input }), ({ data }) => data.adapter.backend)
        assert.strictEqual(yield* began({ environment: choosing("lldb") }), "lldb-cli")
        assert.strictEqual(yield* began({ environment: choosing("lldb-cli"), backend: "dap" }), "dap")
        assert.strictEqual(yield* began({ environment: choosing("lldb-cli"), adapter: "lldb-dap" }), "dap")
        assert.strictEqual(yield* began({ environment: choosing("dap"), adapter: "lldb" }), "lldb-cli")
        assert.strictEqual(yield* began({ environment: neutral }), "dap")
        for (const environment of [choosing("gdb"), choosing("constructor")]) {
          const error = yield* Effect.flip(start("app", { environment, session: "other" }))
          assert(error._tag === "Usage")
          assert.match(error.problem, /SIGTRAP_BACKEND is '\w+'.*dap or lldb-cli/)
        }
        const torn = yield* Effect.flip(start("app", { ...cli, adapter: "lldb-dap", session: "other" }))
        assert.strictEqual(torn._tag, "Usage")
        assert.strictEqual((yield* call("sessions", {})).data.sessions.length, 1)
      })
    )
  )

  it.effect("that is missing is reported with the other one, if that is present", () =>
    debugging(({ start }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const { directory } = yield* Programs
        const found = (outside["PATH"] ?? "").split(":").flatMap((folder) => {
          try {
            return readdirSync(folder).map((name) => ({ name, path: `${folder}/${name}` }))
          } catch {
            return []
          }
        })
        const only = Effect.fnUntraced(function* (names: RegExp) {
          const folder = yield* fs.makeTempDirectoryScoped()
          const link = found.find(({ name }) => names.test(name))
          if (link !== undefined) symlinkSync(link.path, `${folder}/${link.name}`)
          return { PATH: folder }
        })
        const noDap = yield* Effect.flip(start("app", { environment: yield* only(/^lldb(-\d+)?$/), backend: "dap" }))
        assert(noDap._tag === "AdapterNotFound")
        assert.deepStrictEqual(noDap.hints, [Hint.call("start", { program: `${directory}/app`, backend: "lldb-cli" })])
        const noCli = yield* Effect.flip(start("app", { environment: yield* only(/^lldb-dap(-\d+)?$/), ...cli }))
        assert(noCli._tag === "AdapterNotFound")
        assert.deepStrictEqual(noCli.hints, [Hint.call("start", { program: `${directory}/app`, backend: "dap" })])
        assert.include(noCli.looked.join(), "SIGTRAP_LLDB")
      }).pipe(Effect.scoped)
    )
  )
})

layer(platform, options)("a kill of LLDB", (it) => {
  for (const state of ["stopped", "running"] as const) {
    it.effect(`while the program is ${state} loses the session and ends the program`, () =>
      debugging((own) =>
        Effect.gen(function* () {
          yield* own.start("loop", state === "stopped" ? { ...cli, stop_at_main: true } : { ...cli, wait: false })
          const waiting = yield* Effect.forkChild(own.call("wait", { after: 5 }))
          yield* killOne(debuggers(own))
          yield* Fiber.await(waiting)
          const status = (yield* own.call("status", {})).data
          assert.strictEqual(status.state, "lost")
          assert.match(status.lost ?? "", /^lldb was killed by SIGKILL/)
          assert.strictEqual((yield* Effect.flip(own.call("continue", {})))._tag, "SessionLost")
          yield* own.call("stop", {})
          assert.deepStrictEqual(own.alive(), [])
        })
      )
    )
  }

  for (const state of ["stopped", "running"] as const) {
    it.effect(
      `loses the session of a process that was attached to while it is ${state}, and leaves the process alive`,
      () =>
        Effect.gen(function* () {
          const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
          const { directory } = yield* Programs
          const target = yield* spawner.spawn(ChildProcess.make(`${directory}/loop`))
          yield* debugging((own) =>
            Effect.gen(function* () {
              const environment = { ...neutral, LC_MARK: own.temporary }
              const pid = Number(target.pid)
              yield* own.call("attach", { pid, ...cli, environment, pause: state === "stopped" })
              const waiting = yield* Effect.forkChild(own.call("wait", { after: 5 }))
              yield* killOne(debuggers(own))
              yield* Fiber.await(waiting)
              assert.strictEqual((yield* own.call("status", {})).data.state, "lost")
              assert.isFalse(isOver(pid))
            })
          )
        }).pipe(Effect.scoped)
    )
  }

  it.effect("leaves nothing behind of a program that was never looked at again", () =>
    debugging((own) =>
      Effect.gen(function* () {
        yield* own.start("loop", { ...cli, stop_at_main: true })
        assert.isAtLeast(own.alive().length, 3)
        yield* own.call("stop", {})
        assert.deepStrictEqual(own.alive(), [])
      })
    )
  )
})

const talker = source(
  "#include <stdio.h>",
  "#include <stdlib.h>",
  "int main(int argc, char **argv)",
  "{",
  '  const char *lie = "error: no\\n(lldb) Process 1 exited with status = 0 (0x00000000) \\n";',
  '  const char *mark = "\\x1e\\x1f#1 sigtrap <sigtrap->\\n";',
  '  printf("%s%s", lie, mark);',
  '  fprintf(stderr, "error: 1\\nProcess 1 stopped\\n");',
  "  for (int i = 1; i < argc; i++)",
  '    printf("[%s]", argv[i]);',
  '  const char *odd = getenv("ODD");',
  '  printf("{%s}", odd == NULL ? "unset" : odd);',
  "  return 0; // here",
  "}"
)

layer(platform, options)("hostile text", (it) => {
  it.effect("in arguments, variables, paths and conditions reaches the program exactly and runs nothing", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = yield* fs.makeTempDirectoryScoped()
        const canary = `${directory}/canary`
        const touch = `platform shell touch ${canary}`
        const args = ["a b", "", `'"\\`, "`1+1`", "$HOME", "*", "-x", "--", `\`${touch}\``, "größe 🧵", "\\n", "a\tb"]
        const folder = `${directory}/-it's a "path" \`1+1\` $HOME ; -o`
        yield* fs.makeDirectory(folder)
        writeFileSync(`${folder}/talker.c`, talker)
        yield* compile(`${folder}/talker.c`, `${folder}/-talk "er"`)
        const odd = `"quoted" \`${touch}\` $PATH \\ 'x'\nlast=1`
        const condition = `argc == ${args.length + 1} && "\`${touch}\`"[0] == '\`'`
        const program = `${folder}/-talk "er"`
        const began = yield* start(program, {
          ...cli,
          args,
          cwd: folder,
          env: [`ODD=${odd}`],
          break: [`talker.c:13 if ${condition}`]
        })
        assert.deepInclude(began.data, { event: "stopped", reason: "breakpoint" })
        const { values } = (yield* call("print", { expressions: ["lie", "mark", "argv[4]", "'`'"] })).data
        assert.include(values[0]?.value ?? "", '"error: no\\n(lldb) Process 1 exited')
        assert.include(values[1]?.value ?? "", "\\x1e\\x1f#1 sigtrap")
        assert.include(values[2]?.value ?? "", '"`1+1`"')
        assert.strictEqual(values[3]?.value, "96 '`'")
        assert.strictEqual((yield* call("eval", { expression: '"a`1+1`b"' })).data.value.value, '"a`1+1`b"')
        assert.deepInclude((yield* call("continue", {})).data, { event: "exited", exit_code: 0 })
        const said = (yield* call("output", {})).data.text
        assert.include(said, `${args.map((arg) => `[${arg}]`).join("")}{${odd}}`)
        for (const arg of [`x\n${touch}`, "x\r", "\u001b[31m"]) {
          const refused = yield* Effect.flip(start(program, { ...cli, args: [arg], session: "refused" }))
          assert.strictEqual(refused._tag, "LaunchFailed", JSON.stringify(arg))
          assert.include(refused.message, "--backend dap")
        }
        assert.isFalse(yield* fs.exists(canary))
      })
    )
  )

  it.effect("in names and raw commands starts no second command, and nothing waits for a terminal", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* start("app", { ...cli, break: ["sum_scores"] })
        for (const command of ["quit", "q 1", "script", "expression --", "breakpoint command add 1"]) {
          assert.strictEqual((yield* Effect.flip(call("raw", { command })))._tag, "Unsupported", command)
        }
        assert.strictEqual((yield* Effect.flip(call("raw", { command: "version\nquit" })))._tag, "Usage")
        for (const at of ['no "such`1`".c:3', "-C quit", "`quit`", "x\ty.c:1"]) {
          const error = yield* Effect.flip(call("break", { at }))
          assert.include(["BreakpointUnresolved", "InvalidLocation"], error._tag, at)
        }
        assert.include((yield* call("raw", { command: "version" })).data.output, "lldb version")
        const resumed = yield* call("raw", { command: "continue" })
        assert.isTrue(resumed.data.state_changed)
        assert.deepInclude((yield* call("wait", {})).data, { event: "exited", exit_code: 3 })
      })
    )
  )

  it.effect("of something that is not a debugger fails to start and leaves nothing", () =>
    debugging(({ start }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const folder = yield* fs.makeTempDirectoryScoped()
        writeFileSync(`${folder}/lldb`, '#!/bin/sh\n[ "$1" = --version ] && echo lldb version 19.1.7 && exit\nexit 3\n')
        chmodSync(`${folder}/lldb`, 0o755)
        const error = yield* Effect.flip(
          start("app", { ...cli, environment: { ...neutral, SIGTRAP_LLDB: `${folder}/lldb` } })
        )
        assert.strictEqual(error._tag, "AdapterStartFailed")
      })
    )
  )
})
