// What the card of a request shows of a call.
import { assert, describe, it } from "@effect/vitest"
import type { Question } from "../../../src/connection/Answers.ts"
import { askWords, codeOf, consequenceOf } from "../../../src/session/activity/AskedCall.ts"

const asked = (more: Partial<Question>): Question => ({
  id: 1,
  actor: { id: "mcp:claude", kind: "mcp", role: "agent", name: "claude" },
  operation: "eval",
  input: { expression: "n++" },
  missing: [{ effect: "eval", tier: "evaluate" }],
  tier: "evaluate",
  created: 0,
  expires: 60_000,
  ...more
})

describe("the card of a request", () => {
  it("shows the code alone, and what it can do", () => {
    assert.strictEqual(askWords(asked({}), "page:g1"), "agent asks to run code in the program")
    assert.strictEqual(codeOf(asked({})), "n++")
    assert.strictEqual(consequenceOf(asked({})), "It can change the program.")
  })

  it("leaves the frame to the name of its function, and shows it without one", () => {
    const input = { expression: "n++", frame: 1 }
    assert.strictEqual(codeOf(asked({ input, function: "main" })), "n++")
    assert.strictEqual(codeOf(asked({ input })), 'eval {"expression":"n++","frame":1}')
  })

  it("shows all arguments of a call, what comes from files, and what it ends", () => {
    const call = asked({
      operation: "start",
      input: { program: "./app", args: ["--delete"] },
      missing: [
        { effect: "launch", tier: "admin" },
        { effect: "launch", tier: "admin", field: "replace", destroys: "the session web, which cli began" },
        { effect: "launch", tier: "admin", field: "program", value: "./app", source: ".vscode/launch.json" }
      ]
    })
    assert.strictEqual(codeOf(call), 'start {"program":"./app","args":["--delete"]}\n./app, from .vscode/launch.json')
    assert.strictEqual(
      consequenceOf(call),
      "A program runs with all your permissions. It ends the session web, which cli began."
    )
  })
})
