import { assert, it } from "@effect/vitest"
import * as NodeVersion from "../../src/runtime/NodeVersion.ts"

it("a Node older than 22.15 is too old; Bun and Deno are not checked", () => {
  for (const node of ["18.19.1", "20.20.2", "22.0.0", "22.14.0"]) assert.isTrue(NodeVersion.isTooOld({ node }), node)
  for (const node of ["22.15.0", "22.23.2", "23.0.0", "24.1.0", "100.0.0"]) {
    assert.isFalse(NodeVersion.isTooOld({ node }), node)
  }
  assert.isFalse(NodeVersion.isTooOld({ node: "20.0.0", bun: "1.4.5" }))
  assert.isFalse(NodeVersion.isTooOld({ node: "20.0.0", deno: "2.9.5" }))
})

it("one sentence says what is needed, and what runs", () => {
  assert.strictEqual(
    NodeVersion.problem("sigtrap-mcp", "v20.20.2"),
    "sigtrap-mcp needs Node 22.15 or newer; this is v20.20.2"
  )
})
