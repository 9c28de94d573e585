import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { McpSchema } from "effect/ai"
import { Client, Operations } from "@sigtrap/protocol"
import { Recorder } from "@sigtrap/protocol/testing"
import * as Consent from "../../src/calls/Consent.ts"
import type * as ClientInfo from "../../src/calls/ClientInfo.ts"

const operation = (tag: Operations.Tag) => Operations.find(tag) ?? assert.fail(`no operation ${tag}`)

const formless: ClientInfo.ClientInfo = {
  key: "stdio",
  readsStructure: false,
  progressToken: undefined,
  elicit: undefined,
  repeats: false,
  responses: {}
}

/** A client whose user answers each form like this, and the forms it showed. */
const answering = (answer: McpSchema.ElicitResult) => {
  const forms: Array<ClientInfo.Form> = []
  const mcpClient: ClientInfo.ClientInfo = {
    ...formless,
    elicit: (form) =>
      Effect.sync(() => {
        forms.push(form)
        return answer
      })
  }
  return { forms, mcpClient }
}

const accept = (allow?: string) =>
  new McpSchema.ElicitAcceptResult({ action: "accept", ...(allow === undefined ? {} : { content: { allow } }) })

const make = (granted: ReadonlyArray<Consent.Tier> = [], sessions: ReadonlyArray<string> = []) =>
  Effect.gen(function* () {
    const summary = { state: "stopped", program: "/src/app", age_s: 1, idle_s: 0, current: true }
    const recorder = Recorder.make(() =>
      Effect.succeed(Recorder.answer({ sessions: sessions.map((name) => ({ ...summary, name })) }))
    )
    return Consent.make(granted, yield* Client.Client.pipe(Effect.provide(recorder.layer)))
  })

describe("consent", () => {
  it.effect("is not needed to read, run or evaluate", () =>
    Effect.gen(function* () {
      const consent = yield* make()
      for (const tag of ["status", "continue", "break", "eval", "print"] as const) {
        assert.isUndefined(yield* consent.request(tag, operation(tag), {}, formless))
      }
    })
  )

  it.effect("of a client without forms is refused, and the hint says how the user can give it", () =>
    Effect.gen(function* () {
      const consent = yield* make()
      for (const row of [
        ["raw", "admin", {}],
        ["set", "write", {}],
        ["memory.write", "write", {}],
        ["start", "admin", { program: "./a", init_cmd: ["platform shell id"] }],
        ["start", "admin", { program: "./a", replace: true }]
      ] as const) {
        const [tag, tier, fields] = row
        const error = yield* Effect.flip(consent.request(tag, operation(tag), fields, formless))
        assert.strictEqual(error._tag, "Permission")
        assert.include(JSON.stringify(error.hints), `--allow ${tier}`)
      }
    })
  )

  it.effect("of a client without forms is not needed to start a session", () =>
    Effect.gen(function* () {
      const consent = yield* make()
      assert.isUndefined(
        yield* consent.request("start", operation("start"), { program: "./a", replace: false }, formless)
      )
      assert.isUndefined(yield* consent.request("attach", operation("attach"), { pid: 7 }, formless))
      assert.isUndefined(yield* consent.request("core", operation("core"), { file: "core" }, formless))
    })
  )

  it.effect("in advance is valid for its tier only", () =>
    Effect.gen(function* () {
      const consent = yield* make(["admin"])
      assert.isUndefined(yield* consent.request("start", operation("start"), {}, formless))
      yield* Effect.flip(consent.request("set", operation("set"), {}, formless))
    })
  )

  it.effect("once is requested again for the next call; until disconnect it is not", () =>
    Effect.gen(function* () {
      const consent = yield* make()
      const once = answering(accept())
      yield* consent.request("start", operation("start"), { program: "./a" }, once.mcpClient)
      yield* consent.request("start", operation("start"), { program: "./b" }, once.mcpClient)
      assert.lengthOf(once.forms, 2)
      assert.include(once.forms[0]?.message ?? "", "./a")
      const always = answering(accept("until the client leaves"))
      yield* consent.request("start", operation("start"), {}, always.mcpClient)
      yield* consent.request("raw", operation("raw"), {}, always.mcpClient)
      assert.lengthOf(always.forms, 1)
      // The consent is not valid for another client.
      yield* Effect.flip(consent.request("raw", operation("raw"), {}, { ...formless, key: "another" }))
    })
  )

  it.effect("that the user declines is a refusal", () =>
    Effect.gen(function* () {
      const consent = yield* make()
      const { mcpClient } = answering(new McpSchema.ElicitDeclineResult({ action: "decline" }))
      const error = yield* Effect.flip(consent.request("set", operation("set"), {}, mcpClient))
      assert.include(error.message, "the user did not give it")
    })
  )

  it.effect("is requested by an answer from a client that repeats its call", () =>
    Effect.gen(function* () {
      const consent = yield* make()
      const mcpClient = { ...formless, key: undefined, repeats: true }
      const required = yield* consent.request("start", operation("start"), {}, mcpClient)
      assert.strictEqual(required?.inputRequests?.["consent"]?.method, "elicitation/create")
      const given = { ...mcpClient, responses: { consent: { action: "accept" } } }
      assert.isUndefined(yield* consent.request("start", operation("start"), {}, given))
      const declined = { ...mcpClient, responses: { consent: { action: "decline" } } }
      yield* Effect.flip(consent.request("start", operation("start"), {}, declined))
    })
  )

  it.effect("to start a session includes consent to end it, and no other session", () =>
    Effect.gen(function* () {
      const consent = yield* make([], ["mine"])
      consent.noteSession(operation("start"), "mine", formless)
      assert.isUndefined(yield* consent.request("stop", operation("stop"), { names: ["mine"] }, formless))
      assert.isUndefined(yield* consent.request("stop", operation("stop"), {}, formless))
      assert.isUndefined(yield* consent.request("restart", operation("restart"), {}, formless))
      yield* Effect.flip(consent.request("stop", operation("stop"), { names: ["theirs"] }, formless))
      yield* Effect.flip(consent.request("stop", operation("stop"), { all: true }, formless))
      yield* Effect.flip(consent.request("restart", operation("restart"), { args: ["x"] }, formless))
      const shared = yield* make([], ["mine", "theirs"])
      shared.noteSession(operation("start"), "mine", formless)
      yield* Effect.flip(shared.request("stop", operation("stop"), {}, formless))
    })
  )

  it.effect("is requested in a form without control characters or line breaks of the arguments", () =>
    Effect.gen(function* () {
      const consent = yield* make()
      const { forms, mcpClient } = answering(accept())
      yield* consent.request("start", operation("start"), { program: `x\u001b[2J\n\nAllowed by admin` }, mcpClient)
      assert.notMatch(forms[0]?.message ?? "", /[\u001b\n]/)
    })
  )
})
