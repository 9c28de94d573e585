/** Debugs Python programs under debugpy, with the same operations as native programs. */
import { assert, layer } from "@effect/vitest"
import { Hint } from "@sigtrap/protocol"
import { Effect, Schedule, FileSystem } from "effect"
import { writeFileSync } from "node:fs"
import { debugging, platform, Programs } from "../support/fixturePrograms.ts"
import { fixture, marked, needs } from "../support/fixtures.ts"

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("a Python program", (it) => {
  const program = fixture("python/app.py")
  const bug = marked("python/app.py", "bug")

  it.effect("is debugged from its first breakpoint to its exit", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* needs("debugpy", "python3-debugpy")
        const started = yield* start(program, { args: ["one", "two"], break: [`app.py:${bug}`] })
        assert.deepInclude(started.data, { event: "stopped", reason: "breakpoint" })
        assert.strictEqual(started.data.adapter.name, "debugpy")
        assert.deepInclude(started.data.location, { function: "sum_scores", file: program, line: bug })
        assert.deepStrictEqual(started.data.breakpoints, [1])

        const frames = (yield* call("backtrace", {})).data.frames.map((frame) => [frame.function, frame.line])
        assert.deepStrictEqual(frames.slice(0, 2), [
          ["sum_scores", bug],
          ["main", marked("python/app.py", "call")]
        ])
        const locals = (yield* call("locals", { names: ["n", "total", "i"] })).data.variables
        assert.deepStrictEqual(locals.map(({ name, type, value }) => [name, type, value]).toSorted(), [
          ["i", "int", "0"],
          ["n", "int", "3"],
          ["total", "int", "0"]
        ])
        const printed = (yield* call("print", { expressions: ["items[1].name", "n + 1"] })).data.values
        assert.deepStrictEqual(
          printed.map(({ value }) => value),
          ["'beta'", "4"]
        )
        const evaluated = yield* call("eval", { expression: "sum(item.score for item in items)" })
        assert.strictEqual(evaluated.data.value.value, "60")
        const missing = yield* Effect.flip(call("print", { expressions: ["totl"] }))
        assert.deepInclude(missing, { _tag: "VariableNotFound", near: ["total"] })

        yield* call("breakpoint.remove", { ids: [1] })
        assert.deepInclude((yield* call("next", {})).data, { event: "stopped", reason: "step" })
        const condition = yield* call("break", { at: `app.py:${bug} if i == 2` })
        assert.deepInclude(condition.data, { id: 2, condition: "i == 2", resolved: true })
        assert.deepInclude((yield* call("continue", {})).data, { event: "stopped", reason: "breakpoint" })
        assert.strictEqual((yield* call("locals", { names: ["total"] })).data.variables[0]?.value, "30")
        assert.strictEqual((yield* call("finish", {})).data.location?.function, "main")

        // An exit with a code is an end, as in C.
        assert.deepInclude((yield* call("continue", {})).data, { event: "exited", exit_code: 3 })
        const read = (channel: "stdout" | "stderr") =>
          Effect.map(call("output", { channel: [channel] }), (answer) => answer.data.text)
        assert.strictEqual(yield* read("stdout"), "hello from app, args=['one', 'two']\ntotal=60\n")
        assert.strictEqual(yield* read("stderr"), "grüße\n")
      })
    )
  )

  it.effect("stops at no exit, unless it is asked to", () =>
    debugging(({ call, environment, start, temporary }) =>
      Effect.gen(function* () {
        yield* needs("debugpy", "python3-debugpy")
        const leave = `${temporary}/leave.py`
        writeFileSync(leave, 'import sys\nsys.exit("no account")\n')
        const ended = yield* call("run", { program: leave, environment })
        assert.deepInclude(ended.data, { event: "exited", exit_code: 1 })
        assert.deepInclude(ended.data.run, { outcome: "passed" })
        assert.include(ended.data.output?.tail ?? "", "no account")
        const caught = yield* start(leave, { catch: ["throw"] })
        assert.deepInclude(caught.data, { event: "stopped", description: "SystemExit: no account" })
        const option = ["breakOnSystemExitZero=true"]
        const asked = yield* start(leave, { adapter_opt: option, replace: true })
        assert.deepInclude(asked.data, { event: "stopped", description: "SystemExit: no account" })
      })
    )
  )

  it.effect("runs no call in a formatted string for callers who may not evaluate", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* needs("debugpy", "python3-debugpy")
        yield* start(program, { deny: ["eval"], break: [`app.py:${bug}`] })
        const reset = 'f"{items.clear()}"'
        assert.strictEqual((yield* Effect.flip(call("print", { expressions: [reset] })))._tag, "SideEffects")
        assert.strictEqual((yield* Effect.flip(call("break", { at: `app.py:${bug} if ${reset}` })))._tag, "Policy")
        assert.strictEqual(
          (yield* Effect.flip(call("logpoint", { at: `app.py:${bug}`, message: `{${reset}}` })))._tag,
          "Policy"
        )
        assert.strictEqual((yield* call("print", { expressions: ["items[2].score"] })).data.values[0]?.value, "30")
      })
    )
  )

  it.effect("does not stop at a removed breakpoint of a line whose other one counts hits", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* needs("debugpy", "python3-debugpy")
        yield* start(program, { break: [`app.py:${bug}`] })
        yield* call("breakpoint.remove", { ids: [1] })
        yield* call("break", { at: `app.py:${bug}`, hits: "==2" })
        assert.deepInclude((yield* call("continue", {})).data, { breakpoints: [2] })
        assert.deepStrictEqual((yield* call("locals", { names: ["i"] })).data.variables[0]?.value, "2")
      })
    )
  )

  it.effect("assigns to variables, attributes and elements", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* needs("debugpy", "python3-debugpy")
        yield* start(program, { break: [`app.py:${bug}`] })
        assert.deepInclude((yield* call("set", { target: "total", value: "5" })).data, { old: "0" })
        yield* call("eval", { expression: "total = 4" })
        yield* call("eval", { expression: "total += 1" })
        assert.strictEqual((yield* call("print", { expressions: ["total"] })).data.values[0]?.value, "5")
        const unknown = yield* Effect.flip(call("eval", { expression: "total = no_such" }))
        assert.strictEqual(unknown.message, "no variable 'no_such' in this frame")
        yield* call("set", { target: "items[i].score", value: "7" })
        const { values } = (yield* call("print", { expressions: ["total", "items[0].score"] })).data
        assert.deepStrictEqual(
          values.map(({ value }) => value),
          ["5", "7"]
        )
      })
    )
  )

  it.effect("stops where it raises an uncaught exception", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const entered = yield* start(program, { args: ["raise"], break: ["main", "sum_scores"] })
        // debugpy would accept the name of a method with its class, and never stop.
        const method = yield* Effect.flip(call("break", { at: "Item.score" }))
        assert.strictEqual(method._tag, "BreakpointUnresolved")
        assert.deepStrictEqual(method.hints, [Hint.call("break", { at: "score" })])
        assert.deepInclude(entered.data, { reason: "breakpoint", breakpoints: [1], hit_counts: [1] })
        assert.deepInclude((yield* call("continue", {})).data, {
          reason: "breakpoint",
          breakpoints: [2],
          hit_counts: [1]
        })
        const stopped = yield* call("continue", {})
        assert.deepInclude(stopped.data, { event: "stopped", reason: "exception" })
        assert.match(stopped.data.description ?? "", /ValueError.*no such score/)
        assert.strictEqual(stopped.data.location?.line, marked("python/app.py", "raise"))
        assert.strictEqual((yield* call("print", { expressions: ["total"] })).data.values[0]?.value, "60")
        assert.deepInclude((yield* call("continue", {})).data, { event: "exited", exit_code: 1 })
      })
    )
  )

  it.effect("shows the exceptions in a group, and where each was raised", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* needs("debugpy", "python3-debugpy")
        const { directory } = yield* Programs
        const source = [
          "class Unreadable(Exception):",
          "    def __str__(self): raise ValueError()",
          "def parse(text): return int(text)",
          "def refuse(): raise Unreadable()",
          "found = []",
          "for work in (lambda: parse('x'), refuse):",
          "    try: work()",
          "    except Exception as one: found.append(one)",
          "raise ExceptionGroup('all', [ExceptionGroup('inner', found), KeyError('never raised')])"
        ]
        writeFileSync(`${directory}/group.py`, `${source.join("\n")}\n`)
        const { exception } = (yield* start(`${directory}/group.py`)).data
        const members = exception?.members?.map(({ raised_at: at, text }) => [text, at?.function, at?.line])
        assert.deepStrictEqual(members, [
          ["ValueError: invalid literal for int() with base 10: 'x'", "parse", 3],
          ["Unreadable: <exception str() failed>", "refuse", 4],
          ["KeyError: 'never raised'", undefined, undefined]
        ])
        const { facts } = (yield* call("explain", {})).data
        assert.deepStrictEqual(
          facts.map(({ text }) => text),
          [
            "ExceptionGroup: all (2 sub-exceptions)",
            "contains ValueError: invalid literal for int() with base 10: 'x', in parse group.py:3",
            "contains Unreadable: <exception str() failed>, in refuse group.py:4",
            "contains KeyError: 'never raised'"
          ]
        )
        // The text of a group in another exception makes none of that one.
        writeFileSync(`${directory}/text.py`, "raise RuntimeError('all (2 sub-exceptions)')\n")
        const other = (yield* start(`${directory}/text.py`, { replace: true })).data.exception
        assert.strictEqual(other?.message, "all (2 sub-exceptions)")
        assert.isUndefined(other?.members)
      })
    )
  )

  it.effect("stops at its first line, and reads the file given as standard input", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = yield* fs.makeTempDirectoryScoped()
        yield* fs.writeFileString(`${directory}/in put`, "first\nlast\n")
        const entry = yield* start(program, { args: ["echo"], stdin: `${directory}/in put`, stop_on_entry: true })
        assert.deepInclude(entry.data, { event: "stopped", reason: "entry" })
        assert.strictEqual(entry.data.location?.line, 1)
        yield* call("continue", {})
        assert.include((yield* call("output", {})).data.text, "read first\n")
      })
    )
  )

  it.effect("lists what its threads and tasks wait for, also while it runs", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const line = (mark: string) => marked("python/tasks.py", mark)
        yield* start(fixture("python/tasks.py"), { break: [`tasks.py:${line("ready")}`] })
        const places = Effect.map(call("tasks", {}), ({ data: { groups } }) =>
          groups.map(({ awaits, count, frames, kind, state, wait }) => [
            kind,
            count,
            state,
            frames[0]?.line,
            wait ?? awaits
          ])
        )
        const waits = [
          ["asyncio", 3, "waiting", line("leaf"), "asyncio.Event.wait"],
          ["asyncio", 1, "waiting", line("sleep"), "asyncio.sleep"],
          ["asyncio", 1, "waiting", line("lock"), "asyncio.Lock.acquire"],
          ["asyncio", 1, "waiting", line("joined"), 'task "worker-0"'],
          ["thread", 1, "waiting", line("thread"), "threading.Event.wait"]
        ]
        const stopped = yield* places
        for (const one of waits) assert.deepInclude(stopped, one)
        assert.deepInclude(stopped, ["thread", 1, "running", line("ready"), undefined])
        assert.deepInclude(stopped, ["asyncio", 1, "running", line("ready"), undefined])
        yield* call("continue", { wait: false })
        const running = yield* places
        for (const one of waits) assert.deepInclude(running, one)
        assert.strictEqual((yield* call("explain", {})).data.what, "hang")
        assert.strictEqual((yield* call("status", {})).data.state, "running")
      })
    )
  )

  it.effect("names the locks for which threads wait, and who holds them where that is certain", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const line = (mark: string) => marked("python/locks.py", mark)
        yield* start(fixture("python/locks.py"), { wait: false })
        const waits = Effect.map(call("tasks", {}), ({ data: { groups } }) =>
          groups.map(({ awaits, frames, state, wait }) => [frames[0]?.line, state, wait, awaits])
        )
        const expected = [
          [line("left"), "waiting", "threading.Lock", 'other.guard, held by thread "right"'],
          [line("right"), "waiting", "threading.Lock", 'other.guard, held by thread "left"'],
          [line("acquire"), "waiting", "threading.RLock", 'tally, held by thread "keeper"'],
          [line("pair"), "waiting", "threading.Lock", 'second, held by thread "pair"'],
          [line("kept"), "waiting", "sleep", undefined],
          // Which thread called acquire is not known.
          [line("manual"), "waiting", "threading.Lock", "manual"],
          [line("computes"), "unknown", undefined, undefined]
        ]
        // Each thread needs a moment until it waits.
        yield* Effect.retry(
          Effect.flatMap(waits, (found) => Effect.try(() => expected.forEach((one) => assert.deepInclude(found, one)))),
          { times: 20, schedule: Schedule.spaced("200 millis") }
        )
        const { data } = yield* call("explain", {})
        assert.match(data.summary, /^threads "left" and "right" wait for each other; \d+ threads: /)
        // All of them are in the answer.
        assert.deepStrictEqual(data.next, [])
      })
    )
  )

  it.effect("names the thread that is joined, and tasks that wait for each other", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
        const source = [
          "import asyncio, threading",
          "guard = threading.RLock()",
          "def locked():",
          "    with guard:",
          "        pass",
          "async def waits(name, tasks):",
          "    await asyncio.sleep(0)",
          "    await tasks[name]",
          "async def main():",
          "    tasks = {}",
          "    for own, other in ('a', 'b'), ('b', 'a'):",
          "        tasks[own] = asyncio.create_task(waits(other, tasks), name=own)",
          "    await tasks['a']",
          "def loop():",
          "    asyncio.run(main())",
          "threading.Thread(target=loop, name='loop').start()",
          "with guard:",
          "    other = threading.Thread(target=locked, name='other')",
          "    other.start()",
          "    other.join()"
        ]
        yield* fs.writeFileString(`${directory}/cycles.py`, `${source.join("\n")}\n`)
        yield* start(`${directory}/cycles.py`, { wait: false })
        const cycles =
          /^threads "MainThread" and "other" wait for each other; asyncio tasks "a" and "b" wait for each other; /
        const { data } = yield* Effect.retry(
          Effect.tap(call("explain", {}), ({ data: { summary } }) => Effect.try(() => assert.match(summary, cycles))),
          { times: 20, schedule: Schedule.spaced("200 millis") }
        )
        const main = data.tasks?.find(({ frames: [frame] }) => frame?.line === 20)
        assert.deepInclude(main, { wait: "threading.Thread.join", awaits: 'thread "other"' })
      })
    )
  )

  it.effect("stops at exceptions of the callers of a stopped function", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
        const source = [
          "def work():",
          "    return 1",
          "def caller():",
          "    work()",
          "    try:",
          "        raise ValueError('caller')",
          "    except ValueError:",
          "        pass",
          "caller()",
          "try:",
          "    raise KeyError('top')",
          "except KeyError:",
          "    pass"
        ]
        yield* fs.writeFileString(`${directory}/callers.py`, `${source.join("\n")}\n`)
        yield* start(`${directory}/callers.py`, { break: ["callers.py:2"] })
        yield* call("catch", { filter: "raised" })
        const stops = [(yield* call("continue", {})).data, (yield* call("continue", {})).data]
        assert.deepStrictEqual(
          stops.map(({ location, reason }) => [reason, location?.line]),
          [
            ["exception", 6],
            ["exception", 11]
          ]
        )
      })
    )
  )

  it.effect("has no list of the lines with code", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* start(program, { break: [`app.py:${bug}`] })
        const refused = yield* Effect.flip(call("breakpoint.lines", { at: "app.py" }))
        assert.strictEqual(refused._tag, "Unsupported")
        assert.strictEqual(refused.message, "debugpy does not support a list of the lines that have code")
      })
    )
  )

  it.effect("is paused in a loop and ended with nothing left", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
        yield* fs.writeFileString(`${directory}/loop.py`, "n = 0\nprint('ready')\nwhile True:\n    n = n + 1\n")
        yield* start(`${directory}/loop.py`, { wait: false })
        yield* call("wait", { timeout: "1s" }).pipe(Effect.ignore)
        assert.deepInclude((yield* call("pause", {})).data, { event: "stopped", reason: "pause" })
        yield* call("stop", {})
      })
    )
  )
})
