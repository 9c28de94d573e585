import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { McpSchema } from "effect/ai"
import { Caller, Effects, Errors, Operation, Operations, Question } from "@sigtrap/protocol"
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

/** A daemon that keeps questions as the real one does, and the answers that it got. */
const makeDaemon = (tag: Operations.Tag, uses: ReadonlyArray<Effects.Use>) => {
  const answers = new Map<number, Question.Verdict>()
  const asked = new Map<
    number,
    { readonly uses: ReadonlyArray<Effects.Use>; readonly ended: Deferred.Deferred<void> }
  >()
  const take = Effect.fnUntraced(function* (request: number) {
    const question = asked.get(request)
    if (question === undefined) return []
    yield* Deferred.await(question.ended)
    asked.delete(request)
    if (answers.get(request) !== "deny") return question.uses
    const by = { id: "mcp:tester", kind: "mcp", role: "person" } as const
    return yield* new Errors.ConsentDenied({ operation: tag, request, by })
  })
  const daemon: Consent.Daemon<string> = {
    attempt: ({ allowance, asks, requests = [] }) =>
      Effect.gen(function* () {
        const accepted = yield* Effect.forEach(requests, take)
        const caller: Caller.Caller = {
          actor: { kind: "mcp", name: "tester" },
          allowance: { ...allowance, uses: [...allowance.uses, ...accepted.flat()] },
          ...(asks === undefined ? {} : { asks })
        }
        const { decision, missing: lacks } = Question.decide(caller, uses, false)
        if (decision === "allowed") return "ran"
        const refusal = { operation: tag, missing: lacks.map((use) => ({ ...use, tier: Effects.tierOf(use.effect) })) }
        if (decision === "refused") return yield* new Errors.TierRequired(refusal)
        const kinds = Effects.names.filter((name) => lacks.some(({ effect }) => effect === name))
        const ids = kinds.map((kind) => {
          const id = answers.size + asked.size + 1
          asked.set(id, {
            uses: lacks.filter(({ effect }) => effect === kind),
            ended: Deferred.makeUnsafe<void>()
          })
          return id
        })
        return yield* new Errors.TierRequired({ ...refusal, requests: ids })
      }),
    answer: (request, verdict) =>
      Effect.sync(() => {
        answers.set(request, verdict)
        const question = asked.get(request)
        if (question !== undefined) Deferred.doneUnsafe(question.ended, Effect.void)
      })
  }
  return { daemon, answers }
}

/** Makes a call of a client. Returns what came of it, and a function that makes it again with other inputs or fields. */
const ask = (
  consent: Consent.Consent,
  mcpClient: ClientInfo.ClientInfo,
  tag: Operations.Tag,
  fields: { readonly [field: string]: unknown },
  more: ReadonlyArray<Effects.Use> = []
) => {
  const operation = Operations.byTag(tag)
  const { answers, daemon } = makeDaemon(tag, [...Effects.ofCall(Operation.meta(operation), fields), ...more])
  const again = (
    client: ClientInfo.ClientInfo,
    changed: { readonly [field: string]: unknown } = fields,
    other: Operations.Tag = tag
  ) =>
    consent.permitted(
      { operation: Operations.byTag(other), fields: changed, adapter: Effect.succeed("lldb-dap") },
      client,
      daemon
    )
  return { result: again(mcpClient), again, answers, answer: daemon.answer }
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
        const error = yield* Effect.flip(ask(make(), formless, tag, fields).result)
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

  it.effect("once is for the call that was shown; until the client leaves it is for that effect", () =>
    Effect.gen(function* () {
      const once = ask(make(), answering(accept()).mcpClient, "raw", { command: "version" })
      assert.strictEqual(yield* once.result, "ran")
      assert.deepStrictEqual([...once.answers.values()], ["allow"])
      const always = answering(accept("until the client leaves"))
      const start = ask(make(), always.mcpClient, "start", { program: "./a" })
      assert.strictEqual(yield* start.result, "ran")
      assert.deepStrictEqual([...start.answers.values()], ["client"])
      // A client that the daemon cannot tell apart from others of its name is allowed the call alone.
      const unknown = ask(make(), { ...always.mcpClient, key: undefined }, "start", { program: "./a" })
      assert.strictEqual(yield* unknown.result, "ran")
      assert.deepStrictEqual([...unknown.answers.values()], ["allow"])
    })
  )

  it.effect("is asked for all effects of a call in one form, for debugger commands this once", () =>
    Effect.gen(function* () {
      const { forms, mcpClient } = answering(accept("until the client leaves"))
      const source = "initCommands of .vscode/launch.json"
      yield* ask(make(), mcpClient, "start", { program: "./a", args: ["one", "two words"] }, [
        { effect: "raw", field: "init_cmd", value: "platform shell id", source }
      ]).result
      assert.lengthOf(forms, 1)
      assert.include(forms[0]?.message ?? "", "Start ./a one 'two words'?")
      assert.include(forms[0]?.message ?? "", "`platform shell id`, from initCommands of .vscode/launch.json")
      assert.deepInclude(forms[0]?.requestedSchema.properties["allow"], { enum: ["this once"] })
    })
  )

  it.effect("of a run is asked for once, with what it starts, evaluates and writes", () =>
    Effect.gen(function* () {
      const fields = { program: "./a", trace: ["main :: {f()}"], eval: ["g()"], report: "r.jsonl", junit: "r.xml" }
      const base = Profile.get("default").effects.filter((effect) => effect !== "eval")
      for (const choice of ["this once", "until the client leaves"] as const) {
        const { forms, mcpClient } = answering(accept(choice))
        const { answers, result } = ask(Consent.make(base, []), mcpClient, "run", fields, [{ effect: "launch" }])
        assert.strictEqual(yield* result, "ran")
        assert.lengthOf(forms, 1)
        const [{ message } = { message: "" }] = forms
        for (const text of ["Start this program: `./a`", "`f()`", "`g()`", "report to this file: `r.jsonl`", "`r.xml`"])
          assert.include(message, text)
        assert.include(
          message,
          "evaluating expressions, written files and started and attached programs of this client"
        )
        const verdict = choice === "this once" ? "allow" : "client"
        assert.deepStrictEqual([...answers.values()], [verdict, verdict, verdict])
      }
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
        yield* ask(make(), mcpClient, tag, fields).result
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
      yield* ask(make(), mcpClient, "script", { commands, file: "more.txt" }, uses).result
      const shown = forms.map(({ message }) => message).join("\n")
      for (const text of ["LLDB command `version`?", "LLDB command `platform shell id`?", "raw 'script 1'", "more.txt"])
        assert.include(shown, text)
    })
  )

  it.effect("to destroy what another client began is given once only", () =>
    Effect.gen(function* () {
      const { forms, mcpClient } = answering(accept("until the client leaves"))
      const use: Effects.Use = { effect: "launch", destroys: "the session web, which cli began" }
      yield* ask(make(), mcpClient, "stop", {}, [use]).result
      assert.include(forms[0]?.message ?? "", "the session web, which cli began")
      assert.deepInclude(forms[0]?.requestedSchema.properties["allow"], { enum: ["this once"] })
    })
  )

  it.effect("that the user declines is a refusal", () =>
    Effect.gen(function* () {
      const { mcpClient } = answering(new McpSchema.ElicitDeclineResult({ action: "decline" }))
      const error = yield* Effect.flip(ask(make(), mcpClient, "set", { target: "n", value: "2" }).result)
      assert.strictEqual(error._tag, "TierRequired")
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
        const error = yield* Effect.flip(ask(make(), mcpClient, "raw", { command: "version" }).result)
        assert.include(error.message, "without a choice in `allow`")
        assert.deepStrictEqual(forms[0]?.requestedSchema.required, ["allow"])
        const repeating = { ...formless, key: undefined, repeats: true }
        const call = ask(make(), repeating, "raw", { command: "version" })
        const required = yield* call.result
        if (!(required instanceof McpSchema.InputRequired)) return assert.fail("no form")
        const given = { ...repeating, state: required.requestState, responses: { consent: { ...answer } } }
        const refusal = yield* Effect.flip(call.again(given))
        assert.include(refusal.message, "without a choice")
        assert.deepStrictEqual([...call.answers.values()], ["deny"])
      }
    })
  )

  it.effect("is refused if the answer to the form is none of MCP", () =>
    Effect.gen(function* () {
      const { forms, mcpClient } = answering("defect")
      const error = yield* Effect.flip(ask(make(), mcpClient, "raw", { command: "version" }).result)
      assert.strictEqual(error._tag, "TierRequired")
      assert.lengthOf(forms, 1)
    })
  )

  it.effect("of a client that fails to show the form is that of one without forms", () =>
    Effect.gen(function* () {
      const { mcpClient } = answering("failure")
      assert.strictEqual(yield* ask(make(), mcpClient, "start", { program: "./a" }).result, "ran")
      const error = yield* Effect.flip(ask(make(), mcpClient, "raw", { command: "version" }).result)
      assert.include(error.message, "failed to show the form")
    })
  )

  it.effect("is requested by an answer from a client that repeats its call, and valid once for the same call", () =>
    Effect.gen(function* () {
      const mcpClient = { ...formless, key: undefined, repeats: true }
      const begin = Effect.fnUntraced(function* () {
        const call = ask(make(), mcpClient, "start", { program: "./a" })
        const required = yield* call.result
        if (!(required instanceof McpSchema.InputRequired)) return yield* Effect.die("no form")
        assert.strictEqual(required.inputRequests?.["consent"]?.method, "elicitation/create")
        return {
          ...call,
          given: { ...mcpClient, state: required.requestState, responses: { consent: { ...accept() } } }
        }
      })
      const { again, answers, given } = yield* begin()
      for (const other of [
        again(given, { program: "./b" }),
        again(given, { program: "./a" }, "restart"),
        again({ ...given, state: "consent-99" }),
        again(mcpClient)
      ]) {
        assert.instanceOf(yield* other, McpSchema.InputRequired)
      }
      assert.lengthOf(answers, 0)
      assert.strictEqual(yield* again(given), "ran")
      assert.deepStrictEqual([...answers.values()], ["allow"])
      assert.instanceOf(yield* again(given), McpSchema.InputRequired)

      const second = yield* begin()
      const declined = { consent: { action: "decline" as const, content: { allow: "this once" } } }
      yield* Effect.flip(second.again({ ...second.given, responses: declined }))
      assert.deepStrictEqual([...second.answers.values()], ["deny"])
      assert.instanceOf(yield* second.again(second.given), McpSchema.InputRequired)
    })
  )

  it.effect("can be given at a terminal while the form is shown", () =>
    Effect.gen(function* () {
      const call = ask(make(), { ...formless, elicit: () => Effect.never }, "raw", { command: "version" })
      const running = yield* Effect.forkChild(call.result, { startImmediately: true })
      yield* call.answer(1, "allow")
      assert.strictEqual(yield* Fiber.join(running), "ran")
    })
  )

  it.effect("is requested in a form without control characters or line breaks of the arguments", () =>
    Effect.gen(function* () {
      const { forms, mcpClient } = answering(accept())
      yield* ask(make(), mcpClient, "start", { program: `x\u001b[2J\n\nAllowed by admin` }).result
      assert.notMatch(forms[0]?.message ?? "", /[\u001b\n]/)
    })
  )
})
