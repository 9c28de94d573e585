import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { McpSchema } from "effect/ai"
import { Caller, Effects, Errors, Operation, Operations } from "@sigtrap/protocol"
import * as Consent from "../../src/calls/Consent.ts"
import type * as ClientInfo from "../../src/calls/ClientInfo.ts"
import * as Profile from "../../src/tools/Profile.ts"

const formless: ClientInfo.ClientInfo = {
  key: "stdio",
  progressToken: undefined,
  elicit: undefined,
  repeats: false,
  responses: {},
  state: undefined,
  name: "tester"
}

/** A client whose user answers each form like this, and the forms it showed. */
const answering = (answer: McpSchema.ElicitResult | "failure" | "defect") => {
  const forms: Array<ClientInfo.Form> = []
  const mcpClient: ClientInfo.ClientInfo = {
    ...formless,
    elicit: (form) =>
      Effect.suspend(() => {
        forms.push(form)
        if (answer === "defect") return Effect.die(new Error("Expected accept, decline or cancel"))
        return answer === "failure"
          ? Effect.fail(
              new McpSchema.McpReverseOperationUnsupported({
                operation: "elicitation/create",
                protocolVersion: "2025-06-18",
                reason: "not possible"
              })
            )
          : Effect.succeed(answer)
      })
  }
  return { forms, mcpClient }
}

const accept = (allow = "this once") => new McpSchema.ElicitAcceptResult({ action: "accept", content: { allow } })

const make = (granted: ReadonlyArray<Consent.Grant> = []) => Consent.make(Profile.get("default").effects, granted)

/** What the daemon would refuse to a client, if anything. */
const missing = (
  consent: Consent.Consent,
  mcpClient: ClientInfo.ClientInfo,
  tag: Operations.Tag,
  fields: object,
  more: ReadonlyArray<Effects.Use> = []
) =>
  Caller.missing(consent.allowance(mcpClient), [
    ...Effects.ofCall(Operation.meta(Operations.byTag(tag)), fields),
    ...more
  ]).map((use) => ({ ...use, tier: Effects.tierOf(use.effect) }))

/** Asks for what is missing of a call, as `ToolCalls` does. */
const ask = (
  consent: Consent.Consent,
  mcpClient: ClientInfo.ClientInfo,
  tag: Operations.Tag,
  fields: { readonly [field: string]: unknown },
  more: ReadonlyArray<Effects.Use> = []
) => {
  const refusal = new Errors.TierRequired({
    operation: tag,
    missing: missing(consent, mcpClient, tag, fields, more)
  })
  return consent.request({ operation: Operations.byTag(tag), fields, refusal, adapter: "lldb-dap" }, mcpClient)
}

describe("consent", () => {
  it("is not needed to read, run or evaluate", () => {
    const consent = make()
    const calls = [
      ["status", {}],
      ["continue", { eval: ["f()"] }],
      ["break", { at: "main if f()" }],
      ["eval", { expression: "f()" }]
    ] as const
    for (const [tag, fields] of calls) assert.lengthOf(missing(consent, formless, tag, fields), 0, tag)
  })

  it("is not needed by a client without forms to launch; it is for every other effect of the two tiers", () => {
    const consent = make()
    const allowed = [
      ["start", { program: "./a", replace: false }],
      ["attach", { pid: 7 }],
      ["core", { file: "core" }]
    ] as const
    for (const [tag, fields] of allowed) assert.lengthOf(missing(consent, formless, tag, fields), 0, tag)
    const refused = [
      ["raw", { command: "version" }],
      ["set", { target: "n", value: "2" }],
      ["memory.write", { address: "&n", values: ["2"] }],
      ["start", { program: "./a", init_cmd: ["platform shell id"] }],
      ["start", { program: "./a", build: "make" }],
      ["start", { program: "./a", stdout: "file" }],
      ["break", { at: "main", cmd: ["platform shell id"] }],
      ["breakpoint.edit", { id: "1", cmd: ["platform shell id"] }],
      ["sim.erase", {}]
    ] as const
    for (const [tag, fields] of refused) assert.isAbove(missing(consent, formless, tag, fields).length, 0, tag)
    assert.lengthOf(missing(consent, formless, "start", {}, [{ effect: "launch", destroys: "the session web" }]), 1)
  })

  it.effect("of a client without forms is refused, and the hint says how the user can give it", () =>
    Effect.gen(function* () {
      for (const [tag, fields, word] of [
        ["raw", { command: "version" }, "raw"],
        ["set", { target: "n", value: "2" }, "write"],
        ["sim.erase", {}, "admin"]
      ] as const) {
        const error = yield* Effect.flip(ask(make(), formless, tag, fields))
        assert.strictEqual(error._tag, "TierRequired")
        assert.include(JSON.stringify(error.hints), `--allow ${word}`)
        assert.include(error.message, "this client cannot show a form")
      }
    })
  )

  it("in advance is valid for its tier or effect only", () => {
    assert.lengthOf(missing(make(["admin"]), formless, "raw", { command: "version" }), 0)
    assert.lengthOf(missing(make(["raw"]), formless, "raw", { command: "version" }), 0)
    assert.lengthOf(missing(make(["launch"]), formless, "raw", { command: "version" }), 2)
    assert.lengthOf(missing(make(["admin"]), formless, "set", { target: "n", value: "2" }), 1)
    assert.lengthOf(missing(make(["admin"]), formless, "start", {}, [{ effect: "launch", destroys: "x" }]), 0)
  })

  it.effect("once is for the effects that were shown; until the client leaves it is for that effect", () =>
    Effect.gen(function* () {
      const consent = make()
      const once = answering(accept())
      const given = yield* ask(consent, once.mcpClient, "raw", { command: "version" })
      assert.deepStrictEqual(given, [{ effect: "raw" }, { effect: "raw", field: "command", value: "version" }])
      assert.lengthOf(missing(consent, once.mcpClient, "raw", { command: "version" }), 2)
      const always = answering(accept("until the client leaves"))
      yield* ask(consent, always.mcpClient, "start", { program: "./a" })
      assert.lengthOf(missing(consent, always.mcpClient, "start", { program: "./b" }), 0)
      // Launching and debugger commands are allowed apart, and for this client.
      assert.lengthOf(missing(consent, always.mcpClient, "raw", { command: "version" }), 2)
      assert.isAbove(missing(consent, { ...always.mcpClient, key: "b" }, "start", { program: "./b" }).length, 0)
    })
  )

  it.effect("is asked for each effect in a form of its own", () =>
    Effect.gen(function* () {
      const { forms, mcpClient } = answering(accept("until the client leaves"))
      const source = "initCommands of .vscode/launch.json"
      yield* ask(make(), mcpClient, "start", { program: "./a", args: ["one", "two words"] }, [
        { effect: "raw", field: "init_cmd", value: "platform shell id", source }
      ])
      assert.lengthOf(forms, 2)
      assert.include(forms[0]?.message ?? "", "Start ./a one 'two words'?")
      assert.notInclude(forms[0]?.message ?? "", "platform")
      assert.include(forms[1]?.message ?? "", "`platform shell id`, from initCommands of .vscode/launch.json")
    })
  )

  it.effect("names the operation and its arguments", () =>
    Effect.gen(function* () {
      for (const [tag, fields, expected] of [
        ["raw", { command: "version" }, "Run the LLDB command `version`?"],
        ["attach", { pid: 7 }, "Attach to process 7?"],
        ["set", { target: "n", value: "2" }, "Set `n` to `2`?"],
        ["breakpoint.save", { file: "b.json" }, "Write the file b.json?"],
        ["break", { at: "main", cmd: ["bt"] }, "Run this debugger command at a stop: `bt`"],
        ["start", { build: "make app", program: "./a" }, "Run this build command: `make app`"]
      ] as const) {
        const { forms, mcpClient } = answering(accept())
        yield* ask(make(), mcpClient, tag, fields)
        assert.include(forms.map(({ message }) => message).join("\n"), expected)
      }
    })
  )

  it.effect("for a script names each command that needs it, also those of its file", () =>
    Effect.gen(function* () {
      const { forms, mcpClient } = answering(accept())
      const uses: ReadonlyArray<Effects.Use> = [
        { effect: "raw", field: "command", value: "version", call: 1 },
        { effect: "raw", field: "command", value: "platform shell id", call: 3 },
        { effect: "raw", field: "command", value: "raw 'script 1'", source: "more.txt", call: 4 }
      ]
      const commands = ["print n; raw version", "next; raw 'platform shell id'"]
      yield* ask(make(), mcpClient, "script", { commands, file: "more.txt" }, uses)
      const shown = forms.map(({ message }) => message).join("\n")
      for (const text of ["LLDB command `version`?", "LLDB command `platform shell id`?", "raw 'script 1'", "more.txt"])
        assert.include(shown, text)
    })
  )

  it.effect("to destroy what another client began is given once only", () =>
    Effect.gen(function* () {
      const { forms, mcpClient } = answering(accept("until the client leaves"))
      const consent = make()
      const use: Effects.Use = { effect: "launch", destroys: "the session web, which cli began" }
      yield* ask(consent, mcpClient, "stop", {}, [use])
      assert.include(forms[0]?.message ?? "", "the session web, which cli began")
      assert.deepInclude(forms[0]?.requestedSchema.properties["allow"], { enum: ["this once"] })
      assert.lengthOf(missing(consent, mcpClient, "stop", {}, [use]), 1)
    })
  )

  it.effect("that the user declines is a refusal", () =>
    Effect.gen(function* () {
      const { mcpClient } = answering(new McpSchema.ElicitDeclineResult({ action: "decline" }))
      const error = yield* Effect.flip(ask(make(), mcpClient, "set", { target: "n", value: "2" }))
      assert.include(error.message, "the user did not allow it")
    })
  )

  it.effect("is refused if the form was accepted without one of its choices", () =>
    Effect.gen(function* () {
      const answers = [
        new McpSchema.ElicitAcceptResult({ action: "accept" }),
        new McpSchema.ElicitAcceptResult({ action: "accept", content: {} }),
        new McpSchema.ElicitAcceptResult({ action: "accept", content: { other: "this once" } }),
        accept("no")
      ]
      for (const answer of answers) {
        const { forms, mcpClient } = answering(answer)
        const error = yield* Effect.flip(ask(make(), mcpClient, "raw", { command: "version" }))
        assert.include(error.message, "without a choice in `allow`")
        assert.deepStrictEqual(forms[0]?.requestedSchema.required, ["allow"])
        const consent = make()
        const repeating = { ...formless, key: undefined, repeats: true }
        const required = yield* ask(consent, repeating, "raw", { command: "version" })
        if (!(required instanceof McpSchema.InputRequired)) return assert.fail("no form")
        const given = { ...repeating, state: required.requestState, responses: { raw: { ...answer } } }
        assert.lengthOf(consent.accepted(given, Operations.byTag("raw"), { command: "version" }), 0)
        const refusal = yield* Effect.flip(ask(consent, given, "raw", { command: "version" }))
        assert.include(refusal.message, "without a choice")
      }
    })
  )

  it.effect("is refused if the answer to the form is none of MCP", () =>
    Effect.gen(function* () {
      const { forms, mcpClient } = answering("defect")
      const error = yield* Effect.flip(ask(make(), mcpClient, "raw", { command: "version" }))
      assert.strictEqual(error._tag, "TierRequired")
      assert.lengthOf(forms, 1)
    })
  )

  it.effect("of a client that fails to show the form is that of one without forms", () =>
    Effect.gen(function* () {
      const { mcpClient } = answering("failure")
      assert.isArray(yield* ask(make(), mcpClient, "start", { program: "./a" }))
      const error = yield* Effect.flip(ask(make(), mcpClient, "raw", { command: "version" }))
      assert.include(error.message, "failed to show the form")
    })
  )

  it.effect("is requested by an answer from a client that repeats its call, and valid for the same call", () =>
    Effect.gen(function* () {
      const consent = make()
      const mcpClient = { ...formless, key: undefined, repeats: true }
      const fields = { program: "./a" }
      const required = yield* ask(consent, mcpClient, "start", fields)
      if (!(required instanceof McpSchema.InputRequired)) return assert.fail("no form")
      assert.strictEqual(required.inputRequests?.["launch"]?.method, "elicitation/create")
      const given = { ...mcpClient, state: required.requestState, responses: { launch: { ...accept() } } }
      const start = Operations.byTag("start")
      assert.lengthOf(consent.accepted(given, start, { program: "./b" }), 0)
      assert.lengthOf(consent.accepted(given, Operations.byTag("restart"), fields), 0)
      assert.lengthOf(consent.accepted({ ...given, state: "consent-99" }, start, fields), 0)
      assert.lengthOf(consent.accepted(mcpClient, start, fields), 0)
      assert.lengthOf(consent.accepted(given, start, fields), 2)
    })
  )

  it.effect("in an answer is valid for one call, and a form that was declined is not accepted later", () =>
    Effect.gen(function* () {
      const mcpClient = { ...formless, key: undefined, repeats: true }
      const fields = { program: "./a" }
      const start = Operations.byTag("start")
      const begin = Effect.fnUntraced(function* () {
        const consent = make()
        const required = yield* ask(consent, mcpClient, "start", fields)
        const state = required instanceof McpSchema.InputRequired ? required.requestState : undefined
        return { consent, given: { ...mcpClient, state, responses: { launch: { ...accept() } } } }
      })
      const { consent, given } = yield* begin()
      assert.lengthOf(consent.accepted(given, start, fields), 2)
      assert.lengthOf(consent.accepted(given, start, fields), 0)
      const second = yield* begin()
      const declined = {
        ...second.given,
        responses: { launch: { action: "decline", content: { allow: "this once" } } }
      }
      assert.lengthOf(second.consent.accepted(declined, start, fields), 0)
      yield* Effect.flip(ask(second.consent, declined, "start", fields))
      assert.lengthOf(second.consent.accepted(second.given, start, fields), 0)
    })
  )

  it.effect("is requested in a form without control characters or line breaks of the arguments", () =>
    Effect.gen(function* () {
      const { forms, mcpClient } = answering(accept())
      yield* ask(make(), mcpClient, "start", { program: `x\u001b[2J\n\nAllowed by admin` })
      assert.notMatch(forms[0]?.message ?? "", /[\u001b\n]/)
    })
  )
})
