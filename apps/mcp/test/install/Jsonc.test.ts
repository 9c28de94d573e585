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

describe("settings as people write them", () => {
  it("are made where there are none", () => {
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
  ])("keep everything else: %s", (text) => {
    const before = Object(read(text))
    const after = Object(read(set(text)))
    assert.deepStrictEqual(after.mcpServers.sigtrap, { command: "x" })
    for (const key of Object.keys(before)) {
      if (key !== "mcpServers") assert.deepStrictEqual(after[key], before[key])
    }
    assert.deepStrictEqual(after.mcpServers.other, before.mcpServers?.other)
    for (const comment of text.match(/\/\/[^\n]*|\/\*.*?\*\//g) ?? []) assert.include(set(text), comment)
  })

  it("have the value replaced where it stands", () => {
    const text = `{\n  "mcpServers": {\n    "sigtrap": { "old": true }, // ours\n    "other": {}\n  }\n}\n`
    const after = set(text)
    assert.deepStrictEqual(read(after), { mcpServers: { sigtrap: { command: "x" }, other: {} } })
    assert.include(after, "// ours")
    assert.strictEqual(set(after), after)
  })

  it.each([
    [`{ "a": `, "line 1"],
    [`{\n "a": 1 "b": 2 }`, "line 2"],
    [`[1]`, "the file is no object"],
    [`{ "mcpServers": [] }`, "mcpServers is no object"],
    [`{} {}`, "line 1"]
  ])("that make no sense are left alone: %s", (text, says) => {
    const result = Jsonc.set(text, ["mcpServers", "sigtrap"], {})
    assert.include("problem" in result ? result.problem : "", says)
  })

  it.prop("of any content survive", [Schema.Record(Schema.String, Schema.Json)], ([settings]) => {
    const { mcpServers: _, ...rest } = settings
    for (const text of [JSON.stringify(rest), JSON.stringify(rest, undefined, 2)]) {
      const { mcpServers, ...after } = Object(read(set(text)))
      if (JSON.stringify(after) !== JSON.stringify(rest) || mcpServers.sigtrap.command !== "x") return false
    }
    return true
  })
})
