import { assert, it } from "@effect/vitest"
import { Capability, Operations, Session } from "../../src/index.ts"

it("each capability has an id and a title of its own", () => {
  const ids = Capability.all.map(({ id }) => id)
  assert.strictEqual(new Set(ids).size, ids.length)
  assert.strictEqual(new Set(Capability.all.map(({ title }) => title)).size, ids.length)
  for (const id of ids) assert.match(id, /^[a-z]+(?:-[a-z]+)*$/)
})

it("a capability names operations that exist, each in one capability", () => {
  const tags = Capability.all.flatMap(({ operations }) => operations)
  for (const tag of tags) assert.isTrue(Operations.isTag(tag), tag)
  assert.strictEqual(new Set(tags).size, tags.length)
})

it("a feature carries the id and the title of its capability", () => {
  assert.deepStrictEqual(Session.feature("attach-core-remote", "none"), {
    id: "attach-core-remote",
    name: "attach, core files, remote targets",
    by: "none"
  })
  assert.deepStrictEqual(Capability.operations("attach-core-remote"), ["attach", "core", "connect"])
  assert.deepStrictEqual(Capability.operations("no-such-thing"), [])
})
