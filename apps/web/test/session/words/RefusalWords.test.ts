import { assert, describe, it } from "@effect/vitest"
import type { EventLine } from "../../../src/connection/Answers.ts"
import { refusedWords } from "../../../src/session/words/RefusalWords.ts"

const acted = (operation: string, code: string | undefined): EventLine["event"] => ({
  _tag: "Acted",
  tier: "control",
  operation,
  command: operation,
  ok: code === undefined,
  ...(code === undefined ? {} : { code })
})

describe("a call that was refused because another client drives", () => {
  it("says what the client wanted to do", () => {
    assert.strictEqual(refusedWords(acted("continue", "LEASE_HELD")), "wanted to continue and was refused")
    assert.strictEqual(refusedWords(acted("next", "LEASE_HELD")), "wanted to step and was refused")
    assert.strictEqual(refusedWords(acted("memory.write", "LEASE_HELD")), "wanted to call memory.write and was refused")
  })

  it("is said of no call that succeeded or failed for another reason", () => {
    assert.isUndefined(refusedWords(acted("continue", undefined)))
    assert.isUndefined(refusedWords(acted("continue", "TIER_REQUIRED")))
  })
})
