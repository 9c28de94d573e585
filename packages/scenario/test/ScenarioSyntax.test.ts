// Accepted spellings of scenarios: each row has two texts with the same meaning.
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as StepVerdict from "../src/StepVerdict.ts"
import * as Scenario from "../src/Scenario.ts"
import type { StepResult } from "../src/StepResult.ts"

const read = (text: string) => Scenario.parse(text, {}, "unnamed")

const model = (text: string) => Result.match(read(text), { onFailure: (all) => all, onSuccess: (value) => value })

const stepOf = (text: string) => Result.map(read(`steps: [${text}]`), ({ steps }) => steps[0])

it("a scenario whose aliases expand without end is refused as a mistake of the file", () => {
  const levels = Array.from({ length: 9 }, (_, n) => {
    const of = n === 0 ? '"x"' : `*l${n - 1}`
    return `l${n}: &l${n} [${Array.from({ length: 9 }, () => of).join(", ")}]`
  })
  const bomb = levels.join("\n")
  assert.deepStrictEqual(model(bomb), ["the aliases (*NAME) of this document expand to too many values"])
})

describe("a step", () => {
  it.each([
    ["break main", "{ command: { line: break main } }"],
    ["[break, main]", "{ command: { line: [break, main] } }"],
    ["{ action: command, command: break main }", "{ command: { line: break main } }"],
    ["{ action: Command, cmd: next, args: 3 }", "{ command: { line: next, args: ['3'] } }"],
    [
      "{ command: { name: break, args: [main] }, name: stop }",
      "{ name: stop, command: { line: break, args: [main] } }"
    ],
    ["{ action: command, name: break, args: [main] }", "{ command: { line: break, args: [main] } }"],
    ["{ command: next, expect: { max_ms: 5 } }", "{ command: { line: next }, max_ms: 5 }"],
    ["{ command: { line: next, budget_bytes: 5 } }", "{ command: { line: next }, budget_bytes: 5 }"],
    ["{ command: next, expect: { allow_failure: true } }", "{ command: { line: next }, allow_failure: true }"],
    ["{ command: next, expect: { ok: true } }", "{ command: { line: next }, expect: { success: true } }"],
    ["{ command: next, expected: { fails: true } }", "{ command: { line: next }, expect: { success: false } }"],
    ["{ command: bt, contains: main }", "{ command: { line: bt }, expect: { contains: main } }"],
    ["{ command: bt, output_contains: main }", "{ command: { line: bt }, expect: { contains: main } }"],
    ["{ command: bt, expect: { output: main } }", "{ command: { line: bt }, expect: { contains: main } }"],
    ["{ command: c, expect: { output: { bytes: 3 } } }", "{ command: { line: c }, expect: { output: { bytes: 3 } } }"],
    ["inspect_stack", "{ inspect_stack: {} }"],
    ["{ evaluate: n, equals: 3 }", "{ evaluate: { expression: n }, expect: { equals: 3 } }"],
    ["{ action: evaluate, name: n }", "{ evaluate: { expression: n } }"],
    ["{ evaluate: n, name: the count }", "{ name: the count, evaluate: { expression: n } }"],
    ["{ evaluate: n, expect: { result: 3 } }", "{ evaluate: { expression: n }, expect: { value: 3 } }"],
    [
      "{ evaluate: n, expect: { result_contains: a, type: int } }",
      "{ evaluate: { expression: n }, expect: { value: { contains: a }, type: int } }"
    ],
    ["{ evaluate: n, numeric: '>= 2' }", "{ evaluate: { expression: n }, expect: { '>=': '2' } }"],
    ["{ evaluate: n, numeric: 2 }", "{ evaluate: { expression: n }, expect: { equals: 2 } }"],
    [
      "{ evaluate: n, expect: { numeric: { op: lt, value: 2 } } }",
      "{ evaluate: { expression: n }, expect: { lt: 2 } }"
    ],
    [
      "{ evaluate: n, expect: { numeric: { value: 2, tolerance: 1 } } }",
      "{ evaluate: { expression: n }, expect: { about: 2, tolerance: 1 } }"
    ],
    ["{ await: { reason: step, timeout_ms: 50 } }", "{ await: { reason: step }, timeout: 50ms }"],
    [
      "{ action: await, expect: { reason: exited } }",
      "{ await: {}, expect: { event: { one_of: [exited, terminated] } } }"
    ],
    ["{ await: {}, expect: { reason: SIGSEGV } }", "{ await: {}, expect: { signal: SIGSEGV } }"],
    [
      "{ action: inspect_locals, asserts: [{ name: n, value_contains: a }] }",
      "{ inspect_locals: {}, asserts: [{ name: n, value: { contains: a } }] }"
    ],
    ["{ inspect_locals: { variables: [{ name: n }] } }", "{ inspect_locals: {}, asserts: [{ name: n }] }"],
    ["{ inspect_locals: { locals: { n: 3 } } }", "{ inspect_locals: {}, expect: { n: 3 } }"],
    ["{ inspect_locals: n, expect: { n_max: 3 } }", "{ inspect_locals: { names: n }, expect: { n_max: 3 } }"],
    [
      "{ inspect_stack: null, asserts: [{ frame: 1, name: main }] }",
      "{ inspect_stack: {}, asserts: [{ index: 1, function: main }] }"
    ],
    ["{ action: check_output, equals: x }", "{ check_output: {}, expect: { equals: x } }"],
    ["{ check_output: stderr, contains: x }", "{ check_output: { channel: stderr }, expect: { contains: x } }"],
    [
      "{ check_state: null, expect: { path: $.data.pid, gt: 1 } }",
      "{ check_state: {}, expect: { data.pid: { gt: 1 } } }"
    ],
    ["{ diff: [a, b] }", "{ diff: { from: a, to: b } }"],
    ["{ action: snapshot, name: a }", "{ snapshot: { name: a } }"]
  ])("%s is %s", (written, meant) => {
    const step = stepOf(written)
    assert.isTrue(Result.isSuccess(step), JSON.stringify(step))
    assert.deepStrictEqual(step, stepOf(meant))
  })

  it.each([
    ["{ command: next, contians: x }", "nearest: contains"],
    ["{ evaluate: { expresion: n } }", "nearest: expr, expression"],
    ["{ run: ls }", "no key 'run'"],
    ["{ command: next, shell: ls }", "shell and command"]
  ])("%s is refused: %s", (written, problem) => {
    const text = Result.match(stepOf(written), { onFailure: (all) => all.join("; "), onSuccess: () => "" })
    if (problem.includes(" and ")) assert.match(text, /in one step/)
    else assert.include(text, problem)
  })
})

describe("a scenario", () => {
  it.each([
    ["setup: make x", "setup: [{ shell: { line: make x } }]"],
    ["setup: [{ run: make x }]", "setup: [{ shell: { line: make x } }]"],
    ["setup: [{ name: build, cmd: make x }]", "setup: [{ name: build, shell: { line: make x } }]"],
    ["setup: { shell: make x }", "setup: [{ shell: { line: make x } }]"],
    ["target: ./app", "target: { program: ./app }"],
    ["target: { program: a, args: 1 }", "target: { program: a, args: ['1'] }"],
    ["target: { program: a, args: one 2 }", "target: { program: a, args: [one, '2'] }"],
    ["target: { program: a, args: [one, 2, true] }", "target: { program: a, args: [one, '2', 'true'] }"],
    ["target: { program: a, env: [A=1, B=] }", "target: { program: a, env: { A: '1', B: '' } }"],
    ["target: { program: a, env: [{ A: 1 }, { B: x }] }", "target: { program: a, env: { A: '1', B: x } }"],
    ["target: { program: a, stdin: 12 }", "target: { program: a, stdin: '12' }"],
    ["target: { program: a, pid: null }", "target: { program: a }"],
    ["platforms: [macOS, unix]", "platforms: [darwin, linux, darwin]"],
    ["needs: cc, make", "needs: [cc, make]"],
    ["teardown: [rm x]", "teardown: [{ shell: { line: rm x } }]"]
  ])("with %s is one with %s", (written, meant) => {
    const [one, other] = [written, meant].map((line) => model(`${line}\nsteps: [next]`))
    assert.property(one, "steps", JSON.stringify(one))
    assert.deepStrictEqual(one, other)
  })

  it("may share a file as documents or list items, each with its own name", () => {
    const names = (text: string) =>
      Scenario.parseAll(text, {}, "file").map(({ document, path, read: one }) => [
        Result.match(one, { onFailure: (all) => all.join(), onSuccess: ({ name }) => name }),
        document,
        ...path
      ])
    assert.deepStrictEqual(names("name: a\nsteps: [next]\n---\nsteps: [next]\n---\n"), [
      ["a", 0],
      ["file 2", 1]
    ])
    assert.deepStrictEqual(names('[{"steps":["next"]},{"name":"b","steps":["next"]}]'), [
      ["file 1", 0, 0],
      ["b", 0, 1]
    ])
    assert.deepStrictEqual(names("steps: [next]"), [["file", 0]])
    assert.deepStrictEqual(names("# nothing"), [["a scenario is a mapping", 0]])
  })
})

const frames = [
  { index: 0, function: "ns::add(int)", file: "/p/a.cc", line: 3 },
  { index: 1, function: "main.main", file: "/p/b.go", line: 9 }
]
const variables = [
  { name: "n", value: "3", type: "int" },
  { name: "s", value: '0x10 "abc"', type: "char *" }
]

/** Whether an answer is as a step expects it. */
const holds = (step: string, ran: Partial<StepResult>): boolean =>
  Result.match(stepOf(step), {
    onFailure: () => false,
    onSuccess: (one) => {
      const whole: StepResult = {
        exit: 0,
        value: { success: (ran.exit ?? 0) === 0 },
        main: "",
        bytes: 0,
        text: "",
        ...ran
      }
      return one !== undefined && StepVerdict.judge(one, whole, 0).wrong.length === 0
    }
  })

describe("an assertion", () => {
  const stack = { main: ["ns::add(int)", "main.main"], parts: frames }
  const locals = { main: { n: "3" }, parts: variables }
  it.each([
    ["inspect_stack", stack, "{ index: 1, function: main }", "{ index: 0, function: main }"],
    ["inspect_stack", stack, "{ index: 0, function: add, file: a.cc }", "{ index: 0, file: b.go }"],
    ["inspect_stack", stack, "{ index: 1, line: 9 }", "{ index: 2, line: 9 }"],
    ["inspect_stack", stack, "{ function: add }", "{ function: dd }"],
    ["inspect_stack", stack, "{ index: 5, exists: false }", "{ index: 0, exists: false }"],
    ["inspect_locals", locals, "{ name: n, value: '3', type: int }", "{ name: n, type: long }"],
    ["inspect_locals", locals, "{ name: s, value: abc }", "{ name: s, value: ab }"],
    ["inspect_locals", locals, "{ name: s, value_contains: ab }", "{ name: s, value_contains: q }"],
    ["inspect_locals", locals, "{ name: n, gt: 2 }", "{ name: n, gt: 3 }"],
    ["inspect_locals", locals, "{ name: x, exists: false }", "{ name: n, exists: false }"],
    ["inspect_locals", locals, "n", "x"],
    ["check_output", { main: "a\nb\n" }, '{ equals: "a\\nb" }', "{ equals: a }"],
    ["check_output", { main: "a\nb\n" }, "{ contains: b }", "{ contains: c }"]
  ])("%s of %j: %s holds, %s does not", (action, ran, right, wrong) => {
    const step = (item: string) => `{ action: ${action}, asserts: [${item}] }`
    assert.isTrue(holds(step(right), ran), right)
    assert.isFalse(holds(step(wrong), ran), wrong)
  })

  it("of success is about the command, and a failed command has its error text", () => {
    const failed = { exit: 1, value: { success: false, value: "error: no x" }, main: "error: no x" }
    assert.isTrue(holds("{ evaluate: x, expect: { success: false } }", failed))
    assert.isTrue(holds("{ evaluate: x, expect: { success: false, result_contains: error } }", failed))
    assert.isFalse(holds("{ evaluate: x, expect: { success: false } }", { value: { success: true } }))
    assert.isFalse(holds("{ evaluate: x, expect: { success: true } }", failed))
    assert.isFalse(holds("{ evaluate: x }", failed))
    assert.isTrue(holds("{ evaluate: x, allow_failure: true }", { main: "" }))
  })
})

describe("a hostile document is a mistake of the file", () => {
  const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`

  it.each([
    ["a list that contains itself", "steps: &s\n  - *s\n"],
    ["a mapping that contains itself", "base: &b {<<: *b, line: status}\nsteps: [*b]\n"],
    ["101 levels", `steps: ${nested(101)}`],
    ["100,000 levels", `steps: ${nested(100_000)}`],
    ["levels of aliases", `a: &a ${nested(60)}\nsteps: [${"[".repeat(50)}*a${"]".repeat(50)}]`]
  ])("%s", (_, text) => {
    assert.deepStrictEqual(model(text), [
      "the document has more than 100 levels, or an alias (*NAME) inside its own anchor"
    ])
  })

  it("repeated keys, each with its place", () => {
    assert.deepStrictEqual(model("steps: [status]\nname: a\nsteps: [version]\nname: b\n"), [
      "Map keys must be unique at line 3, column 1",
      "Map keys must be unique at line 4, column 1"
    ])
  })

  it("10,000 mistakes, of which 20 are named", () => {
    const wrong = [`${"&a ".repeat(10_000)}x`, Array.from({ length: 10_000 }, (_, at) => `k${at}: 1`).join("\n")]
    for (const text of wrong) {
      const said = model(text)
      assert.isArray(said)
      assert.match(String(said), /(?:^|,)(?:9979|9980|20|21) more$|more$/)
      assert.isAtMost(JSON.stringify(said).length, 2000)
    }
  })

  it("20,000 keys need no quadratic time: the check of the library for repeated keys is not used", () => {
    const text = (rest: string) => `{${Array.from({ length: 20_000 }, (_, at) => `k${at}: 1`).join(",")}${rest}}`
    assert.isArray(model(text("")))
    // The library would name the repeated key, too; ours looks only at documents without another mistake.
    assert.notMatch(String(model(text(', k1: 2, a: "\\q"'))), /unique/)
  })
})
