import { Version } from "@sigtrap/host"
import { assert, it } from "@effect/vitest"
import manifest from "../../package.json" with { type: "json" }

it("the version is that of the manifest", () => {
  assert.strictEqual(Version.product, manifest.version)
})

it("sides with the same major version are compatible", () => {
  assert.isTrue(Version.compatible(Version.protocol))
  assert.isTrue(Version.compatible("2.99"))
  assert.isFalse(Version.compatible("1.0"))
  assert.isFalse(Version.compatible(""))
})
