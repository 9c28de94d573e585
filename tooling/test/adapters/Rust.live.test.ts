/** Debugs a Rust program under both LLDB backends: the values of its tool chain's formatters, and the stop at a panic. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { debugging, environment, platform } from "../support/fixturePrograms.ts"
import * as Tools from "../support/tools.ts"

const source = fileURLToPath(new URL("../../fixtures/rust/panics.rs", import.meta.url))

const lineOf = (mark: string) =>
  readFileSync(source, "utf8")
    .split("\n")
    .findIndex((text) => text.endsWith(`// mark: ${mark}`)) + 1

layer(platform, { excludeTestServices: true, timeout: "120 seconds" })("a Rust program", (it) => {
  it.effect("shows its values, and stops at a panic with the message and the user's frame", () =>
    Effect.gen(function* () {
      if (!Tools.isPresent("rustc", environment)) return
      const fs = yield* FileSystem.FileSystem
      const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
      const program = `${yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-rust-" })}/panics`
      const compiler = ChildProcess.make("rustc", ["-g", source, "-o", program], { env: environment })
      assert.strictEqual(yield* spawner.exitCode(compiler), 0)
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
              [`"hello"`, "size=3", "Circle{radius:1.5}", "Some(4)", "Ok(1)", `Err("late")`]
            )
            assert.deepStrictEqual(
              values[1]?.children?.map(({ value }) => value),
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
})
