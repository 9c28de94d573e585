import { assert, describe, it } from "@effect/vitest"
import * as Toml from "../../src/install/Toml.ts"

const path = ["mcp_servers", "sigtrap"] as const
const set = (text: string) => {
  const result = Toml.set(text, path, { command: "x", args: ["a", 'b"c'] })
  return "text" in result ? result.text : assert.fail(result.problem)
}
const ours = `[mcp_servers.sigtrap]\ncommand = "x"\nargs = ["a", "b\\"c"]\n`

describe("a table of TOML", () => {
  it("is added at the end", () => {
    assert.strictEqual(set(""), ours)
    assert.strictEqual(set(`model = "m" # mine\n`), `model = "m" # mine\n\n${ours}`)
  })

  it("is replaced with its sub-tables, and nothing else is", () => {
    const text = `a = 1\n\n[mcp_servers.sigtrap]\ncommand = "old"\n\n[mcp_servers.sigtrap.env]\nA = "1"\n\n[mcp_servers.other]\ncommand = "y"\n`
    assert.strictEqual(set(text), `a = 1\n\n${ours}\n[mcp_servers.other]\ncommand = "y"\n`)
    assert.strictEqual(set(set(text)), set(text))
    assert.include(Toml.find(text, path) ?? "", `command = "old"`)
  })

  it("is not taken for one with a longer name", () => {
    const text = `[mcp_servers.sigtrap-old]\ncommand = "z"\n`
    assert.isUndefined(Toml.find(text, path))
    assert.include(set(text), text)
  })

  it("written in another way is left to a person", () => {
    for (const text of [`mcp_servers = { sigtrap = {} }\n`, `mcp_servers.sigtrap.command = "x"\n`]) {
      assert.property(Toml.set(text, path, {}), "problem")
    }
  })
})
