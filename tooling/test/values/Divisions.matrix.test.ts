/** Conditions, log messages and traces that divide by zero at one of their hits. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { compiled } from "../support/compiled.ts"
import { debugging, platform } from "../support/fixturePrograms.ts"

const suite = layer(platform, { excludeTestServices: true, timeout: "120 seconds" })

const text = `static int work(int a, int b, double f) { return a + b; }
int main(void) {
  int total = 0;
  for (int i = 0; i < 40; i++) total += work(i, i == 24 ? 0 : 3, i);
  return total == 0;
}
`

suite("a division by zero", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`stops at its condition, and has no value in a message (${backend})`, () =>
      debugging(({ call, environment }) =>
        Effect.gen(function* () {
          const cwd = yield* compiled({ "divide.c": text }, ["gcc", "-g", "-O0", "-o", "divide", "divide.c"])
          const started = { program: `${cwd}/divide`, backend, environment, replace: true }
          const warned = (stopped: { readonly warnings: ReadonlyArray<{ readonly message: string }> }) =>
            stopped.warnings.map(({ message }) => message)

          for (const condition of ["a / b == 99", "a % b == 99"]) {
            const stopped = yield* call("start", { ...started, break: [`work if ${condition}`] })
            assert.deepStrictEqual(warned(stopped), ["condition error: breakpoint 1: division by zero: b is 0"])
            assert.strictEqual((yield* call("print", { expressions: ["a"] })).data.values[0]?.value, "24")
          }
          const whole = yield* call("start", { ...started, break: ["work if 30 / b == 10 && a > 1"] })
          assert.deepStrictEqual(warned(whole), [])
          assert.strictEqual((yield* call("print", { expressions: ["a"] })).data.values[0]?.value, "2")
          // A quotient of floating numbers is infinite.
          const floating = yield* call("start", { ...started, break: ["work if a / f > 7"] })
          assert.strictEqual(floating.data.event, "exited")

          yield* call("start", { ...started, break: ["main"] })
          yield* call("break", { at: "work", log: "{a} / {b} = {a / b}" })
          yield* call("continue", {})
          const lines = (yield* call("output", { channel: ["log"] })).data.text.split("\n")
          assert.deepStrictEqual(lines.slice(23, 26), [
            "23 / 3 = 7",
            "24 / 0 = <division by zero: b is 0>",
            "25 / 3 = 8"
          ])
        })
      ).pipe(Effect.scoped)
    )
  }
})
