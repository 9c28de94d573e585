import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Operation, Operations } from "@sigtrap/protocol"
import * as Catalogue from "../../src/tools/Catalogue.ts"
import * as OperateTool from "../../src/tools/OperateTool.ts"
import * as Profile from "../../src/tools/Profile.ts"
import * as CompactMessages from "../../src/tools/CompactMessages.ts"
import * as Tool from "../../src/tools/Tool.ts"

const profiles: ReadonlyArray<Profile.Name> = ["default", "full", "observe"]

const bytes = (tools: ReadonlyArray<Tool.Tool>) =>
  new TextEncoder().encode(
    CompactMessages.shorten(
      JSON.stringify({ tools: tools.filter(({ listed }) => listed).map(({ descriptor }) => descriptor) })
    )
  ).length

describe("the catalogue", () => {
  for (const profile of profiles) {
    it(`of ${profile} is within its budget`, () => {
      assert.isAtMost(bytes(Catalogue.tools(profile)), Profile.get(profile).budget)
    })

    it.effect(`of ${profile} has a route for every operation that can be called`, () =>
      Effect.gen(function* () {
        const tools = new Map(Catalogue.tools(profile).map((tool) => [tool.name, tool]))
        for (const operation of Profile.callable(profile)) {
          const { input, tool: name } = Catalogue.route(profile, operation)
          const tool = tools.get(name)
          assert.isTrue(tool?.listed, `${operation._tag}: ${name}`)
          const resolved = yield* (tool ?? assert.fail(name)).resolve(input({ session: "x" }))
          assert.strictEqual(resolved.operation, operation)
          if (name !== OperateTool.name) assert.deepStrictEqual(resolved.input, { session: "x" })
          // In full each operation can also be called by its own name.
          assert.isTrue(profile !== "full" || tools.has(Tool.nameOf(operation)), operation._tag)
        }
      })
    )

    it(`of ${profile} has unique names`, () => {
      const names = Catalogue.tools(profile).map(({ name }) => name)
      assert.deepStrictEqual(names, [...new Set(names)])
    })
  }

  it("of the default profile is below its budget, so every field has its description", () => {
    const print = Catalogue.tools("default").find(({ name }) => name === "print")
    assert.include(JSON.stringify(print?.descriptor.inputSchema), `"description":"Expressions or references"`)
    assert.isBelow(bytes(Catalogue.tools("default")), 8192)
    for (const { descriptor, listed, name } of Catalogue.tools("default")) {
      if (!listed || name === OperateTool.name) continue
      for (const [field, schema] of Object.entries(Object(descriptor.inputSchema["properties"]))) {
        const isDescribed = Profile.instructionFields.includes(field) || Object.hasOwn(Object(schema), "description")
        assert.isTrue(isDescribed, `${name} ${field}`)
      }
    }
  })

  it("describes a field once, and refers to that tool where the same words would follow", () => {
    const field = (name: string) =>
      Catalogue.tools("default").find((tool) => tool.name === name)?.descriptor.inputSchema["properties"]
    assert.include(JSON.stringify(field("start")), `"description":"Where to stop first: `)
    for (const name of ["run", "sim_debug"]) assert.include(JSON.stringify(field(name)), `"description":"See start"`)
  })

  it("has aliases for names of other debuggers' tools", () => {
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

  it.effect("lists the actions of a family", () =>
    Effect.gen(function* () {
      const breakpoint = Catalogue.tools("full").find(({ name }) => name === "breakpoint") ?? assert.fail("no family")
      const error = yield* Effect.flip(breakpoint.resolve({ action: "explode" }))
      assert.include(error.message, "no action explode")
      assert.include(error.near, "remove")
      const wrong = yield* Effect.flip(breakpoint.resolve({ action: { name: "list" } }))
      assert.include(wrong.message, 'no action {"name":"list"}')
      assert.include(JSON.stringify(breakpoint.descriptor.inputSchema), "remove ids? all?")
    })
  )

  it.effect("renames a field named action in a family", () =>
    Effect.gen(function* () {
      const sim = Catalogue.tools("full").find(({ name }) => name === "sim") ?? assert.fail("no family")
      assert.include(JSON.stringify(sim.descriptor.inputSchema), `"privacy_action":{"enum":["grant","revoke","reset"]`)
      const { input, operation } = yield* sim.resolve({ action: "privacy", privacy_action: "grant", service: "photos" })
      assert.strictEqual(operation._tag, "sim.privacy")
      assert.deepStrictEqual(input, { action: "grant", service: "photos" })
      assert.deepStrictEqual(Catalogue.route("full", operation).input({ action: "grant" }), {
        action: "privacy",
        privacy_action: "grant"
      })
    })
  )

  it("requires the location of a breakpoint where its alternatives are not listed", () => {
    const schema = (profile: Profile.Name, name: string) =>
      Catalogue.tools(profile).find((tool) => tool.name === name)?.descriptor.inputSchema
    assert.deepStrictEqual(schema("default", "break")?.["required"], ["at"])
    assert.notProperty(schema("full", "break"), "required")
  })

  it("of full describes everyday operations and fields", () => {
    const tools = new Map(Catalogue.tools("full").map((tool) => [tool.name, JSON.stringify(tool.descriptor)]))
    assert.include(tools.get("break"), "+N below the stop")
    assert.include(tools.get("start"), "Where to stop first")
    assert.include(tools.get("step"), "next: Step to the next line, over calls")
  })

  it("of operate begins with an example and names the operations that change something", () => {
    const operate = Catalogue.tools("default").find(({ name }) => name === "operate")?.descriptor.description ?? ""
    assert.include(operate, `e.g. {"operation":"memory.read","input":{"address":"&n"}}. Without input`)
    for (const name of ["restart", "connect", "raw", "registers", "memory.*", "sim.*"]) assert.include(operate, name)
  })

  it.effect("finds operations by tag, command, tool name and with the program's name", () =>
    Effect.gen(function* () {
      const operate = Catalogue.tools("default").find(({ name }) => name === "operate") ?? assert.fail("no operate")
      for (const word of ["memory.read", "memory read", "memory_read", "sigtrap memory read"]) {
        assert.strictEqual((yield* operate.resolve({ operation: word })).operation._tag, "memory.read")
      }
      const error = yield* Effect.flip(operate.resolve({ operation: "memory.eat" }))
      assert.deepStrictEqual(error.near, ["memory.read", "memory.write"])
    })
  )

  it("of observe can only call operations that read", () => {
    for (const operation of Profile.callable("observe")) {
      assert.strictEqual(Operation.meta(operation).tier, "observe", operation._tag)
    }
    assert.isBelow(Profile.callable("observe").length, Operations.all.length)
  })
})

describe("the list of tools", () => {
  const names = (profile: Profile.Name, listed: boolean) =>
    Catalogue.tools(profile)
      .filter((tool) => tool.listed === listed)
      .map(({ name }) => name)
      .join(" ")

  it("of default is that of everyday debugging; common operations and aliases can be called", () => {
    assert.strictEqual(
      names("default", true),
      "start attach stop status break watch breakpoint_list breakpoint_remove run continue next step finish pause wait context explain source backtrace locals print eval set output script sim_debug operate"
    )
    assert.strictEqual(
      names("default", false),
      "restart recover detach sessions catch until threads expand sim_attach stack variables command break_delete"
    )
  })

  it("of observe has the operations that read", () => {
    assert.strictEqual(
      names("observe", true),
      "status sessions exception breakpoint_list wait context explain source backtrace threads locals print expand memory_read registers output operate"
    )
    assert.strictEqual(names("observe", false), "stack variables")
  })

  it("of full has every family once", () => {
    assert.strictEqual(
      names("full", true),
      "start attach core connect restart recover detach stop status sessions session control capabilities break logpoint trace watch catch exception exceptions breakpoint run continue step pause wait context explain source files changed stops backtrace frame threads locals vars print expand display eval set type complete find refs memory registers disassemble modules output input events raw script sim defaults operate"
    )
  })

  it("of a family begins with the operation of its name", () => {
    const step = Catalogue.tools("full").find(({ name }) => name === "step") ?? assert.fail("no family")
    assert.deepStrictEqual(
      step.operations.map(({ _tag }) => _tag),
      ["step", "next", "finish", "until", "stepi", "nexti"]
    )
  })
})

describe("an outgoing message", () => {
  const annotations = (readOnly: boolean, destructive: boolean, idempotent: boolean, openWorld: boolean) =>
    JSON.stringify({
      name: "x",
      annotations: {
        readOnlyHint: readOnly,
        destructiveHint: destructive,
        idempotentHint: idempotent,
        openWorldHint: openWorld
      }
    })

  it("omits annotations with default values only", () => {
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

  it("has schemas in place of placeholders", () => {
    const schema = { type: "object", properties: { line: { type: "integer" } } }
    assert.strictEqual(
      CompactMessages.shorten(JSON.stringify({ inputSchema: CompactMessages.placeholder(schema) })),
      JSON.stringify({ inputSchema: schema })
    )
  })

  it("keeps text of a program unchanged", () => {
    const message = JSON.stringify({ text: annotations(false, true, false, true) })
    assert.strictEqual(CompactMessages.shorten(message), message)
  })
})
