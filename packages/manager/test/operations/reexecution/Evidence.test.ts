// Two moments are taken for the same only if everything that is known of both is equal.
import { assert, describe, it } from "@effect/vitest"
import * as Evidence from "../../../src/operations/reexecution/Evidence.ts"

const frame = (name: string, line: number, address: string, activation?: string) => ({
  function: name,
  file: "/src/app.c",
  line,
  address,
  ...(activation === undefined ? {} : { activation })
})

const moment: Evidence.Evidence = {
  stopped: { reason: "signal", signal: "SIGSEGV", fault_address: "0x8" },
  threads: 1,
  frames: new Map([
    [0, frame("walk", 9, "0x5010", "0x7f00")],
    [1, frame("main", 20, "0x5090", "0x7f40")]
  ]),
  depth: 2,
  values: [
    { frame: 0, name: "sum", value: "3" },
    { name: "app.c count 0x6000", value: "4" }
  ]
}

const differs = (change: Partial<Evidence.Evidence>, expected = moment) => {
  const found = Evidence.difference("stop #1", expected, { ...moment, ...change })
  return found === undefined ? undefined : [found.at, found.expected, found.got]
}

const withFrame = (index: number, other: ReturnType<typeof frame>) => ({
  frames: new Map([...moment.frames, [index, other] as const])
})

describe("the evidence of a moment", () => {
  it("is equal to itself", () => {
    assert.isUndefined(differs({}))
  })

  it("differs in each of its parts", () => {
    assert.deepStrictEqual(differs({ stopped: { reason: "signal", signal: "SIGABRT" } }), [
      "stop #1",
      "signal SIGSEGV at 0x8 in walk app.c:9",
      "signal SIGABRT in walk app.c:9"
    ])
    assert.deepStrictEqual(differs({ threads: 2 }), ["stop #1, threads", "1", "2"])
    assert.deepStrictEqual(differs(withFrame(1, frame("main", 21, "0x5094", "0x7f40"))), [
      "stop #1, frame 1",
      "main app.c:20",
      "main app.c:21"
    ])
    assert.deepStrictEqual(differs(withFrame(0, frame("walk", 9, "0x5014", "0x7f00"))), [
      "stop #1, frame 0",
      "walk app.c:9",
      "the same at another address"
    ])
    assert.isDefined(differs(withFrame(0, frame("walk", 9, "0x5010", "0x7e00"))))
    assert.deepStrictEqual(differs({ depth: 3 }), ["stop #1, the stack", "2 frames", "3"])
    assert.deepStrictEqual(differs({ values: [{ frame: 0, name: "sum", value: "4" }] }), [
      "stop #1, sum in walk app.c:9",
      "3",
      "4"
    ])
    assert.deepStrictEqual(differs({ values: [{ name: "app.c count 0x6000", value: "5" }] }), [
      "stop #1, app.c count 0x6000",
      "4",
      "5"
    ])
  })

  it("compares the address of a pointer, and no preview of members", () => {
    const valued = (value: string) => ({ values: [{ frame: 0, name: "node", value }] })
    const expected = { ...moment, ...valued('0x00005a {id:7, name:"a"}') }
    assert.isUndefined(differs(valued("0x5a {id:7, ...}"), expected))
    assert.isDefined(differs(valued("0x5b {id:7, ...}"), expected))
    assert.isUndefined(differs(valued("{1, ...}"), { ...moment, ...valued("{1, 2}") }))
  })

  it("compares only what is known of both", () => {
    const little: Evidence.Evidence = {
      stopped: { reason: "signal", signal: "SIGSEGV" },
      frames: new Map([[0, { function: "walk", file: "/src/app.c", line: 9 }]]),
      values: []
    }
    assert.isUndefined(Evidence.difference("stop #1", little, moment))
    assert.isTrue(Evidence.isUsable(little))
    assert.isFalse(Evidence.isUsable({ ...little, frames: new Map() }))
  })

  it("takes a step and a breakpoint at one place for the same", () => {
    const at = (reason: "step" | "breakpoint" | "pause"): Evidence.Evidence => ({ ...moment, stopped: { reason } })
    assert.isUndefined(Evidence.difference("stop #1", at("step"), at("breakpoint")))
    assert.isDefined(Evidence.difference("stop #1", at("step"), at("pause")))
  })
})
