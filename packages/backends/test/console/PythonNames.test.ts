/** The Python sources that LLDB loads share one module, so a name that two of them define would replace the first. */
import { assert, it } from "@effect/vitest"
import { load } from "../../src/console/lldb/python/Loader.ts"

it("are defined once", () => {
  const quoted = /exec\((".*")\)$/s.exec(load)?.[1] ?? assert.fail("no loader")
  const loader = String(JSON.parse(quoted))
  const source = String(JSON.parse(/compile\((".*"),'sigtrap_values'/s.exec(loader)?.[1] ?? assert.fail("no source")))
  const names = [...source.matchAll(/^(?:def|class) (\w+)|^(\w+) = /gm)].map(([, word, value]) => word ?? value)
  assert.isAbove(names.length, 100)
  assert.deepStrictEqual(
    names.filter((name, index) => names.indexOf(name) !== index),
    []
  )
})
