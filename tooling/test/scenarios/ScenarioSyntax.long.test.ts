// Every accepted way of writing a step, run against a real debugger. Each scenario is in its own directory beside the source of
// its program, as in a project.
import { assert, describe, it } from "@effect/vitest"
import * as ScenarioRunner from "sigtrap/commands/ScenarioRunner"
import { Effect } from "effect"
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const fixtures = fileURLToPath(new URL("../../fixtures/c/", import.meta.url))

const environment = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
)

/** A project with sources in it. */
const project = Effect.acquireRelease(
  Effect.sync(() => {
    const directory = mkdtempSync(join(tmpdir(), "sigtrap-forms-"))
    mkdirSync(join(directory, "tests"))
    for (const name of ["app.c", "loop.c", "stdin.c"]) copyFileSync(join(fixtures, name), join(directory, name))
    return directory
  }),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)

const run = Effect.fnUntraced(function* (text: string, options: Partial<ScenarioRunner.Options> = {}, folder = ".") {
  const directory = yield* project
  const file = join(directory, folder, "scenario.yaml")
  writeFileSync(file, text)
  const outcome = yield* ScenarioRunner.run(file, { environment, keep: false, directory, ...options })
  return { outcome, file }
})

const passes = Effect.fnUntraced(function* (text: string, folder?: string) {
  const { outcome } = yield* run(text, {}, folder)
  assert.strictEqual(outcome.result, "passed", [outcome.step, outcome.message, outcome.log].join("\n"))
})

/** Scenarios by what is particular about them. */
const written: { readonly [title: string]: string } = {
  "with lines alone, and breakpoints set before the program runs": `
name: lines
needs: cc
platforms: [linux, macos]
setup:
  - cc -g -O0 -o app app.c
target:
  program: ./app
  args: one two
steps:
  - break app.c:14
  - command: sigtrap continue
    expect: "breakpoint 1"
  - inspect_locals:
    expect: { total: 0, i: 0, n: 3 }
  - command: continue
    expect:
      event: stopped
      reason: breakpoint
      function: sum_scores
      line: 14
  - evaluate: i
    expect: 1
  - command: breakpoint remove 1
  - command: c
  - await: exited
    expect: { exit_code: 3 }
  - check_output:
      contains: total=60
teardown:
  - rm -f app
`,
  "with expectations inside the actions, lists of frames and of variables": `
name: inside
setup: cc -g -O0 -o app app.c
target: { program: app, stop_on_entry: true, env: [MODE=test] }
steps:
  - command: { line: "break sum_scores" }
    expect: { exact: { regex: "." }, ok: true }
  - command: [continue]
    expect: { contains: ["breakpoint 1", sum_scores], not_contains: exited }
  - inspect_stack:
      expect:
        - { function: sum_scores, file: app.c }
        - main
  - inspect_stack: { expect: { top: sum_scores, depth: { min: 2 }, contains: main } }
  - inspect_locals:
      names: [n, total]
      expect: [{ name: n, value: 3, type: int }, { name: total }]
  - inspect_locals: { expect: { n: { gt: 2, lt: 4 }, total: { exists: true } } }
  - inspect_threads: { expect: { count: 1 } }
  - check_breakpoints: { expect: [{ id: 1, verified: true, hits: 1 }] }
  - evaluate: { expression: "n * 2", expect: 6 }
  - evaluate: { expr: "items[0].name", expect: alpha }
  - check_state: { state: stopped, function: sum_scores }
  - inspect_memory: { address: "&n", size: 4, expect: "03 00 00 00" }
  - inspect_memory: { address: "&n", count: 4 }
    expect: { bytes: [3, 0, 0, 0], hex: "0x03000000" }
  - command: stop
`,
  "with the action as a key, snapshots and what changed since": `
name: actions
setup:
  - command: cc -g -O0 -o app app.c
target:
  program: app
  break: app.c:14
steps:
  - action: await
    state: stopped
  - action: snapshot
    name: before
  - action: command
    command: continue
  - action: diff
    from: before
    expect: { changed: [total, i], unchanged: { contains: n }, i: { old: 0, new: 1 }, output_bytes: 0 }
  - diff: before
    expect: [i, total]
  - action: sleep
    ms: 5
  - action: evaluate
    expression: total
    expect: { between: [1, 100], one_of: [10, 20] }
  - sleep: 10ms
  - action: check_state
    value: stopped
  - action: command
    value: stop
`,
  "that attaches to what it started, by a file with its pid": `
name: attach by file
setup:
  - cc -g -O0 -o loop loop.c
  - shell: ./loop > /dev/null & echo $! > loop.pid
target: { mode: attach, pid_file: loop.pid }
steps:
  - check_state: stopped
  - inspect_stack: { contains: main }
  - command: detach
    expect: { alive: true }
teardown:
  - kill $(cat loop.pid)
`,
  "that attaches to a program which is started for it": `
name: attach to a program
setup: [cc -g -O0 -o loop loop.c]
target: { mode: attach, program: ./loop }
steps:
  - command: pause
    expect: { event: stopped }
  - command: detach
`,
  "that starts the program by its own steps, with text as its input": `
name: own start
setup: [cc -g -O0 -o stdin stdin.c]
target: { program: ./stdin, stdin: "one\\ntwo\\n" }
steps:
  - command: start
    timeout: 20s
    expect: { event: exited, exit_code: 0 }
  - check_output: { stream: stdout }
    expect: { stdout: { contains: "echo 2: two" }, ends_with: "2 lines" }
  - command: print nothing
    expect: { error: { code: PROCESS_ENDED }, exit: 4 }
  - shell: { run: "test -f stdin && exit 3" }
    expect: { exit_code: 3 }
`
}

describe("a scenario", () => {
  it.live.each(Object.keys(written))("%s passes", (title) => passes(written[title] ?? ""))

  it.live("in a folder below finds the files of the directory in which it is run", () =>
    passes(written["that attaches to a program which is started for it"] ?? "", "tests")
  )

  it.live("with other values fails, and is updated on request", () =>
    Effect.gen(function* () {
      const text = [
        "name: update # kept",
        "setup: [cc -g -O0 -o app app.c]",
        "target: { program: app, break: [sum_scores] }",
        "steps:",
        "  - evaluate: n",
        "    expect: 4",
        "  - check_state: stopped",
        "    expect: { function: main, line: { gt: 1 } }",
        "  - command: stop",
        ""
      ].join("\n")
      const failed = yield* run(text)
      assert.deepInclude(failed.outcome, { result: "failed", step: "step 1: evaluate n" })
      const updated = yield* run(text, { update: true })
      assert.strictEqual(updated.outcome.result, "passed", updated.outcome.message)
      const after = readFileSync(updated.file, "utf8")
      assert.include(after, 'expect: "3"')
      assert.include(after, "function: sum_scores")
      assert.include(after, "# kept")
      assert.strictEqual((yield* ScenarioRunner.run(updated.file, { environment, keep: false })).result, "passed")
    })
  )
})
