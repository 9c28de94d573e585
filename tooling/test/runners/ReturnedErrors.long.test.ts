/** Rust tests that return an error, with cargo and a real debugger. The exit code of the test program is the second source. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { debugging, environment, platform } from "../support/fixturePrograms.ts"
import * as Tools from "../support/tools.ts"

const manifest = '[package]\nname = "bank"\nversion = "0.1.0"\nedition = "2021"\n[workspace]\n'

const source = `use std::{error::Error, fmt, num::ParseIntError};
#[derive(Debug)]
pub struct TooMuch(u32);
impl fmt::Display for TooMuch {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { write!(f, "{} is too much", self.0) }
}
impl Error for TooMuch {}
pub fn parse(text: &str) -> Result<u32, ParseIntError> { Ok(text.parse::<u32>()? * 2) }
pub fn check(number: u32) -> Result<(), TooMuch> { if number > 3 { Err(TooMuch(number)) } else { Ok(()) } }
#[cfg(test)]
mod tests {
    use super::*;
    #[test] fn passes() -> Result<(), String> { assert!(parse("x").is_err() && check(9).is_err()); Ok(()) }
    #[test]
    fn question() -> Result<(), ParseIntError> {
        let number = parse("x1")?;
        assert_eq!(number, 2);
        Ok(())
    }
    #[test] fn text() -> Result<(), String> { if parse("4") == Ok(8) { return Err("eight".to_string()); } Ok(()) }
    #[test] fn boxed() -> Result<(), Box<dyn Error>> { check(parse("7")?)?; Ok(()) }
}
`

const returned = {
  question: "the test returned Err({kind:InvalidDigit})",
  text: 'the test returned Err("eight")',
  boxed: "the test returned Err with a bank::TooMuch"
} as const

layer(platform, { excludeTestServices: true, timeout: "240 seconds" })("a test that returns an error", (it) => {
  it.effect(
    "stops when it has returned",
    () =>
      debugging(({ alive, call, environment: own, temporary }) =>
        Effect.gen(function* () {
          if (!Tools.isPresent("cargo", environment)) return
          const fs = yield* FileSystem.FileSystem
          const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
          yield* fs.makeDirectory(`${directory}/src`)
          yield* fs.writeFileString(`${directory}/Cargo.toml`, manifest)
          yield* fs.writeFileString(`${directory}/src/lib.rs`, source)
          const test = (name: string) =>
            ({
              runner: "cargo",
              test: `tests::${name}`,
              replace: true,
              directory,
              environment: { ...own, LC_MARK: temporary }
            }) as const
          for (const [name, description] of Object.entries(returned)) {
            const stopped = { event: "stopped", reason: "assert", description } as const
            const started = (yield* call("start", test(name))).data
            assert.deepInclude(started, stopped)
            assert.match(started.location?.function ?? "", new RegExp(`^bank::tests::${name}::`))
            assert.strictEqual((yield* call("explain", {})).data.summary, description)
            assert.deepInclude((yield* call("continue", {})).data, { event: "exited", exit_code: 101 })
            assert.deepInclude((yield* call("run", test(name))).data, stopped)
            // The runs of a debug server stop there too.
            yield* call("stop", {})
            const { data } = yield* call("run", { ...test(name), until_failure: 2 })
            assert.deepInclude(data, stopped)
            assert.deepInclude(data.run, { runs: 1, failures: 1, by: "lldb-server" })
            assert.strictEqual(data.run?.signatures[0]?.reason, "assert")
            assert.deepInclude((yield* call("continue", {})).data, { event: "exited", exit_code: 101 })
            yield* call("stop", {})
          }
          const passed = { event: "exited", exit_code: 0 } as const
          assert.deepInclude((yield* call("start", test("passes"))).data, passed)
          yield* call("stop", {})
          const { data } = yield* call("run", { ...test("passes"), until_failure: 2 })
          assert.deepInclude(data.run, { runs: 2, failures: 0, outcome: "passed" })
          assert.deepStrictEqual(alive(), [])
        })
      ).pipe(Effect.scoped),
    200_000
  )
})
