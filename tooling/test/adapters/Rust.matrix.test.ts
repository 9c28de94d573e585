/** Debugs a Rust program under both LLDB backends: the values of its tool chain's formatters, and the stop at a panic. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { debugging, environment, platform } from "../support/fixturePrograms.ts"
import * as Tools from "../support/tools.ts"

const sourceOf = (name: string) => fileURLToPath(new URL(`../../fixtures/rust/${name}.rs`, import.meta.url))

const lineOf = (mark: string, name = "panics") =>
  readFileSync(sourceOf(name), "utf8")
    .split("\n")
    .findIndex((text) => text.endsWith(`// mark: ${mark}`)) + 1

/** Compiles a fixture; returns the path of the program. */
const compiled = Effect.fnUntraced(function* (name: string) {
  const fs = yield* FileSystem.FileSystem
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const program = `${yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-rust-" })}/${name}`
  const compiler = ChildProcess.make("rustc", ["-g", sourceOf(name), "-o", program], { env: environment })
  assert.strictEqual(yield* spawner.exitCode(compiler), 0)
  return program
})

/** The variables of `values.rs`, as its source implies. */
const values: { readonly [name: string]: string } = {
  shapes: `4 {Unit,Circle(1.5),Rect{w:2, h:3},Named("n", 7)}`,
  none: "None",
  map: `1 {("one", 1)}`,
  letters: "4 {'e','h','l','o'}",
  tuple: `(1, -2, 'ü', "te\\"xt", true)`,
  small: "-128",
  unit: "()",
  length: "3",
  shared: "42 {strong:1, weak:0}",
  shared_text: `"rc" {strong:1, weak:0}`,
  cell: "2 {1,2} {borrow:1}",
  guard: "2 {1,2}",
  weak: "6 {strong:1, weak:1}",
  dropped: "dropped",
  empty: "empty",
  once: "Some(4)",
  written: 'Some("set")',
  unwritten: "None",
  shared_list: "2 {7,8} {strong:1, weak:0}",
  changing: "3",
  c_text: '"of C"',
  chain: '2 {"a","b"}',
  reader: '"read"',
  locked: `"in" {strong:1, weak:0}`,
  boxed_text: `"boxed"`,
  boxed: "2 {7,8}",
  flag: "true",
  count: "-9",
  pause: "1.5ms",
  done: "Ok(())",
  marked: "Some(Mark)",
  grid: "{{1, 2}, {3, 4}}",
  counter: "{run:(values::leaves at values.rs:30)}"
}

layer(platform, { excludeTestServices: true, timeout: "120 seconds" })("a Rust program", (it) => {
  it.effect("shows its values, and stops at a panic with the message and the user's frame", () =>
    Effect.gen(function* () {
      if (!Tools.isPresent("rustc", environment)) return
      const program = yield* compiled("panics")
      for (const backend of ["dap", "lldb-cli"] as const) {
        yield* debugging(({ call, start }) =>
          Effect.gen(function* () {
            const started = yield* start(program, { backend, break: [`panics.rs:${lineOf("twice")}`] })
            assert.deepInclude(started.data.location, { line: lineOf("twice") })
            const expressions = [
              "account->name",
              "account->items",
              "account->shape",
              "account->limit",
              "account->last",
              "account->failed"
            ] as const
            const { values } = (yield* call("print", { expressions })).data
            assert.deepStrictEqual(
              values.map(({ value }) => value),
              [`"hello"`, "3 {1,2,3}", "Circle{radius:1.5}", "Some(4)", "Ok(1)", `Err("late")`]
            )
            const { children } = (yield* call("expand", { target: "account->items" })).data
            assert.deepStrictEqual(
              children.map(({ value }) => value),
              ["1", "2", "3"]
            )
            const panic = (yield* call("continue", {})).data
            assert.deepInclude(panic, {
              reason: "panic",
              description: "index out of bounds: the len is 3 but the index is 7",
              breakpoints: [2]
            })
            assert.deepInclude(panic.location, { line: lineOf("panic") })
            assert.deepStrictEqual((yield* call("print", { expressions: ["index"] })).data.values[0]?.value, "7")
            assert.strictEqual((yield* call("continue", {})).data.exit_code, 101)
            const ended = yield* start(program, { backend, catch: ["none"], session: "uncaught" })
            assert.deepInclude(ended.data, { event: "exited", exit_code: 101 })
          })
        )
      }
    })
  )

  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`names the objects that its threads wait for (${backend})`, () =>
      Effect.gen(function* () {
        if (!Tools.isPresent("rustc", environment)) return
        const program = yield* compiled("waits")
        yield* debugging(({ call, start }) =>
          Effect.gen(function* () {
            yield* start(program, { backend })
            const { waits } = (yield* call("explain", { what: "hang", all: true })).data
            const named = waits.flatMap(({ expression, kind, stack: [frame] }) =>
              expression === undefined ? [] : [`${kind} ${expression} ${frame?.line}`]
            )
            const line = (mark: string) => lineOf(mark, "waits")
            const symbols = waits.flatMap(({ kind, symbol }) => (symbol === undefined ? [] : [`${kind} ${symbol}`]))
            assert.deepStrictEqual(symbols.toSorted(), [
              "mutex waits::ENTRIES",
              "mutex waits::SHOP.till.data.value.coins",
              "rwlock waits::SHOP.rates"
            ])
            assert.deepStrictEqual(named.toSorted(), [
              `barrier all ${line("meet")}`,
              `condition pair.1 ${line("open")}`,
              `mutex bank.from ${line("from")}`,
              `mutex bank.to ${line("to")}`,
              `rwlock bank.rates ${line("rates")}`
            ])
          })
        )
      })
    )
  }

  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`shows enums, trees, characters and small numbers as they are (${backend})`, () =>
      Effect.gen(function* () {
        if (!Tools.isPresent("rustc", environment)) return
        const program = yield* compiled("values")
        yield* debugging(({ call, start }) =>
          Effect.gen(function* () {
            const at = (mark: string) => `values.rs:${lineOf(mark, "values")}`
            const started = yield* start(program, { backend, break: [at("trait"), at("values")] })
            // Its stack ends where the program starts, whatever the compiler inlined into the runtime.
            assert.isUndefined(started.data.stack_cut)
            yield* call("continue", {})
            const { variables } = (yield* call("locals", {})).data
            const shown = new Map(variables.map((one) => [one.name, one.value]))
            assert.deepStrictEqual(
              Object.fromEntries(Object.keys(values).map((name) => [name, shown.get(name)])),
              values
            )
            assert.match(shown.get("tree") ?? "", /^300 \{0:"v0",3:"v1",/)
            assert.match(shown.get("bytes") ?? "", /\{98, 121, 0\}$/)
            // A pointer to a byte is not a text of C.
            assert.match(shown.get("first") ?? "", /^0x[\da-f]+$/)
            assert.match(shown.get("text_place") ?? "", /^0x[\da-f]+ "deep"$/)
            assert.match(shown.get("list_place") ?? "", /^0x[\da-f]+ 2 \{7,8\}$/)
            assert.match(shown.get("ring") ?? "", /^\{id:1, next:.*\{strong:2, weak:0\}$/)
            assert.match(shown.get("nested") ?? "", /^Node\(0x[\da-f]+, 0x[\da-f]+\)/)
            assert.match(shown.get("closure") ?? "", /^\{_ref__shapes:/)
            const page = (yield* call("expand", { target: "tree", start: 298 })).data.children
            assert.deepStrictEqual(
              page.map(({ name, value }) => `${name} ${value}`),
              ['[894] "v298"', '[897] "v299"']
            )
          })
        )
      })
    )
  }
})
