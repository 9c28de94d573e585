// What is asked about the code at an address.
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as CodeLookups from "../../src/console/lldb/breakpoints/CodeLookups.ts"

const asked = (isKept: boolean, answer: string) => {
  const sent: Array<string> = []
  const lookups = CodeLookups.make({
    isKept: () => isKept,
    command: (line) => {
      sent.push(line)
      return Effect.succeed(answer)
    }
  })
  return { lookups, sent }
}

it.effect("an address is looked up once, until modules are loaded", () =>
  Effect.gen(function* () {
    const { lookups, sent } = asked(true, "code")
    for (const address of ["0x10", "0x20", "0x10"]) assert.strictEqual(yield* lookups.text(address), "code")
    assert.deepStrictEqual(sent, ["image lookup -v -a 0x10", "image lookup -v -a 0x20"])
    lookups.forget()
    yield* lookups.text("0x10")
    assert.lengthOf(sent, 3)
  })
)

it.effect("an address is looked up each time if loaded modules are not seen, or after an error", () =>
  Effect.gen(function* () {
    for (const { lookups, sent } of [asked(false, "code"), asked(true, "error: no process")]) {
      yield* lookups.text("0x10")
      yield* lookups.text("0x10")
      assert.lengthOf(sent, 2)
    }
  })
)
