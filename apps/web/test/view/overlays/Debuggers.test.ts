// The first screen names the debuggers that can be used, the first of each kind.
import { assert, it } from "@effect/vitest"
import { foundWords } from "../../../src/view/overlays/Debuggers.tsx"

const one = (name: string, version?: string) => ({
  name,
  languages: ["c"],
  path: `/usr/bin/${name}`,
  ...(version === undefined ? {} : { version })
})

const missing = { name: "delve", languages: ["go"], problem: "not found", remedy: "sigtrap setup delve" }

it("names debuggers with their versions, and none that cannot be used", () => {
  assert.strictEqual(foundWords([]), "No debugger was found.")
  assert.strictEqual(foundWords([missing]), "No debugger was found.")
  assert.strictEqual(foundWords([one("lldb-dap", "19.1.7"), missing]), "lldb-dap 19.1.7 was found.")
  assert.strictEqual(
    foundWords([
      one("lldb-dap", "19.1.7"),
      one("lldb-dap", "14.0.6"),
      { ...one("gdb"), problem: "too old" },
      one("debugpy")
    ]),
    "lldb-dap 19.1.7 and debugpy were found."
  )
  assert.strictEqual(foundWords([one("a"), one("b"), one("c")]), "a, b and c were found.")
})
