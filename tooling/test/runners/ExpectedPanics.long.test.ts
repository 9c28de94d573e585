/** Rust tests that pass by a panic, with cargo and a real debugger. What the test program says is the second source. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { debugging, environment, platform } from "../support/fixturePrograms.ts"
import * as Tools from "../support/tools.ts"

const manifest = '[package]\nname = "bank"\nversion = "0.1.0"\nedition = "2021"\n[workspace]\n'

const source = `pub fn half(number: u32) -> u32 {
    if number % 2 == 1 { panic!("odd {number}") }
    number / 2
}
#[cfg(test)]
mod tests {
    use super::*;
    #[test] #[should_panic] fn panics() { half(3); }
    #[test] #[should_panic(expected = "odd 5")] fn panics_with_text() { half(5); }
    #[test] #[should_panic] fn does_not_panic() { half(4); }
    #[test] #[should_panic(expected = "even")] fn panics_with_another_text() { half(7); }
    #[test] fn adds() { assert_eq!(half(4), 2); }
    #[test] fn fails() { assert_eq!(half(4), 3); }
}
`

const expected = {
  panics: ["passed", undefined],
  panics_with_text: ["passed", undefined],
  does_not_panic: ["failed", "exit 101"],
  panics_with_another_text: ["failed", "panic"],
  adds: ["passed", undefined],
  fails: ["failed", "panic"]
} as const

layer(platform, { excludeTestServices: true, timeout: "240 seconds" })("a test with should_panic", (it) => {
  it.effect("fails only as its test program says", () =>
    debugging(({ alive, call, environment: own, temporary }) =>
      Effect.gen(function* () {
        if (!Tools.isPresent("cargo", environment)) return
        const fs = yield* FileSystem.FileSystem
        const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
        yield* fs.makeDirectory(`${directory}/src`)
        yield* fs.writeFileString(`${directory}/Cargo.toml`, manifest)
        yield* fs.writeFileString(`${directory}/src/lib.rs`, source)
        for (const [name, [outcome, reason]] of Object.entries(expected)) {
          const { data } = yield* call("run", {
            runner: "cargo",
            test: `tests::${name}`,
            until_failure: 2,
            replace: true,
            directory,
            environment: { ...own, LC_MARK: temporary }
          })
          const failures = outcome === "failed" ? { runs: 1, failures: 1 } : { runs: 2, failures: 0, outcome }
          assert.deepInclude(data.run, failures, name)
          assert.strictEqual(data.run?.signatures[0]?.reason, reason, name)
          if (outcome === "failed") yield* call("stop", {})
        }
        const { data } = yield* call("start", { runner: "cargo", test: "tests::panics", directory, environment: own })
        assert.deepInclude(data, { event: "exited", exit_code: 0 })
        yield* call("stop", {})
        assert.deepStrictEqual(alive(), [])
      })
    ).pipe(Effect.scoped)
  )
})
