import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Jsonc from "../../src/install/Jsonc.ts"

const set = (text: string, value: unknown = { command: "x" }) => {
  const result = Jsonc.set(text, ["mcpServers", "sigtrap"], value)
  return "text" in result ? result.text : assert.fail(result.problem)
}

const read = (text: string) => {
  const result = Jsonc.parse(text)
  return "value" in result ? result.value : assert.fail(result.problem)
}

describe("JSON with comments", () => {
  it("is created in an empty file", () => {
    assert.strictEqual(set(""), `{\n  "mcpServers": {\n    "sigtrap": {\n      "command": "x"\n    }\n  }\n}\n`)
  })

  it.each([
    `{}`,
    `{ "a": 1 }`,
    `{\n  "a": 1\n}\n`,
    `{\n  "a": 1,\n}\n`,
    `{\n  // a comment, with a } and a "\n  "a": [1, 2,], /* and , another */\n}\n`,
    `{"mcpServers":{}}`,
    `{\n\t"mcpServers": {\n\t\t"other": { "command": "y" } // the other\n\t}\n}`,
    `{\n  "mcpServers": {\n    "other": {},\n  },\n  "z": "\\u00e9\\""\n}`
  ])("keeps the rest of the file: %s", (text) => {
    const before = Object(read(text))
    const after = Object(read(set(text)))
    assert.deepStrictEqual(after.mcpServers.sigtrap, { command: "x" })
    for (const key of Object.keys(before)) {
      if (key !== "mcpServers") assert.deepStrictEqual(after[key], before[key])
    }
    assert.deepStrictEqual(after.mcpServers.other, before.mcpServers?.other)
    for (const comment of text.match(/\/\/[^\n]*|\/\*.*?\*\//g) ?? []) assert.include(set(text), comment)
  })

  it("has a value replaced in place", () => {
    const text = `{\n  "mcpServers": {\n    "sigtrap": { "old": true }, // mine\n    "other": {}\n  }\n}\n`
    const after = set(text)
    assert.deepStrictEqual(read(after), { mcpServers: { sigtrap: { command: "x" }, other: {} } })
    assert.include(after, "// mine")
    assert.strictEqual(set(after), after)
  })

  it.each([
    [`{ "a": `, "line 1"],
    [`{\n "a": 1 "b": 2 }`, "line 2"],
    [`[1]`, "the file is not an object"],
    [`{ "mcpServers": [] }`, "mcpServers is not an object"],
    [`{} {}`, "line 1"]
  ])("is refused with a reason: %s", (text, says) => {
    const result = Jsonc.set(text, ["mcpServers", "sigtrap"], {})
    assert.include("problem" in result ? result.problem : "", says)
  })

  it.prop("keeps any other content", [Schema.Record(Schema.String, Schema.Json)], ([settings]) => {
    const { mcpServers: _, ...rest } = settings
    for (const text of [JSON.stringify(rest), JSON.stringify(rest, undefined, 2)]) {
      const { mcpServers, ...after } = Object(read(set(text)))
      if (JSON.stringify(after) !== JSON.stringify(rest) || mcpServers.sigtrap.command !== "x") return false
    }
    return true
  })
})
