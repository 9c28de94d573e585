import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { McpSchema } from "effect/ai"
import { Client, Operations } from "@sigtrap/protocol"
import { Recorder } from "@sigtrap/protocol/testing"
import * as Consent from "../../src/server/Consent.ts"
import type * as ClientInfo from "../../src/server/ClientInfo.ts"

const operation = (tag: Operations.Tag) => Operations.find(tag) ?? assert.fail(`no operation ${tag}`)

const mute: ClientInfo.Peer = {
  key: "stdio",
  readsStructure: false,
  progressToken: undefined,
  elicit: undefined,
  repeats: false,
  responses: {}
}

/** A client whose person answers like this, and how often it was asked. */
const asking = (answer: McpSchema.ElicitResult) => {
  const asked: Array<ClientInfo.Form> = []
  const peer: ClientInfo.Peer = {
    ...mute,
    elicit: (form) =>
      Effect.sync(() => {
        asked.push(form)
        return answer
      })
  }
  return { asked, peer }
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
  it.effect("is needed by nothing that reads, runs or evaluates", () =>
    Effect.gen(function* () {
      const consent = yield* make()
      for (const tag of ["status", "continue", "break", "eval", "print"] as const) {
        assert.isUndefined(yield* consent.ask(tag, operation(tag), {}, mute))
      }
    })
  )

  it.effect("that cannot be asked for is a refusal which says how a person can give it", () =>
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
        const error = yield* Effect.flip(consent.ask(tag, operation(tag), fields, mute))
        assert.strictEqual(error._tag, "Permission")
        assert.include(JSON.stringify(error.hints), `--allow ${tier}`)
      }
    })
  )

  it.effect("that cannot be asked for is not needed to begin a session", () =>
    Effect.gen(function* () {
      const consent = yield* make()
      assert.isUndefined(yield* consent.ask("start", operation("start"), { program: "./a", replace: false }, mute))
      assert.isUndefined(yield* consent.ask("attach", operation("attach"), { pid: 7 }, mute))
      assert.isUndefined(yield* consent.ask("core", operation("core"), { file: "core" }, mute))
    })
  )

  it.effect("given beforehand holds for its tier alone", () =>
    Effect.gen(function* () {
      const consent = yield* make(["admin"])
      assert.isUndefined(yield* consent.ask("start", operation("start"), {}, mute))
      yield* Effect.flip(consent.ask("set", operation("set"), {}, mute))
    })
  )

  it.effect("given once is asked for again; given for good it is not", () =>
    Effect.gen(function* () {
      const consent = yield* make()
      const once = asking(accept())
      yield* consent.ask("start", operation("start"), { program: "./a" }, once.peer)
      yield* consent.ask("start", operation("start"), { program: "./b" }, once.peer)
      assert.lengthOf(once.asked, 2)
      assert.include(once.asked[0]?.message ?? "", "./a")
      const always = asking(accept("until the client leaves"))
      yield* consent.ask("start", operation("start"), {}, always.peer)
      yield* consent.ask("raw", operation("raw"), {}, always.peer)
      assert.lengthOf(always.asked, 1)
      // Another client has given nothing.
      yield* Effect.flip(consent.ask("raw", operation("raw"), {}, { ...mute, key: "another" }))
    })
  )

  it.effect("that was declined is a refusal", () =>
    Effect.gen(function* () {
      const consent = yield* make()
      const { peer } = asking(new McpSchema.ElicitDeclineResult({ action: "decline" }))
      const error = yield* Effect.flip(consent.ask("set", operation("set"), {}, peer))
      assert.include(error.message, "it was not given")
    })
  )

  it.effect("is asked for by an answer where the client repeats its call", () =>
    Effect.gen(function* () {
      const consent = yield* make()
      const peer = { ...mute, key: undefined, repeats: true }
      const required = yield* consent.ask("start", operation("start"), {}, peer)
      assert.strictEqual(required?.inputRequests?.["consent"]?.method, "elicitation/create")
      const given = { ...peer, responses: { consent: { action: "accept" } } }
      assert.isUndefined(yield* consent.ask("start", operation("start"), {}, given))
      const declined = { ...peer, responses: { consent: { action: "decline" } } }
      yield* Effect.flip(consent.ask("start", operation("start"), {}, declined))
    })
  )

  it.effect("to begin a session is consent to end it, and no other", () =>
    Effect.gen(function* () {
      const consent = yield* make([], ["mine"])
      consent.began(operation("start"), "mine", mute)
      assert.isUndefined(yield* consent.ask("stop", operation("stop"), { names: ["mine"] }, mute))
      assert.isUndefined(yield* consent.ask("stop", operation("stop"), {}, mute))
      assert.isUndefined(yield* consent.ask("restart", operation("restart"), {}, mute))
      yield* Effect.flip(consent.ask("stop", operation("stop"), { names: ["theirs"] }, mute))
      yield* Effect.flip(consent.ask("stop", operation("stop"), { all: true }, mute))
      yield* Effect.flip(consent.ask("restart", operation("restart"), { args: ["x"] }, mute))
      const shared = yield* make([], ["mine", "theirs"])
      shared.began(operation("start"), "mine", mute)
      yield* Effect.flip(shared.ask("stop", operation("stop"), {}, mute))
    })
  )

  it.effect("asks in words that cannot pretend to be anything else", () =>
    Effect.gen(function* () {
      const consent = yield* make()
      const { asked, peer } = asking(accept())
      yield* consent.ask("start", operation("start"), { program: `x\u001b[2J\n\nAllowed by admin` }, peer)
      assert.notMatch(asked[0]?.message ?? "", /[\u001b\n]/)
    })
  )
})
