import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Features, Registers, StopReply } from "../src/index.ts"

describe("stop replies", () => {
  it("of lldb-server name the threads and their registers", () => {
    const stop = StopReply.parse(
      "T0bthread:3ed9;name:c;threads:3ed9,3eda;thread-pcs:555555555173,7ffff7e8f1a7;07:20eeffffff7f0000;10:7351555555550000;reason:signal;description:7369676e616c20534947534547563a;"
    )
    assert.deepStrictEqual(stop, {
      kind: "stopped",
      signal: 11,
      thread: 0x3ed9,
      reason: "signal",
      description: "signal SIGSEGV:",
      threads: [0x3ed9, 0x3eda],
      addresses: [0x555555555173n, 0x7ffff7e8f1a7n],
      registers: new Map([
        [7, new Uint8Array([0x20, 0xee, 0xff, 0xff, 0xff, 0x7f, 0, 0])],
        [16, new Uint8Array([0x73, 0x51, 0x55, 0x55, 0x55, 0x55, 0, 0])]
      ]),
      extra: new Map([["name", "c"]])
    })
  })

  it.each([
    ["S05", { kind: "stopped", signal: 5 }],
    ["T05thread:p1f.2a;swbreak:;", { signal: 5, process: 0x1f, thread: 0x2a, reason: "breakpoint" }],
    ["T05watch:7fff1234;thread:1;", { reason: "watchpoint", watched: 0x7fff1234n, thread: 1 }],
    ["W03", { kind: "exited", code: 3 }],
    ["W00;process:1f", { kind: "exited", code: 0, process: 31 }],
    ["X09;process:1f", { kind: "signaled", signal: 9, process: 31 }],
    ["N", { kind: "none" }],
    ["O6869", { kind: "output", bytes: new Uint8Array([0x68, 0x69]) }]
  ])("reads %s", (payload, expected) => {
    assert.deepInclude(StopReply.parse(payload) ?? {}, expected)
  })

  it.each(["", "OK", "E01", "T", "Tzz", "W", "O6", "stop"])("refuses %j", (payload) => {
    assert.isUndefined(StopReply.parse(payload))
  })

  it.prop("never fail", [Schema.String], ([text]) => {
    for (const kind of ["T05", "S", "W", "X", "O", ""]) StopReply.parse(kind + text)
    StopReply.threadId(text)
    Features.parse(text)
    Registers.parseInfo(text, 0)
    Registers.parseDescription([text])
  })
})

describe("features", () => {
  it("have values or none", () => {
    const features = Features.parse("PacketSize=3fff;QStartNoAckMode+;multiprocess-;qXfer:features:read+;;=x;+")
    assert.deepStrictEqual(
      [...features],
      [
        ["PacketSize", "3fff"],
        ["QStartNoAckMode", true],
        ["multiprocess", false],
        ["qXfer:features:read", true]
      ]
    )
    assert.strictEqual(Features.packetSize(features), 0x3fff)
    assert.strictEqual(Features.packetSize(Features.parse("PacketSize=131072")), 128 * 1024)
  })
})

describe("registers", () => {
  it("of a description follow each other", () => {
    const found = Registers.parseDescription([
      `<?xml version="1.0"?><target><!-- <reg name="no" bitsize="8"/> --><xi:include href="a&amp;b.xml"/>
       <reg name="rax" bitsize="64" type="int"/><reg name='rip' bitsize='64' regnum='16' offset="128"/><reg name="eflags" bitsize="32"/>
       <reg bitsize="64"/><reg name="bad" bitsize="x"/></target>`
    ])
    assert.deepStrictEqual(
      found.map(({ name, number, offset, role }) => [name, number, offset, role]),
      [
        ["rax", 0, 0, undefined],
        ["rip", 16, 128, "pc"],
        ["eflags", 17, 136, "flags"]
      ]
    )
    assert.deepStrictEqual(Registers.includes(`<target><xi:include href="a&amp;b.xml"/></target>`), ["a&b.xml"])
    assert.strictEqual(Registers.find(found, "pc")?.name, "rip")
  })

  it("of LLDB say their role", () => {
    assert.deepInclude(
      Registers.parseInfo("name:rdi;bitsize:64;offset:112;encoding:uint;format:hex;set:General;generic:arg1;", 4) ?? {},
      { name: "rdi", bits: 64, offset: 112, role: "arg1", group: "General", number: 4, partial: false }
    )
    assert.isUndefined(Registers.parseInfo("E45", 4))
  })
})
