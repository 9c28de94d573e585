// Which stacks are marked because frames may be missing. LLDB is a function that prints records.
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as CallFrames from "../../src/console/lldb/frames/CallFrames.ts"
import * as Stacks from "../../src/console/lldb/frames/Stacks.ts"

const record = (...fields: ReadonlyArray<string>) => `\u001e${fields.map((field) => `${field}\u001f`).join("")}\n`

/** The stack of a program in which LLDB finds these functions, each at its address. */
const stackOf = (...functions: ReadonlyArray<readonly [name: string, address: string]>) =>
  Stacks.make(
    ([, query]) =>
      Effect.succeed(
        query === "thread list"
          ? record("1", "7", "", "0x1", "/app/a", "f", "/app/a.c", "3", "")
          : functions
              .map(([name, address], index) =>
                record("1", "7", String(index), address, "/app/a", name, "/app/a.c", "3", "1", "0x10")
              )
              .join("")
      ),
    () => Effect.succeed(""),
    CallFrames.make(() => Effect.succeed("none"))
  )(7, 0, 20)

it.effect("a stack without the function that contains inlined code is marked", () =>
  Effect.gen(function* () {
    const cut = yield* stackOf(
      ["driver [inlined] leaf", "0x20"],
      ["driver [inlined] middle", "0x20"],
      ["_start", "0x10"]
    )
    assert.isTrue(cut?.cut)
    const whole = yield* stackOf(["driver [inlined] leaf", "0x20"], ["driver", "0x20"], ["_start", "0x10"])
    assert.isUndefined(whole?.cut)
  })
)
