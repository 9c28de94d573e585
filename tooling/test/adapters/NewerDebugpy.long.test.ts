/**
 * The newest debugpy, which distributions do not have: sigtrap changes private functions of it, and another version may lack them.
 * `SIGTRAP_TEST_DEBUGPY` names a folder that has it (`python3 -m pip install --target FOLDER debugpy`). A recorded conversation with 1.8
 * is always replayed.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { debugging, environment, platform, Programs } from "../support/fixturePrograms.ts"
import { recorded } from "../support/tools.ts"

const folder = process.env["SIGTRAP_TEST_DEBUGPY"] ?? ""
const own = { ...environment, PYTHONPATH: folder }

const chained = `def parse(text):
    try:
        return int(text)
    except ValueError as error:
        raise KeyError(text) from error
total = 0
for part in ["1", "2", "x"]:
    total += parse(part)
`

const deep = `def depth(n):
    return 1 + depth(n + 1)
depth(0)
`

layer(platform, { excludeTestServices: true, timeout: "120 seconds" })("the debugpy in SIGTRAP_TEST_DEBUGPY", (it) => {
  it.effect("stops at breakpoints, conditions, causes and recursions", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        if (!recorded("the newest debugpy (SIGTRAP_TEST_DEBUGPY)", folder !== "")) return
        const { directory } = yield* Programs
        writeFileSync(`${directory}/newer.py`, chained)
        const at = [`${directory}/newer.py:8 if part == "2"`]
        const first = yield* start(`${directory}/newer.py`, { environment: own, break: at })
        assert.notMatch(first.data.adapter?.version ?? "1.6", /^1\.[0-7]\b/)
        assert.deepInclude(first.data, { event: "stopped", reason: "breakpoint" })
        yield* call("set", { target: "total", value: "40" })
        assert.strictEqual((yield* call("print", { expressions: ["total + 1"] })).data.values[0]?.value, "41")
        const raised = yield* call("continue", {})
        assert.deepInclude(raised.data.location, { function: "parse", line: 5 })
        assert.deepStrictEqual(
          (yield* call("explain", {})).data.facts.map(({ text }) => text),
          ["KeyError: 'x'", "caused by ValueError: invalid literal for int() with base 10: 'x', in parse newer.py:3"]
        )
        assert.deepInclude((yield* call("continue", {})).data, { event: "exited", exit_code: 1 })
        writeFileSync(`${directory}/deeper.py`, deep)
        const ended = yield* start(`${directory}/deeper.py`, { environment: own, replace: true })
        assert.match(ended.data.description ?? "", /^RecursionError: /)
        assert.deepInclude((yield* call("continue", {})).data, { event: "exited", exit_code: 1 })
      })
    )
  )
})
