import { assert, it } from "@effect/vitest"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Bundles from "../../release/Bundles.ts"

it("parts of a bundle are in use if a module that is in use imports them", () => {
  const folder = mkdtempSync(join(tmpdir(), "sigtrap-bundles-"))
  try {
    const files = {
      "mcp.mjs": 'import{a}from"./mcp-aaaaaaaa.mjs";import "node:fs"',
      "mcp-aaaaaaaa.mjs": 'await import("./mcp-bbbbbbbb.mjs")',
      "mcp-bbbbbbbb.mjs": 'import"./mcp-aaaaaaaa.mjs"',
      // Of an earlier build.
      "mcp-cccccccc.mjs": 'import"./mcp-dddddddd.mjs"',
      "mcp-dddddddd.mjs": "",
      "package.json": "{}",
      "sigtrap.js": 'require("./daemon.mjs")',
      "daemon.mjs": ""
    }
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    assert.deepStrictEqual([...Bundles.used(folder)].toSorted(), [
      "daemon.mjs",
      "mcp-aaaaaaaa.mjs",
      "mcp-bbbbbbbb.mjs",
      "mcp.mjs",
      "package.json",
      "sigtrap.js"
    ])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
