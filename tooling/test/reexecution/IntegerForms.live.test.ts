/** The old value of a write has the form of the new one, also of atomic integers and those of 128 bits, on both LLDB backends. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { compiled } from "../support/compiled.ts"
import { debugging, platform } from "../support/fixturePrograms.ts"
import { hasWatchpoints } from "../support/tools.ts"

const source = `_Atomic int count = 3;
__int128 huge = 7;
void touch(int by) { count += by; huge = huge * by; }
int main(void) { touch(11); touch(13); __builtin_trap(); }
`

if (process.platform === "linux") {
  layer(platform, { excludeTestServices: true, timeout: "120 seconds" })("last-write", (it) => {
    for (const backend of ["dap", "lldb-cli"] as const) {
      it.effect.runIf(hasWatchpoints())(`shows both values in decimal form (${backend})`, () =>
        debugging(({ call, environment }) =>
          Effect.gen(function* () {
            const folder = yield* compiled({ "forms.c": source }, ["gcc", "-o", "forms", "forms.c"])
            yield* call("start", { program: `${folder}/forms`, backend, environment })
            const of = (expression: string) =>
              Effect.map(call("last-write", { expression, session: "default" }), ({ data }) => [
                data.write?.old,
                data.write?.new
              ])
            assert.deepStrictEqual(yield* of("count"), ["14", "27"])
            assert.deepStrictEqual(yield* of("huge"), ["77", "1001"])
          })
        )
      )
    }
  })
}
