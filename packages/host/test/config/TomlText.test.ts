// Editing TOML text: a table is replaced or added, every other line stays, and other forms of the table are refused.
import { assert, describe, it } from "@effect/vitest"
import * as TomlText from "../../src/config/TomlText.ts"
import { Result } from "effect"

const path = ["mcp_servers", "sigtrap"] as const
const set = (text: string) => {
  const result = TomlText.setTable(text, path, { command: "x", args: ["a", 'b"c'] })
  return Result.isSuccess(result) ? result.success : assert.fail(result.failure)
}
const ownTable = `[mcp_servers.sigtrap]\ncommand = "x"\nargs = ["a", "b\\"c"]\n`

describe("a table of TOML", () => {
  it("is added at the end", () => {
    assert.strictEqual(set(""), ownTable)
    assert.strictEqual(set(`model = "m" # mine\n`), `model = "m" # mine\n\n${ownTable}`)
  })

  it("is replaced with its sub-tables, and nothing else is", () => {
    const text = `a = 1\n\n[mcp_servers.sigtrap]\ncommand = "old"\n\n[mcp_servers.sigtrap.env]\nA = "1"\n\n[mcp_servers.other]\ncommand = "y"\n`
    assert.strictEqual(set(text), `a = 1\n\n${ownTable}\n[mcp_servers.other]\ncommand = "y"\n`)
    assert.strictEqual(set(set(text)), set(text))
    assert.include(TomlText.findTable(text, path) ?? "", `command = "old"`)
  })

  it("is replaced although its values span lines or only its sub-table has a header", () => {
    const lists = `[mcp_servers.sigtrap]\nargs = [\n  "[a]",\n  "b", # second\n]\n\n# about the other\n[mcp_servers.other]\ncommand = "y"\n`
    assert.strictEqual(set(lists), `${ownTable}\n# about the other\n[mcp_servers.other]\ncommand = "y"\n`)
    assert.strictEqual(set(`[mcp_servers.sigtrap.env]\nA = "1"\n`), ownTable)
  })

  it("is followed by an array of tables, which stays", () => {
    const text = `[mcp_servers.sigtrap]\ncommand = "old"\n\n[[profiles]]\nname = "a"\n`
    assert.strictEqual(set(text), `${ownTable}\n[[profiles]]\nname = "a"\n`)
  })

  it("is not confused with one with a longer name", () => {
    const text = `[mcp_servers.sigtrap-old]\ncommand = "z"\n`
    assert.isUndefined(TomlText.findTable(text, path))
    assert.include(set(text), text)
  })

  it("is refused when it is written inline, with dotted keys, or in text that is not TOML", () => {
    for (const text of [`mcp_servers = { sigtrap = {} }\n`, `mcp_servers.sigtrap.command = "x"\n`, `a = \n`]) {
      assert.isTrue(Result.isFailure(TomlText.setTable(text, path, {})))
    }
  })
})
