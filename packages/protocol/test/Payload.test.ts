import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Hint, type Operation, Operations, Payload } from "../src/index.ts"

const operation = (tag: Operations.Tag): Operation.Any =>
  Operations.all.find(({ _tag }) => _tag === tag) ?? assert.fail(`no operation ${tag}`)

describe("a published payload", () => {
  it("is closed and lists what is required", () => {
    const { required, additionalProperties, properties } = Payload.published(operation("core"))
    assert.deepStrictEqual({ required, additionalProperties }, { required: ["file"], additionalProperties: false })
    assert.deepInclude(properties["timeout"], { type: "string", default: "30s" })
  })

  it("without fields of its own has those of every operation", () => {
    const { properties, ...rest } = Payload.published(operation("sessions"))
    assert.deepStrictEqual(rest, { type: "object", required: [], additionalProperties: false })
    assert.deepStrictEqual(Object.keys(properties), ["directory", "request_id"])
  })
})

describe("the names of the fields", () => {
  it("are those of the JSON Schema, for each operation", () => {
    for (const one of Operations.all) {
      assert.deepStrictEqual(Payload.fieldNames(one), Object.keys(Payload.published(one).properties), one._tag)
    }
  })
})

describe("the caller's facts", () => {
  const caller = { directory: "/src", environment: { LANG: "C" } }

  it("fill the fields that an operation has", () => {
    assert.deepStrictEqual(Payload.fill(operation("start"), { program: "a" }, caller), { program: "a", ...caller })
    assert.deepStrictEqual(Payload.fill(operation("break"), { at: "a" }, caller), { at: "a", directory: "/src" })
    assert.deepStrictEqual(Payload.fill(operation("status"), {}, caller), { directory: "/src" })
  })

  it("do not replace given fields", () => {
    assert.deepInclude(Payload.fill(operation("break"), { at: "a", directory: "/else" }, caller), {
      directory: "/else"
    })
  })
})

describe("a payload from outside", () => {
  const rows: ReadonlyArray<readonly [tag: Operations.Tag, input: unknown, says: string]> = [
    ["core", {}, "file is missing"],
    ["start", { program: "" }, "program must not be empty"],
    ["break", { at: "" }, "at must not be empty"],
    ["print", { expressions: [] }, "expressions must not be empty"],
    ["print", {}, "expressions is missing"],
    ["continue", { count: 0, timeout: "soon" }, "count: "],
    ["continue", { count: 0, timeout: "soon" }, "timeout: write a duration as 30s, 500ms, 2m or 1h"],
    [
      "print",
      { expressions: Array.from({ length: 101 }, () => "x") },
      "expressions: Write at most 100, and repeat the call for the rest"
    ],
    [
      "changed",
      { expr: Array.from({ length: 101 }, () => "x") },
      "expr: Write at most 100, and repeat the call for the rest"
    ],
    ["start", { session: "a b" }, "session: write a session name with letters"],
    ["status", { sesion: "a" }, "no field sesion; there are: capabilities, session"],
    ["sessions", { all: true }, "no field all; there are none"],
    ["sessions", [], "the payload is not an object"],
    ["status", null, "the payload is not an object"],
    ["breakpoint.remove", { ids: [1, true] }, "ids.1: "]
  ]
  for (const [tag, input, says] of rows) {
    it.effect(`${JSON.stringify(input)?.slice(0, 80)} for ${tag}: ${says}`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(Payload.decode(operation(tag), input))
        assert.include(error.message, says)
        assert.notInclude(error.message, "\n")
        assert.deepStrictEqual(error.hints, [Hint.help(tag)])
      })
    )
  }

  it.effect("of a session with a malformed name leads to the sessions", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Payload.decode(operation("status"), { session: "a b" }))
      assert.include(error.message, "session: write a session name with letters")
      assert.deepStrictEqual(error.hints, [Hint.call("sessions", {})])
    })
  )

  it.effect("rejects a field that every object has, such as __proto__", () =>
    Effect.gen(function* () {
      const input: unknown = JSON.parse(`{"__proto__":{"all":true}}`)
      const error = yield* Effect.flip(Payload.decode(operation("stop"), input))
      assert.include(error.message, "no field __proto__")
    })
  )

  it.effect.prop("is decoded or refused, and never throws", [Schema.Json], ([input]) =>
    Effect.gen(function* () {
      for (const each of Operations.all) {
        const { _tag } = yield* Effect.result(Payload.decode(each, input))
        assert.include(["Success", "Failure"], _tag)
      }
    })
  )
})

describe("a payload as JSON", () => {
  it.effect("is what it was decoded from", () =>
    Effect.gen(function* () {
      const input = { names: ["x"] }
      const payload = yield* Payload.decode(operation("locals"), input)
      assert.notDeepEqual(payload, input)
      assert.strictEqual(Payload.encode(operation("locals"), payload), input)
    })
  )

  it.effect("of another operation or of a change has the defaults of its own fields", () =>
    Effect.gen(function* () {
      const payload = yield* Payload.decode(operation("status"), { directory: "/src" })
      const encoded = Payload.encode(operation("sessions"), payload)
      assert.deepEqual(encoded, { directory: "/src" })
      const changed = { ...Object(yield* Payload.decode(operation("locals"), {})), names: ["y"] }
      assert.deepInclude(Payload.encode(operation("locals"), changed), { names: ["y"], scope: [] })
    })
  )

  it("of another form is refused", () => {
    assert.throws(() => Payload.encode(operation("locals"), { names: 5 }))
  })
})
