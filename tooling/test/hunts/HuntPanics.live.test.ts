/** `run` until a failure of a program in Rust: a panic that the program catches is not a failure, whatever the compiler has made of it. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { debugging, environment, platform, type Debugging } from "../support/fixturePrograms.ts"
import * as Tools from "../support/tools.ts"

const suite = layer(platform, { excludeTestServices: true, timeout: "120 seconds" })

/** Catches panics in several ways, and then panics as its first argument says. */
const catching = `use std::panic::{catch_unwind, resume_unwind};
struct Guard(u32);
impl Drop for Guard {
    fn drop(&mut self) {
        println!("drop {}", self.0);
    }
}
fn fail(number: usize, values: &[u32]) -> u32 {
    let _guard = Guard(number as u32);
    values[number]
}
fn deep(level: u32, values: &[u32]) -> u32 {
    let _guard = Guard(level);
    if level == 0 { fail(9, values) } else { deep(level - 1, values) + 1 }
}
fn main() {
    let mode = std::env::args().nth(1).unwrap_or_default();
    let caught = catch_unwind(|| deep(3, &[1]));
    let nested = catch_unwind(|| catch_unwind(|| fail(4, &[1])).is_err() && fail(5, &[1]) > 0);
    let thread = std::thread::spawn(|| catch_unwind(|| fail(6, &[1])).is_err());
    println!("{} {} {}", caught.is_err(), nested.is_err(), thread.join().unwrap());
    match (mode.as_str(), caught) {
        ("later", _) => println!("{}", deep(2, &[1])),
        ("resume", Err(payload)) => resume_unwind(payload),
        ("thread", _) => println!("{}", std::thread::spawn(|| fail(7, &[1])).join().is_err()),
        _ => {}
    }
}
`

/** Builds the program. */
const built = Effect.fnUntraced(function* (...options: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const place = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
  yield* fs.writeFileString(`${place}/catching.rs`, catching)
  const words = ["-g", ...options, `${place}/catching.rs`, "-o", `${place}/catching`]
  assert.strictEqual(Number(yield* spawner.exitCode(ChildProcess.make("rustc", words, { env: environment }))), 0)
  return `${place}/catching`
})

const hunt = ({ call, temporary }: Debugging, program: string, mode: string, catches: ReadonlyArray<string> = []) =>
  call("run", {
    program,
    args: [mode],
    until_failure: 2,
    environment: { ...environment, LC_MARK: temporary },
    ...(catches.length === 0 ? {} : { catch: catches })
  })

/** The program passes although it catches panics, and is held at the one that ends it. */
const told = Effect.fnUntraced(function* (own: Debugging, program: string) {
  const passed = yield* hunt(own, program, "none")
  assert.deepInclude(passed.data.run, { runs: 2, failures: 0, outcome: "passed" })
  const { data } = yield* hunt(own, program, "later")
  assert.deepInclude(data.run, { runs: 1, failures: 1, session: "failed" })
  assert.deepInclude(data, { event: "stopped", reason: "panic" })
  assert.deepStrictEqual(
    data.run?.signatures.map(({ frames, reason }) => [reason, ...frames]),
    [["panic", "catching::fail", "catching::deep", "catching::main"]]
  )
  assert.deepInclude((yield* own.call("continue", {})).data, { event: "exited", exit_code: 101 })
  yield* own.call("stop", {})
})

suite("a panic of Rust in runs until a failure", (it) => {
  it.effect("is not a failure if the program catches it", () =>
    debugging((own) =>
      Effect.gen(function* () {
        if (!Tools.isPresent("rustc", environment)) return
        yield* told(own, yield* built())
        assert.deepStrictEqual(own.alive(), [])
      })
    ).pipe(Effect.scoped)
  )

  it.effect("is not a failure if an optimized program catches it", () =>
    debugging((own) =>
      Effect.gen(function* () {
        if (!Tools.isPresent("rustc", environment)) return
        yield* told(own, yield* built("-O", "-Csymbol-mangling-version=v0"))
        assert.deepStrictEqual(own.alive(), [])
      })
    ).pipe(Effect.scoped)
  )

  it.effect("is held if it is passed on, or if another thread ends by it and each panic counts", () =>
    debugging((own) =>
      Effect.gen(function* () {
        if (!Tools.isPresent("rustc", environment)) return
        const program = yield* built()
        const resumed = yield* hunt(own, program, "resume")
        assert.deepInclude(resumed.data, { event: "stopped", reason: "panic" })
        assert.include(resumed.data.description, "resume_unwind")
        assert.include(resumed.data.location?.function, "catching::main")
        yield* own.call("stop", {})
        const thread = yield* hunt(own, program, "thread", ["panic"])
        assert.deepInclude(thread.data.run, { runs: 1, failures: 1, by: "lldb-server" })
        const printed = yield* own.call("print", { expressions: ["number"] })
        assert.include(JSON.stringify(printed.data), '"7"')
        yield* own.call("stop", {})
        assert.deepStrictEqual(own.alive(), [])
      })
    ).pipe(Effect.scoped)
  )
})
