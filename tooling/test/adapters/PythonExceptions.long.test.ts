/** Python's exceptions: where they are raised, and which filters are on. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { debugging, platform, Programs } from "../support/fixturePrograms.ts"
import { needs } from "../support/fixtures.ts"

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("an exception of Python", (it) => {
  it.effect("reports an exception that passes through callers as the one that was raised below", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* needs("debugpy", "python3-debugpy")
        const { directory } = yield* Programs
        const source = [
          "def inner():",
          "    raise ValueError('x')",
          "def outer():",
          "    try:",
          "        inner()",
          "    except ValueError:",
          "        pass",
          "outer()",
          "try:",
          "    raise KeyError('y')",
          "except KeyError:",
          "    pass"
        ]
        writeFileSync(`${directory}/passing.py`, `${source.join("\n")}\n`)
        const seen = (report: {
          readonly location?: { readonly line?: number }
          readonly exception?: { readonly passes?: boolean; readonly thrown_at?: { readonly line?: number } }
        }) => [report.location?.line, report.exception?.passes, report.exception?.thrown_at?.line]
        const first = yield* start(`${directory}/passing.py`, { catch: ["raised"] })
        assert.deepStrictEqual(seen(first.data), [2, undefined, 2])
        assert.deepStrictEqual(seen((yield* call("continue", {})).data), [5, true, undefined])
        assert.deepStrictEqual(seen((yield* call("continue", {})).data), [10, undefined, 10])
      })
    )
  )

  it.effect("keeps the frames that raised its cause apart from its callers", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* needs("debugpy", "python3-debugpy")
        const { directory } = yield* Programs
        const source = [
          "def parse(text):",
          "    try:",
          "        return number(text)",
          "    except ValueError as error:",
          "        raise KeyError(text) from error",
          "def number(text):",
          "    return int(text)",
          "parse('x')"
        ]
        writeFileSync(`${directory}/chained.py`, `${source.join("\n")}\n`)
        const report = (yield* start(`${directory}/chained.py`)).data
        assert.deepStrictEqual(
          report.frames?.map((frame) => [frame.function, frame.line]),
          [
            ["parse", 5],
            ["<module>", 8]
          ]
        )
        const { frames } = (yield* call("backtrace", {})).data
        // A frame that raised the cause has called nothing.
        const explained = (yield* call("explain", {})).data
        assert.deepStrictEqual(
          explained.callers?.map(({ line }) => line),
          frames.slice(1, 2).map(({ line }) => line)
        )
        assert.deepStrictEqual(
          explained.facts.map(({ text }) => text),
          ["KeyError: 'x'", "caused by ValueError: invalid literal for int() with base 10: 'x', in number chained.py:7"]
        )
        assert.deepInclude(frames[2], { line: 3, raised: "invalid literal for int() with base 10: 'x'" })
      })
    )
  )

  it.effect("stops at a recursion without end that ends the program, and not at one that it handles", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* needs("debugpy", "python3-debugpy")
        const { directory } = yield* Programs
        const source = [
          "def depth(n):",
          "    return 1 + even(n + 1)",
          "def even(n):",
          "    return depth(n)",
          "try:",
          "    depth(0)",
          "except RecursionError:",
          "    print('handled')",
          "depth(0)"
        ]
        writeFileSync(`${directory}/deep.py`, `${source.join("\n")}\n`)
        const report = (yield* start(`${directory}/deep.py`)).data
        assert.deepInclude(report, { event: "stopped", reason: "exception" })
        assert.match(report.description ?? "", /^RecursionError: maximum recursion depth exceeded/)
        assert.include(["depth", "even"], report.location?.function)
        const { facts } = (yield* call("explain", {})).data
        assert.match(
          facts[1]?.text ?? "",
          /^(?:depth and even|even and depth) call each other: \w+ is on the stack 4\d\d times$/
        )
        assert.deepInclude((yield* call("continue", {})).data, { event: "exited", exit_code: 1 })
        writeFileSync(`${directory}/handled.py`, `${source.slice(0, -1).join("\n")}\n`)
        assert.deepInclude((yield* start(`${directory}/handled.py`)).data, { event: "exited", exit_code: 0 })
      })
    )
  )

  it.effect("that ended the tracing of a thread leaves it open whether a breakpoint was passed", () =>
    debugging(({ start }) =>
      Effect.gen(function* () {
        yield* needs("debugpy", "python3-debugpy")
        const { directory } = yield* Programs
        const source = [
          "import os, sys, threading, time",
          "def later():",
          "    return 1",
          "def work():",
          "    try: deep(0)",
          "    except RecursionError: pass",
          "    if 'later' in sys.argv: later()",
          "def deep(n): return deep(n + 1) if 'deep' in sys.argv else n",
          "def slow(): time.sleep(0.2)",
          "if 'thread' in sys.argv:",
          "    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()",
          "    threading.Thread(target=slow).start()",
          "    threading.Thread(target=work).start()",
          "else: work()",
          "if 'exit' in sys.argv: sys.exit(0)",
          "if 'at once' in sys.argv: os._exit(0)"
        ]
        writeFileSync(`${directory}/untraced.py`, `${source.join("\n")}\n`)
        const missed = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
          const { data } = yield* start(`${directory}/untraced.py`, { args, break: ["untraced.py:3"], replace: true })
          assert.strictEqual(data.event, "exited", args.join())
          return data.never_hit?.map((one) => one.missed)
        })
        for (const args of [[], ["thread"], ["exit"]]) assert.deepStrictEqual(yield* missed(...args), [undefined])
        for (const args of [["deep", "later"], ["deep", "later", "thread"], ["at once"]])
          assert.deepStrictEqual(yield* missed(...args), [true], args.join())
      })
    )
  )

  it.effect("names the types of exceptions without a message, and what was handled when they were raised", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* needs("debugpy", "python3-debugpy")
        const { directory } = yield* Programs
        const source = [
          "class Quiet(Exception): pass",
          "def inner():",
          "    raise Quiet()",
          "def outer():",
          "    try:",
          "        inner()",
          "    except Quiet:",
          "        try:",
          "            raise KeyError",
          "        except KeyError:",
          "            raise RuntimeError()",
          "outer()"
        ]
        writeFileSync(`${directory}/silent.py`, `${source.join("\n")}\n`)
        const report = (yield* start(`${directory}/silent.py`)).data
        assert.strictEqual(report.description, "RuntimeError")
        assert.deepStrictEqual(
          (yield* call("explain", {})).data.facts.map(({ text }) => text),
          [
            "exception of type RuntimeError",
            "raised before, in outer silent.py:9: KeyError",
            "raised before, in inner silent.py:3: Quiet"
          ]
        )
        writeFileSync(`${directory}/hidden.py`, `${source.join("\n").replace("()\nouter", "() from None\nouter")}\n`)
        yield* start(`${directory}/hidden.py`, { replace: true })
        assert.deepStrictEqual(
          (yield* call("explain", {})).data.facts.map(({ text }) => text),
          ["exception of type RuntimeError"]
        )
      })
    )
  )

  it.effect("has the first and the last of many causes, and how many are between them", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* needs("debugpy", "python3-debugpy")
        const { directory } = yield* Programs
        const source = [
          "def chain(n):",
          "    if n == 0:",
          "        raise ValueError('link 0')",
          "    try:",
          "        chain(n - 1)",
          "    except ValueError as e:",
          "        raise ValueError(f'link {n}') from e",
          "chain(12)"
        ]
        writeFileSync(`${directory}/many.py`, `${source.join("\n")}\n`)
        yield* start(`${directory}/many.py`)
        const link = (n: number) => `caused by ValueError: link ${n}, in chain many.py:${n === 0 ? 3 : 7}`
        assert.deepStrictEqual((yield* call("explain", {})).data.facts.map(({ text }) => text).slice(1), [
          ...[11, 10, 9, 8, 7].map(link),
          "caused by 5 more exceptions",
          link(1),
          link(0)
        ])
      })
    )
  )

  it.effect("tells a death by signal from an exit code, and names the last traceback of an exit", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* needs("debugpy", "python3-debugpy")
        const { directory } = yield* Programs
        const ended = Effect.fnUntraced(function* (name: string, ...source: ReadonlyArray<string>) {
          writeFileSync(`${directory}/${name}.py`, `${source.join("\n")}\n`)
          yield* start(`${directory}/${name}.py`, { replace: true })
          return (yield* call("explain", {})).data.summary
        })
        assert.strictEqual(yield* ended("fault", "import ctypes", "ctypes.string_at(0)"), "ended by SIGSEGV")
        assert.strictEqual(yield* ended("aborts", "import os", "os.abort()"), "ended by SIGABRT")
        assert.strictEqual(yield* ended("code", "import os", "os._exit(245)"), "exited with code 245")
        const traced = ["try:", "    deep(0)", "except RecursionError:", "    traceback.print_exc()", "    os._exit(1)"]
        assert.match(
          yield* ended("traced", "import os, traceback", "def deep(n):", "    return deep(n + 1)", ...traced),
          /^exited with code 1; the last traceback is of RecursionError: maximum recursion depth exceeded/
        )
      })
    )
  )

  it.effect("was raised in a function of the user, also if its name is like that of a runtime", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* needs("debugpy", "python3-debugpy")
        const { directory } = yield* Programs
        for (const name of ["assert_valid", "abort"]) {
          writeFileSync(`${directory}/${name}.py`, `def ${name}(n):\n    assert n == 4, n\n${name}(3)\n`)
          yield* start(`${directory}/${name}.py`, { replace: true })
          assert.deepInclude((yield* call("exception", {})).data.thrown_at, { function: name, line: 2 })
        }
      })
    )
  )

  it.effect("stops at uncaught exceptions, which catch list shows, until catch none", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* needs("debugpy", "python3-debugpy")
        const { directory } = yield* Programs
        writeFileSync(`${directory}/failing.py`, "first = 1\nraise ValueError('x')\n")
        const on = (filters: ReadonlyArray<{ readonly filter: string; readonly on: boolean }>) =>
          filters.flatMap(({ filter, on }) => (on ? [filter] : []))
        yield* start(`${directory}/failing.py`, { break: ["failing.py:1"] })
        assert.deepStrictEqual(on((yield* call("catch.list", {})).data.filters), ["uncaught"])
        assert.deepStrictEqual(on((yield* call("catch", { filter: "raised" })).data.filters), ["raised", "uncaught"])
        assert.deepStrictEqual(on((yield* call("catch.remove", { filter: "raised" })).data.filters), ["uncaught"])
        assert.deepInclude((yield* call("continue", {})).data, { event: "stopped", reason: "exception" })

        yield* start(`${directory}/failing.py`, { break: ["failing.py:1"], replace: true })
        assert.deepStrictEqual(on((yield* call("catch", { filter: "none" })).data.filters), [])
        assert.deepInclude((yield* call("continue", {})).data, { event: "exited", exit_code: 1 })

        const ended = yield* start(`${directory}/failing.py`, { catch: ["none"] })
        assert.deepInclude(ended.data, { event: "exited", exit_code: 1 })
      })
    )
  )
})
