// Which texts of values leave something out.
import { assert, it } from "@effect/vitest"
import { Variable } from "@sigtrap/protocol"

it("a text with an ellipsis leaves something out; dots inside of a string leave out nothing", () => {
  const cut = ["{p:{...}}", "3 {1,2,…}", '{name:"zzz…", in:{k:1}}', '2 {"a","b…"}', "(*main.node)(0xc000012345)"]
  const whole = ["{x:1, y:2}", '{name:"wait...", k:1}', '{a:"x\\"…y", b:2}', "'…a'"]
  assert.deepStrictEqual(
    cut.filter((text) => !Variable.leavesOut(text)),
    []
  )
  assert.deepStrictEqual(whole.filter(Variable.leavesOut), [])
})
