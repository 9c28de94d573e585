// Every surface calls the client alike: each example arrives as the same call, and each error leaves with the same code. The
// tests are computed from the operations and errors, so new ones are included.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Predicate, Redacted, Schema, Stream } from "effect"
import * as CommandRunner from "sigtrap/runner/CommandRunner"
import * as Commands from "sigtrap/grammar/Commands"
import { McpTest } from "effect/ai"
import { HttpEffect } from "effect/http"
import * as Api from "@sigtrap/http/Api"
import * as Server from "@sigtrap/mcp/server/Server"
import * as ToolCalls from "@sigtrap/mcp/calls/ToolCalls"
import { type Answer, Errors, Operation, Operations, Payload } from "@sigtrap/protocol"
import { Recorder } from "@sigtrap/protocol/testing"

const caller: Payload.Caller = { directory: "/src/here", environment: { LANG: "C", USER: "someone" } }

/** A surface: sends an operation with an example's input and says with which code it answered. */
type Surface = (
  recorder: Recorder.Recorder,
  operation: Operation.Any,
  input: Operation.Example["input"]
) => Effect.Effect<string>

const isPlain = (schema: Schema.Top): schema is Schema.Top & Schema.Codec<unknown> => Schema.isSchema(schema)

const codeOf = (body: unknown): string =>
  Predicate.isReadonlyObject(body) && Predicate.isReadonlyObject(body["error"]) ? String(body["error"]["code"]) : "none"

const mcp: Surface = Effect.fnUntraced(function* (recorder, operation, input) {
  const client = yield* McpTest.makeClient(
    ToolCalls.layer({ caller, profile: "full", allow: ["write", "admin"], text: "full", notifies: false }),
    { protocols: Server.protocols }
  ).pipe(Effect.provide(recorder.layer), Effect.orDie)
  const result = yield* Effect.orDie(
    client.callTool({ name: operation._tag.replaceAll(".", "_"), arguments: { ...input } })
  )
  return codeOf(result.structuredContent)
}, Effect.scoped)

const authority = "127.0.0.1:4711"
const token = "0123456789abcdef".repeat(4)

const http: Surface = Effect.fnUntraced(function* (recorder, operation, input) {
  const options = { version: "1.2.3", authority, token: Redacted.make(token), caller }
  const handle = HttpEffect.toWebHandler(yield* Api.make(options).pipe(Effect.provide(recorder.layer)))
  const response = yield* Effect.promise(() =>
    handle(
      new Request(`http://${authority}/v1/${operation._tag.split(".").join("/")}`, {
        method: "POST",
        headers: { host: authority, authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(input)
      })
    )
  )
  return codeOf(yield* Effect.promise(() => response.json()))
})

const cli: Surface = Effect.fnUntraced(function* (recorder, operation, input) {
  const pieces = yield* CommandRunner.exec({
    argv: ["--json", ...Commands.argvOf(operation, input)],
    ...caller,
    terminal: { stdout: false, stderr: false, columns: 80, color: false }
  }).pipe(Stream.runCollect, Effect.provide(recorder.layer))
  const text = pieces.map((piece) => (piece._tag === "Stdout" ? piece.text : "")).join("")
  return codeOf(JSON.parse(text))
})

const surfaces: { readonly [name: string]: Surface } = { cli, mcp, http }

describe("every example makes the same call", () => {
  for (const operation of Operations.all) {
    for (const { title, input } of Operation.meta(operation).examples) {
      it.effect(`${operation._tag}: ${title}`, () =>
        Effect.gen(function* () {
          const payload = yield* Payload.decode(operation, Payload.fill(operation, input, caller))
          for (const [name, send] of Object.entries(surfaces)) {
            const recorder = Recorder.make(() => Effect.fail(new Errors.NoSession({})))
            assert.strictEqual(yield* send(recorder, operation, input), "NO_SESSION", name)
            assert.deepStrictEqual(recorder.calls, [{ tag: operation._tag, payload }], name)
          }
        })
      )
    }
  }
})

describe("every answer arrives, whatever it says", () => {
  for (const operation of Operations.all) {
    const { successSchema } = operation
    if (!isPlain(successSchema)) throw new Error(`${operation._tag} has no success schema`)
    const isAnswer = (answer: unknown): answer is Answer.Answer<unknown> => Schema.is(successSchema)(answer)
    it.effect.prop(
      operation._tag,
      [successSchema],
      ([answer]) =>
        Effect.gen(function* () {
          assert.isTrue(isAnswer(answer))
          const [{ input }] = Operation.meta(operation).examples
          const respond = () => (isAnswer(answer) ? Effect.succeed(answer) : Effect.die("no answer"))
          for (const [name, send] of Object.entries(surfaces)) {
            assert.strictEqual(yield* send(Recorder.make(respond), operation, input), "none", name)
          }
        }),
      { arbitrary: { runs: 10 } }
    )
  }
})

describe("every error arrives with its code", () => {
  const [operation] = Operations.all.filter(({ _tag }) => _tag === "status")
  if (operation === undefined) throw new Error("there is no operation status")
  for (const error of Errors.all) {
    const { code } = Errors.meta({ _tag: error.identifier })
    it.effect.prop(
      `${error.identifier}: ${code}`,
      [error],
      ([failure]) =>
        Effect.gen(function* () {
          for (const [name, send] of Object.entries(surfaces)) {
            assert.strictEqual(
              yield* send(
                Recorder.make(() => Effect.fail(failure)),
                operation,
                {}
              ),
              code,
              name
            )
          }
        }),
      { arbitrary: { runs: 5 } }
    )
  }
})
