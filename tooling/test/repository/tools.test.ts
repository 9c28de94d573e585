// A tool is present when it runs, not when a file of its name is on PATH.
import { assert, describe, it } from "@effect/vitest"
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { runs } from "../../tools.mjs"

/** Returns whether a tool counts as present when a script of its name, alone on PATH, has these lines. */
const runsAs = (name: string, ...lines: ReadonlyArray<string>) => {
  const folder = mkdtempSync(join(tmpdir(), "sigtrap-tools-"))
  try {
    writeFileSync(join(folder, name), ["#!/bin/sh", ...lines, ""].join("\n"))
    chmodSync(join(folder, name), 0o755)
    return runs(join(folder, name), { PATH: folder, HOME: folder })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

describe("a tool", () => {
  it.each([
    ["that says its version is present", "rustc", ['[ "$1" = --version ]'], true],
    ["that is a shim without a toolchain is absent", "rustc", ["echo no default toolchain >&2", "exit 1"], false],
    ["is asked as it wants: go", "go", ['[ "$1" = version ]'], true],
    ["is asked as it wants: ps", "ps", ["[ $# = 0 ]"], true],
    ["is asked as it wants: lldb-dap with a version in its name", "lldb-dap-19", ['[ "$1" = --help ]'], true]
  ] as const)("%s", (_, name, lines, expected) => {
    assert.strictEqual(runsAs(name, ...lines), expected)
  })

  it("that does not exist is absent", () => {
    assert.isFalse(runs("sigtrap-no-such-tool", { PATH: "/bin" }))
  })
})
