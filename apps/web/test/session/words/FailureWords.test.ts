import { assert, describe, it } from "@effect/vitest"
import { failureNotice, needsTiers } from "../../../src/session/words/FailureWords.ts"

const missing = (effect: string, tier: string) => ({
  code: "TIER_REQUIRED",
  message: "",
  details: { missing: [{ effect, tier }] }
})

describe("a breakpoint that was not set", () => {
  it("says what control must be taken for", () => {
    const failure = { code: "LEASE_HELD", message: "", details: { holder: { id: "mcp:claude", role: "agent" } } }
    const wordsOf = (operation: string) => failureNotice(failure, [], { operation }).text
    assert.strictEqual(wordsOf("next"), "agent drives. Take control to step.")
    assert.strictEqual(wordsOf("continue"), "agent drives. Take control to step.")
    assert.strictEqual(wordsOf("set"), "agent drives. Take control to set a value.")
    assert.strictEqual(wordsOf("memory.write"), "agent drives. Take control to call memory.write.")
  })

  it("is named by its reason, and the similar names", () => {
    const reason = "no code at line 28; the next line with code is 30"
    const failure = { code: "BREAKPOINT_UNRESOLVED", details: { reason, near: [] } }
    const message = `breakpoint not resolved: /home/me/a (1).cpp:28 (${reason})`
    assert.strictEqual(failureNotice({ ...failure, message }, []).text, `No breakpoint was set: ${reason}.`)
    assert.strictEqual(
      failureNotice({ ...failure, message: `${message}; nearest: main` }, []).text,
      `No breakpoint was set: ${reason}; nearest: main.`
    )
  })
})

describe("a call that comes too late", () => {
  it("names who was first", () => {
    const stale = (by?: object) =>
      failureNotice(
        { code: "STALE_STOP", message: "", details: { at_stop: 1, stop: 2, ...(by === undefined ? {} : { by }) } },
        [],
        { own: "page:root" }
      ).text
    const page = { id: "page:root", kind: "page", role: "person" }
    assert.strictEqual(stale(page), "You resumed the program on another page. Nothing was done.")
    assert.strictEqual(
      stale({ ...page, id: "cli:ann", name: "ann" }),
      "person ann resumed the program meanwhile. Nothing was done."
    )
    assert.strictEqual(
      stale({ id: "mcp:claude", kind: "mcp", role: "agent" }),
      "agent resumed the program meanwhile. Nothing was done."
    )
    assert.strictEqual(stale(), "The program has left this stop. Nothing was done.")
    assert.include(
      failureNotice({ code: "REQUEST_NOT_FOUND", message: "", details: {} }, []).text,
      "This request was answered already"
    )
  })
})

describe("a call that needs a tier", () => {
  it("is named by what it would do, with a command that keeps the tiers of the page", () => {
    assert.deepStrictEqual(failureNotice(missing("write-memory", "write"), ["observe", "control"]), {
      text: "Setting values needs the tier “write”. This page may observe and control. Allow it in a terminal:",
      command: "sigtrap web --allow write"
    })
    assert.deepStrictEqual(failureNotice(missing("raw", "admin"), ["observe", "control", "evaluate", "write"]), {
      text: "Running a command of the debugger needs the tier “admin”. This page may observe, control, evaluate and write. Allow it in a terminal:",
      command: "sigtrap web --allow evaluate,write,admin"
    })
    assert.include(failureNotice(missing("launch", "admin"), ["observe"]).text, "Starting programs needs")
    assert.include(needsTiers(["write"], []).text, "This page may do nothing.")
  })
})
