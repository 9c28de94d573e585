/** Locals in the reports of steps that follow each other, on both LLDB backends: each is of its own stop and frame. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { debugging, platform } from "../support/fixturePrograms.ts"
import { build, starting } from "../support/builtPrograms.ts"

const program = `static int add(int left, int right)
{
  int sum = left + right;
  return sum;
}

int main()
{
  int total = 0;
  for (int round = 0; round < 50; round++)
    total = add(total, round);
  return total;
}
`

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("the locals of a step", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`are those that an expression reads there, into a function and out of it, under ${backend}`, () =>
      debugging((client) =>
        Effect.gen(function* () {
          const { call } = client
          const built = yield* build("add.c", program, "gcc", ["-O0"])
          yield* starting(client, built, backend, { break: ["add.c:9"] })
          const functions = new Set<string>()
          for (let time = 0; time < 24; time++) {
            const { data } = yield* call(time % 4 === 3 ? "next" : "step", {})
            functions.add(data.location?.function ?? "")
            for (const { name, value } of data.locals ?? []) {
              const { values } = (yield* call("print", { expressions: [name] })).data
              assert.strictEqual(value, values[0]?.value, `${name} after ${time + 1} steps`)
            }
            if (time === 12) yield* call("set", { target: "total", value: "1000" })
          }
          assert.deepStrictEqual([...functions].toSorted(), ["add", "main"])
        })
      )
    )
  }
})
