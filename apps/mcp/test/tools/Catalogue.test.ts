import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Operation, Operations } from "@sigtrap/protocol"
import * as Catalogue from "../../src/tools/Catalogue.ts"
import * as Profile from "../../src/tools/Profile.ts"
import * as CompactMessages from "../../src/tools/CompactMessages.ts"

const profiles: ReadonlyArray<Profile.Name> = ["default", "full", "observe"]

const bytes = (tools: ReadonlyArray<Catalogue.Tool>) =>
  new TextEncoder().encode(
    CompactMessages.shorten(
      JSON.stringify({ tools: tools.filter(({ listed }) => listed).map(({ descriptor }) => descriptor) })
    )
  ).length

describe("the catalogue", () => {
  for (const profile of profiles) {
    it(`of ${profile} keeps its budget`, () => {
      assert.isAtMost(bytes(Catalogue.tools(profile)), Catalogue.budgets[profile])
    })

    it.effect(`of ${profile} leads every operation that may be called back to itself`, () =>
      Effect.gen(function* () {
        const tools = new Map(Catalogue.tools(profile).map((tool) => [tool.name, tool]))
        for (const operation of Profile.callable(profile)) {
          const { input, tool: name } = Catalogue.route(profile, operation)
          const tool = tools.get(name)
          assert.isTrue(tool?.listed, `${operation._tag}: ${name}`)
          const meant = yield* (tool ?? assert.fail(name)).meaning(input({ session: "x" }))
          assert.strictEqual(meant.operation, operation)
          if (name !== Catalogue.operate) assert.deepStrictEqual(meant.input, { session: "x" })
          // With every tool at hand its own name works as well, listed or not.
          assert.isTrue(profile !== "full" || tools.has(Catalogue.name(operation)), operation._tag)
        }
      })
    )

    it(`of ${profile} has each name once`, () => {
      const names = Catalogue.tools(profile).map(({ name }) => name)
      assert.deepStrictEqual(names, [...new Set(names)])
    })
  }

  it("of the default profile has room for what is added: no field lost its words", () => {
    const print = Catalogue.tools("default").find(({ name }) => name === "print")
    assert.include(JSON.stringify(print?.descriptor.inputSchema), `"description":"Expressions or references"`)
    assert.isBelow(bytes(Catalogue.tools("default")), 8100)
  })

  it("answers to the names that agents know from elsewhere", () => {
    const tools = new Map(Catalogue.tools("default").map((tool) => [tool.name, tool]))
    for (const [alias, tag] of [
      ["stack", "backtrace"],
      ["variables", "locals"],
      ["command", "raw"],
      ["break_delete", "breakpoint.remove"]
    ] as const) {
      assert.strictEqual(tools.get(alias)?.operations[0]?._tag, tag)
      assert.isFalse(tools.get(alias)?.listed)
    }
  })

  it.effect("says which actions a family has", () =>
    Effect.gen(function* () {
      const breakpoint = Catalogue.tools("full").find(({ name }) => name === "breakpoint") ?? assert.fail("no family")
      const error = yield* Effect.flip(breakpoint.meaning({ action: "explode" }))
      assert.include(error.message, "no action explode")
      assert.include(error.near, "remove")
      assert.include(JSON.stringify(breakpoint.descriptor.inputSchema), "remove ids? all?")
    })
  )

  it.effect("keeps a field named action apart from the action of its family", () =>
    Effect.gen(function* () {
      const sim = Catalogue.tools("full").find(({ name }) => name === "sim") ?? assert.fail("no family")
      assert.include(JSON.stringify(sim.descriptor.inputSchema), `"privacy_action":{"enum":["grant","revoke","reset"]`)
      const { input, operation } = yield* sim.meaning({ action: "privacy", privacy_action: "grant", service: "photos" })
      assert.strictEqual(operation._tag, "sim.privacy")
      assert.deepStrictEqual(input, { action: "grant", service: "photos" })
      assert.deepStrictEqual(Catalogue.route("full", operation).input({ action: "grant" }), {
        action: "privacy",
        privacy_action: "grant"
      })
    })
  )

  it("of full keeps the words of what debugging takes from day to day", () => {
    const tools = new Map(Catalogue.tools("full").map((tool) => [tool.name, JSON.stringify(tool.descriptor)]))
    assert.include(tools.get("break"), "FILE:LINE")
    assert.include(tools.get("start"), "Breakpoints to set first")
    assert.include(tools.get("step"), "next: Step to the next line, over calls")
  })

  it.effect("finds operations by whatever name they are called", () =>
    Effect.gen(function* () {
      const operate = Catalogue.tools("default").find(({ name }) => name === "operate") ?? assert.fail("no operate")
      for (const word of ["memory.read", "memory read", "memory_read", "sigtrap memory read"]) {
        assert.strictEqual((yield* operate.meaning({ operation: word })).operation._tag, "memory.read")
      }
      const error = yield* Effect.flip(operate.meaning({ operation: "memory.eat" }))
      assert.deepStrictEqual(error.near, ["memory.read", "memory.write"])
    })
  )

  it("offers nothing in observe that does more than read", () => {
    for (const operation of Profile.callable("observe")) {
      assert.strictEqual(Operation.meta(operation).tier, "observe", operation._tag)
    }
    assert.isBelow(Profile.callable("observe").length, Operations.all.length)
  })
})

describe("what is sent", () => {
  const annotations = (reads: boolean, destroys: boolean, idempotent: boolean, open: boolean) =>
    JSON.stringify({
      name: "x",
      annotations: {
        readOnlyHint: reads,
        destructiveHint: destroys,
        idempotentHint: idempotent,
        openWorldHint: open
      }
    })

  it("leaves out what clients assume, and nothing else", () => {
    assert.strictEqual(CompactMessages.shorten(annotations(false, true, false, true)), `{"name":"x"}`)
    assert.deepStrictEqual(JSON.parse(CompactMessages.shorten(annotations(true, false, false, false))).annotations, {
      readOnlyHint: true,
      openWorldHint: false
    })
    assert.deepStrictEqual(JSON.parse(CompactMessages.shorten(annotations(false, false, true, true))).annotations, {
      destructiveHint: false,
      idempotentHint: true
    })
  })

  it("writes a schema where its stand-in was", () => {
    const schema = { type: "object", properties: { line: { type: "integer" } } }
    assert.strictEqual(
      CompactMessages.shorten(JSON.stringify({ inputSchema: CompactMessages.standIn(schema) })),
      JSON.stringify({ inputSchema: schema })
    )
  })

  it("does not touch the words of a program", () => {
    const message = JSON.stringify({ text: annotations(false, true, false, true) })
    assert.strictEqual(CompactMessages.shorten(message), message)
  })
})
