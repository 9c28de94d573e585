/** Symbols at addresses in the output of LLDB's `image lookup`. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Faults from "../../src/console/lldb/Faults.ts"

const symbolIn = (output: string) =>
  Faults.make({
    command: () => Effect.succeed(""),
    commandText: () => Effect.succeed(output),
    formatted: () => Effect.succeed("")
  }).symbol(0x7fn)

it.effect("names a variable, and no section", () =>
  Effect.gen(function* () {
    const place = "      Address: app[0x4010] (app.PT_LOAD[2]..bss + 16)\n"
    assert.deepStrictEqual(yield* symbolIn(`${place}      Summary: app\`shop + 40\n`), { name: "shop", offset: 40 })
    assert.deepStrictEqual(yield* symbolIn(`${place}      Summary: gate\n`), { name: "gate", offset: 0 })
    assert.isUndefined(yield* symbolIn(`${place}      Summary: libc++.so.1.PT_LOAD[1]..bss + 3844\n`))
    assert.isUndefined(yield* symbolIn("error: no such address\n"))
  })
)
