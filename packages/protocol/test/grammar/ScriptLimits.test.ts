// The limits of a script: what is larger is refused before it is parsed, so that it takes no time from other clients.
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as ScriptLines from "../../src/grammar/ScriptLines.ts"

const parse = (text: string) => ScriptLines.parse([text])

const file = (text: string) => ScriptLines.parse([], {}, { name: "c", quoted: true, text })

/** Returns the message of a refusal, or the number of steps. */
const outcome = (parsed: ReturnType<typeof ScriptLines.parse>) =>
  Result.match(parsed, { onFailure: ({ message }) => message, onSuccess: (steps) => steps.length })

describe("a script", () => {
  it("has at most 50 commands, in its words and its file together", () => {
    assert.strictEqual(outcome(parse("status;".repeat(50))), 50)
    assert.strictEqual(outcome(parse("status;".repeat(51))), "the script has 51 commands; at most 50 run")
    assert.match(
      String(
        outcome(ScriptLines.parse(["status;".repeat(30)], {}, { name: "c", quoted: true, text: "status\n".repeat(21) }))
      ),
      /51 commands/
    )
  })

  it("has at most 1000 words in a command", () => {
    assert.strictEqual(outcome(parse(`print ${"a ".repeat(999)}`)), 1)
    assert.match(String(outcome(parse(`print ${"a ".repeat(1000)}`))), /has 1001 words; at most 1000 are read/)
  })

  it("has at most 65,536 characters in its file", () => {
    const text = "status\n"
    assert.strictEqual(outcome(file(text.padEnd(65_536))), 1)
    assert.match(String(outcome(file(text.padEnd(65_537)))), /c has 65537 characters; a file of commands has at most/)
  })
})
