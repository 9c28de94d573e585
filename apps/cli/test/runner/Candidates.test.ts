import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as History from "../../src/repl/History.ts"
import * as Candidates from "../../src/runner/Candidates.ts"
import { answer, type Reply, run } from "../fakes.ts"

describe("an incomplete line", () => {
  it.each([
    ["print ", ["print"], ""],
    ["print it", ["print"], "it"],
    ["print 'items[0].n", ["print"], "items[0].n"],
    ["", [], ""]
  ] as const)("%j is divided", (line, before, word) => {
    assert.deepStrictEqual(Candidates.typed(line), { before: [...before], word })
  })

  /** Answers `complete` with what was asked, and other calls with names. */
  const reply: Reply = ({ payload, tag }) => {
    if (tag === "complete") return Effect.succeed(answer({ completions: [{ text: JSON.stringify(payload) }] }))
    if (tag === "files") return Effect.succeed(answer({ files: ["/src/app.c"], total: 1 }))
    return Effect.succeed(answer({ sessions: [], breakpoints: [] }))
  }
  const shown = (line: string) =>
    Effect.map(run(["__complete", "line", line], { reply }), ({ stdout }) => stdout.split("\n").slice(0, -1))

  it.effect.each([
    ["sigtrap brea", ["break", "breakable", "breakpoint", "breakpoints"]],
    ["sigtrap breakpoint li", ["lines", "list"]],
    ["sigtrap next --context b", ["brief"]],
    ["sigtrap next --cont", ["--context"]],
    ["sigtrap config g", ["get"]],
    ["sigtrap config set output.con", ["output.context"]],
    ["/usr/bin/sigtrap config set out", ["output.budget", "output.context", "output.lines"]],
    ["sigtrap completion b", ["bash"]],
    ["sigtrap web --al", ["--allow"]],
    ["sigtrap serve --", ["--address", "--port", "--stop", "--json"]],
    ["sigtrap log --aud", ["--audit"]],
    ["sigtrap daemon stop --fo", ["--force"]],
    ["sigtrap serve --req", []],
    ["sigtrap grant --ttl ", []],
    ["sigtrap start ./app -- no", []]
  ] as const)("%s", ([line, expected]) =>
    Effect.gen(function* () {
      const found = yield* shown(line)
      for (const one of expected) assert.include(found, one)
      assert.isTrue(found.length >= expected.length && (expected.length > 0 || found.length === 0), found.join(" "))
    })
  )
})

describe("the history of prompts", () => {
  it.each([
    ["print total", true],
    ["", false],
    [" print total", false],
    ["set password hunter2", false],
    ["start ./app --env API_KEY=abc", false],
    ["print ghp_0123456789abcdefghijABCDEFGHIJ012345", false],
    ["x".repeat(5000), false]
  ])("%s is kept: %s", (line, expected) => {
    assert.strictEqual(History.isKept(line), expected)
  })

  it.each([
    [{ HOME: "/home/me" }, "/home/me/.local/state/sigtrap/history"],
    [{ HOME: "/home/me", XDG_STATE_HOME: "/state" }, "/state/sigtrap/history"],
    [{}, undefined]
  ])("with %j is in %s", (environment, expected) => {
    assert.strictEqual(History.fileOf(environment), expected)
  })
})
