/** Tests of `bisect` with a program of which the smallest failing inputs are known from its source, for each LLDB backend. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { debugging, platform, Programs } from "../support/fixturePrograms.ts"

const whole = ["key of the door", "x =! y", "(start", "name=abc", "end)", "# settings", "size=3", "last"].join("\n")

type Backend = "dap" | "lldb-cli"

/** Reduces an input that the program gets in each of these ways: as standard input without arguments, or as `{}`. */
export const reductionTests = (backend: Backend, ways: ReadonlyArray<ReadonlyArray<string>>): void => {
  layer(platform, { excludeTestServices: true, timeout: "240 seconds" })(`bisect under ${backend}`, (it) => {
    // Without a debug server of its own each failing run costs a second, on a busy machine more.
    for (const args of ways) {
      it.effect(
        `finds the smallest input with the same failure, as ${args.length === 0 ? "standard input" : "a file"}`,
        () =>
          debugging(({ call, environment, temporary }) =>
            Effect.gen(function* () {
              const program = join((yield* Programs).directory, "picky")
              const [input, out] = [join(temporary, "whole.txt"), join(temporary, "small.txt")]
              writeFileSync(input, whole)
              const { data } = yield* call("bisect", {
                program,
                args,
                input,
                out,
                backend,
                environment,
                timeout: "200s"
              })
              // Without its closing bracket the input fails in another way, which does not count.
              assert.strictEqual(readFileSync(out, "utf8"), "key=!", JSON.stringify(data))
              assert.strictEqual(data.end, "minimal")
              assert.strictEqual(data.signature.reason, "SIGSEGV")
              assert.strictEqual(data.signature.frames[0], "both")
              assert.strictEqual(data.from_bytes, whole.length)
              assert.strictEqual(readFileSync(input, "utf8"), whole)
              assert.deepStrictEqual((yield* call("sessions", {})).data.sessions, [])
            })
          ),
        240_000
      )
    }
  })
}

/** Claims nothing where the failure is not always the same. */
export const unreducedTests = (backend: Backend): void => {
  layer(platform, { excludeTestServices: true, timeout: "240 seconds" })(`bisect under ${backend}`, (it) => {
    it.effect("claims nothing of an input that does not always fail, or never", () =>
      debugging(({ call, environment, temporary }) =>
        Effect.gen(function* () {
          const program = join((yield* Programs).directory, "picky")
          const [input, out] = [join(temporary, "whole.txt"), join(temporary, "small.txt")]
          writeFileSync(input, "nothing")
          const asked = { program, input, out, backend, environment }
          const never = yield* Effect.flip(call("bisect", asked))
          assert.strictEqual(never._tag, "InvalidState")
          writeFileSync(input, "key=!")
          // With an even process id it does not fail, so three failures in a row happen too: then the last run may tell.
          const found = yield* Effect.result(call("bisect", { ...asked, args: ["sometimes"], runs: 12 }))
          if (found._tag === "Failure") {
            assert.include(["NotReproduced", "InvalidState"], found.failure._tag, found.failure.message)
          } else assert.strictEqual(found.success.data.bytes, "key=!".length)
        })
      )
    )
  })
}
