/** GDB's dialect in a scripted conversation: the signal of a stop, and steps into functions without debug information. */
import { assert, describe, it } from "@effect/vitest"
import { ScriptedAdapter } from "@sigtrap/dap/testing"
import { RunsCode } from "@sigtrap/manager"
import { Deferred, Effect } from "effect"
import * as Gdb from "../../src/adapters/Gdb.ts"
import { Registry } from "../../src/index.ts"
import { commands, connect, platform } from "../support.ts"

const gdb18 = { ...Gdb.adapter, find: () => Effect.succeed({ path: "/opt/gdb", version: "18.1", major: 18 }) }

const withGdb = Effect.provideService(Registry.Adapters, [gdb18])

type Adapter = ScriptedAdapter.Adapter

const answer = (adapter: Adapter, command: string, body: unknown = {}) =>
  Effect.flatMap(adapter.expect(command), (request) => adapter.respond(request, body))

/** The answer of a script: JSON after the mark. */
const script = (value: unknown) => ({
  result: `a message of GDB\n\u001e${JSON.stringify(value)}\n`,
  variablesReference: 0
})

const empty = { result: "", variablesReference: 0 }

/** Starts the program: the workaround script, the wrapper and the program's file come before launch. */
const start = Effect.fnUntraced(function* (adapter: Adapter) {
  yield* answer(adapter, "initialize", { supportsConfigurationDoneRequest: true })
  for (let line = 0; line < 3; line++) yield* answer(adapter, "evaluate", empty)
  const launch = yield* adapter.expect("launch")
  yield* adapter.event("initialized")
  yield* answer(adapter, "configurationDone")
  yield* adapter.respond(launch)
})

it("GDB's texts of values say what can be opened", () => {
  const { valueText } = Gdb.quirks(16)
  const shown = (text: string, members?: number) => valueText?.(text, "T", members)
  assert.deepStrictEqual(
    [shown("", 0), shown("", 2), shown("None", 2), shown("None"), shown("std::vector of length 3, capacity 3", 3)],
    ["{}", "{...}", "{...}", "None", "std::vector of length 3, capacity 3 {...}"]
  )
  for (const text of ["0x7ffe", "@0x7ffe", "{1, 2}", "(1, 2)", '"text"', "std::map with 0 elements"])
    assert.strictEqual(shown(text, text.startsWith("std") ? 0 : 1), text)
})

it("GDB starts without init files, symbol servers and the user's home", () => {
  const launch = { program: "/w/a", args: [], cwd: "/w", env: { HOME: "/users/own" }, stopOnEntry: false }
  const { args, env } = Gdb.adapter.start({ path: "/opt/gdb" }, launch, "/tmp/own")
  assert.includeMembers([...args], ["--nh", "--nx", "set debuginfod enabled off"])
  assert.isBelow(args.indexOf("--nx"), args.indexOf("-iex"))
  assert.strictEqual(args[args.indexOf("set debuginfod enabled off") - 1], "-iex")
  assert.strictEqual(env?.["HOME"], "/tmp/own")
})

describe("GDB", () => {
  it.effect("names the signal of a stop, and switches step-mode only when it changes", () =>
    Effect.gen(function* () {
      const stopped = yield* Deferred.make<void>()
      const adapter = yield* ScriptedAdapter.make((adapter) =>
        Effect.gen(function* () {
          yield* start(adapter)
          yield* adapter.event("stopped", { reason: "signal", threadId: 1 })
          yield* answer(adapter, "evaluate", script({ name: "SIGSEGV", address: "0x10" }))
          yield* Deferred.succeed(stopped, undefined)
          yield* answer(adapter, "evaluate", empty)
          yield* answer(adapter, "stepIn")
          yield* answer(adapter, "stepIn")
          yield* answer(adapter, "evaluate", empty)
          yield* answer(adapter, "next")
          yield* answer(adapter, "disconnect")
        })
      )
      const { events, launch } = yield* connect(adapter, { launch: { adapter: "gdb" } })
      const connection = yield* launch
      yield* connection.run
      yield* Deferred.await(stopped)
      yield* Effect.yieldNow
      yield* connection.resume("step", 1, { system: true })
      yield* connection.resume("step", 1, { system: true })
      yield* connection.resume("next", 1)
      yield* connection.end("kill")
      yield* adapter.finished
      assert.deepInclude(events, {
        _tag: "Stopped",
        reason: "signal",
        raw_reason: "exception",
        description: "signal SIGSEGV (fault address=0x10)",
        signal: "SIGSEGV",
        fault_address: "0x10",
        thread: 1,
        breakpoints: [],
        focus: true
      })
      const expressions = adapter.received().flatMap((message) => {
        if (message.type !== "request" || message.command !== "evaluate") return []
        const { expression } = Object(message.arguments)
        return typeof expression === "string" && !expression.startsWith("python") ? [expression] : []
      })
      assert.deepStrictEqual(expressions.slice(1), ["file /src/app", "set step-mode on", "set step-mode off"])
      assert.match(expressions[0] ?? "", /^set exec-wrapper \/bin\/sh /)
      assert.deepStrictEqual(commands(adapter).slice(-1), ["disconnect"])
      const supplier = (id: string) => connection.features().find((feature) => feature.id === id)?.by
      assert.deepStrictEqual(["hit-counts", "logpoints", "return-values", "watchpoints"].map(supplier), [
        "manager",
        "manager",
        "adapter",
        "command"
      ])
    }).pipe(withGdb, Effect.provide(platform))
  )

  it.effect("names members by the values that they are in, and marks memory that cannot be read", () =>
    Effect.gen(function* () {
      const local = (name: string, type: string, reference = 0, value = "0x7ffe10") => ({
        name,
        type,
        value,
        variablesReference: reference,
        ...(reference === 0 ? {} : { namedVariables: 1 })
      })
      const scopes = [
        { name: "Locals", presentationHint: "locals", variablesReference: 1, namedVariables: 4, expensive: false }
      ]
      const answers: Readonly<Record<number, ReadonlyArray<ReturnType<typeof local>>>> = {
        1: [
          local("in", "int", 0, "55"),
          local("p", "struct D *", 2),
          local("grid", "int [2][2]", 6, ""),
          local("up", "P", 9)
        ],
        2: [local("value", "struct D", 3, "")],
        3: [local("in", "struct In", 4, ""), local("Base", "Base", 5, ""), local("q", "struct In *", 10)],
        4: [local("n", "int", 0, "8")],
        6: [local("0", "int [2]", 7, ""), local("1", "int [2]", 8, "")],
        8: [local("0", "int", 0, "3")],
        9: [local("get()", "D *", 11)]
      }
      const ready = yield* Deferred.make<void>()
      const adapter = yield* ScriptedAdapter.make((adapter) =>
        Effect.gen(function* () {
          yield* start(adapter)
          yield* Deferred.succeed(ready, undefined)
          yield* answer(adapter, "scopes", { scopes })
          for (const handle of [1, 2, 3, 4, 6, 8, 9]) {
            const request = yield* adapter.expect("variables")
            yield* adapter.respond(request, { variables: answers[handle] })
          }
          const request = yield* adapter.expect("variables")
          yield* adapter.refuse(request, { message: "Cannot access memory at address 0x0" })
          yield* answer(adapter, "disconnect")
        })
      )
      const { launch } = yield* connect(adapter, { launch: { adapter: "gdb" } })
      const connection = yield* launch
      yield* connection.run
      yield* Deferred.await(ready)
      const expressions = (values: ReadonlyArray<{ readonly name: string; readonly expression?: string }>) =>
        values.map(({ expression, name }) => [name, expression])
      const locals = yield* connection.locals(0)
      assert.deepStrictEqual(
        expressions(locals),
        ["in", "p", "grid", "up"].map((name) => [name, name])
      )
      assert.strictEqual(locals[2]?.value, "{...}")
      const children = (handle: number) => Effect.map(connection.children(handle, 0, 10), expressions)
      assert.deepStrictEqual(yield* children(2), [
        ["in", "p->in"],
        ["Base", "static_cast<Base &>(*p)"],
        ["q", "p->q"]
      ])
      assert.deepStrictEqual(yield* children(4), [["n", "p->in.n"]])
      assert.deepStrictEqual(yield* children(6), [
        ["[0]", "grid[0]"],
        ["[1]", "grid[1]"]
      ])
      assert.deepStrictEqual(yield* children(8), [["[0]", "grid[1][0]"]])
      // A value that a formatter made has no expression.
      assert.deepStrictEqual(yield* children(9), [["get()", undefined]])
      const failure = yield* Effect.flip(connection.children(10, 0, 10))
      assert.deepInclude(failure, { _tag: "AdapterError", reason: "unreadable" })
      yield* connection.end("kill")
      yield* adapter.finished
    }).pipe(withGdb, Effect.provide(platform))
  )

  it.effect("evaluates nothing that could run code for a caller who may not", () =>
    Effect.gen(function* () {
      const adapter = yield* ScriptedAdapter.make((adapter) =>
        Effect.gen(function* () {
          yield* start(adapter)
          const hover = yield* adapter.expect("evaluate")
          assert.deepInclude(hover.arguments, { expression: "a + b", context: "hover" })
          yield* adapter.refuse(hover, {
            message: "Cannot call functions in the program: may-call-functions is off."
          })
          yield* answer(adapter, "disconnect")
        })
      )
      const { launch } = yield* connect(adapter, { launch: { adapter: "gdb" } })
      const connection = yield* launch
      yield* connection.run
      const failure = yield* connection
        .evaluate("a + b", 1, "read")
        .pipe(Effect.provideService(RunsCode.RunsCode, "which needs the tier evaluate"), Effect.flip)
      assert.match("detail" in failure ? failure.detail : "", /may run code of the program.*needs the tier evaluate/)
      yield* connection.end("kill")
      yield* adapter.finished
    }).pipe(withGdb, Effect.provide(platform))
  )

  it.effect("says which library a frame is in, and which thread of the system a thread is", () =>
    Effect.gen(function* () {
      const frame = (id: number, name: string, file: string, moduleId: string) => ({
        id,
        name,
        line: 44,
        column: 0,
        moduleId,
        source: { name: file, path: file }
      })
      const adapter = yield* ScriptedAdapter.make((adapter) =>
        Effect.gen(function* () {
          yield* start(adapter)
          yield* answer(adapter, "stackTrace", {
            stackFrames: [
              frame(0, "__pthread_kill_implementation", "./nptl/pthread_kill.c", "/lib/x86_64-linux-gnu/libc.so.6"),
              frame(1, "check", "/w/a.c", "/w/a")
            ]
          })
          yield* answer(adapter, "threads", { threads: [{ id: 1, name: "a" }] })
          yield* answer(adapter, "evaluate", script([[1, 4711]]))
          yield* answer(adapter, "disconnect")
        })
      )
      const { launch } = yield* connect(adapter, { launch: { adapter: "gdb" } })
      const connection = yield* launch
      yield* connection.run
      const { frames } = yield* connection.stack(1, 0, 2)
      assert.deepStrictEqual(
        frames.map(({ module }) => module),
        ["libc.so.6", "a"]
      )
      assert.deepStrictEqual(yield* connection.threads, [{ id: 1, os_id: 4711, name: "a" }])
      yield* connection.end("kill")
      yield* adapter.finished
    }).pipe(withGdb, Effect.provide(platform))
  )
})
