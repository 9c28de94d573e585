// One definition, several surfaces: whatever way an example comes in, the same call reaches the client; and whatever
// goes wrong there, the same code comes out. Nothing has to be added here for a new operation or error.
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Exit, type Layer, Predicate, Redacted, Schema, Scope, Stream } from "effect"
import * as CommandRunner from "sigtrap/runner/CommandRunner"
import * as Commands from "sigtrap/grammar/Commands"
import { McpTest } from "effect/ai"
import { HttpEffect } from "effect/http"
import * as Api from "@sigtrap/http/Api"
import * as Server from "@sigtrap/mcp/server/Server"
import * as ToolCalls from "@sigtrap/mcp/calls/ToolCalls"
import { type Answer, type Client, Errors, Operation, Operations, Payload } from "@sigtrap/protocol"
import { Recorder } from "@sigtrap/protocol/testing"

const caller: Payload.Caller = { directory: "/src/here", environment: { LANG: "C", USER: "someone" } }

/** Sends an operation with an example's input through a surface; returns the code of the answer. */
type Send = (operation: Operation.Any, input: Operation.Example["input"]) => Effect.Effect<string>

/** Starts a surface over a client. */
type Surface = (client: Layer.Layer<Client.Client>) => Effect.Effect<Send, never, Scope.Scope>

const isPlain = (schema: Schema.Top): schema is Schema.Top & Schema.Codec<unknown> => Schema.isSchema(schema)

const codeOf = (body: unknown): string =>
  Predicate.isReadonlyObject(body) && Predicate.isReadonlyObject(body["error"]) ? String(body["error"]["code"]) : "none"

const mcp: Surface = Effect.fnUntraced(function* (layer) {
  const client = yield* McpTest.makeClient(
    ToolCalls.layer({ caller, profile: "full", allow: ["write", "admin"], text: "full", notifies: false }),
    { protocols: Server.protocols }
  ).pipe(Effect.provide(layer), Effect.orDie)
  return (operation, input) =>
    client.callTool({ name: operation._tag.replaceAll(".", "_"), arguments: { ...input } }).pipe(
      Effect.orDie,
      Effect.map(({ structuredContent }) => codeOf(structuredContent))
    )
})

const authority = "127.0.0.1:4711"
const token = "0123456789abcdef".repeat(4)

const http: Surface = Effect.fnUntraced(function* (layer) {
  const options = { version: "1.2.3", authority, token: Redacted.make(token), caller }
  const handle = HttpEffect.toWebHandler(yield* Api.make(options).pipe(Effect.provide(layer)))
  return (operation, input) =>
    Effect.promise(async () => {
      const response = await handle(
        new Request(`http://${authority}/v1/${operation._tag.split(".").join("/")}`, {
          method: "POST",
          headers: { host: authority, authorization: `Bearer ${token}`, "content-type": "application/json" },
          body: JSON.stringify(input)
        })
      )
      return codeOf(await response.json())
    })
})

const cli: Surface = (layer) =>
  Effect.succeed(
    Effect.fnUntraced(function* (operation, input) {
      const pieces = yield* CommandRunner.exec({
        argv: ["--json", ...Commands.argvOf(operation, input)],
        ...caller,
        terminal: { stdout: false, stderr: false, columns: 80, color: false }
      }).pipe(Stream.runCollect, Effect.provide(layer))
      const text = pieces.map((piece) => (piece._tag === "Stdout" ? piece.text : "")).join("")
      return codeOf(JSON.parse(text))
    })
  )

const surfaces: { readonly [name: string]: Surface } = { cli, mcp, http }

/** The scope of the surfaces of all tests in this file. */
const scope = Scope.makeUnsafe()
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

/**
 * The surfaces over one client that answers with the newest answer given to `send`, which checks the code of each. They are
 * started once for all samples of a test: starting an MCP server takes longer than a hundred calls.
 */
const shared = () => {
  let respond: Recorder.Respond = () => Effect.die("no answer")
  const recorder = Recorder.make((operation, payload) => respond(operation, payload))
  let started: ReadonlyArray<readonly [string, Send]> | undefined
  return {
    recorder,
    send: Effect.fnUntraced(function* (
      operation: Operation.Any,
      input: Operation.Example["input"],
      answer: Recorder.Respond,
      code: string
    ) {
      respond = answer
      started ??= yield* Effect.forEach(Object.entries(surfaces), ([name, surface]) =>
        Effect.map(Scope.provide(surface(recorder.layer), scope), (send) => [name, send] as const)
      )
      for (const [name, send] of started) assert.strictEqual(yield* send(operation, input), code, name)
    })
  }
}

describe("every example makes the same call", () => {
  for (const operation of Operations.all) {
    for (const { title, input } of Operation.meta(operation).examples) {
      it.effect(`${operation._tag}: ${title}`, () =>
        Effect.gen(function* () {
          const payload = yield* Payload.decode(operation, Payload.fill(operation, input, caller))
          const { recorder, send } = shared()
          yield* send(operation, input, () => Effect.fail(new Errors.NoSession({})), "NO_SESSION")
          const call = { tag: operation._tag, payload }
          assert.deepStrictEqual(
            recorder.calls,
            Object.keys(surfaces).map(() => call)
          )
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
    const { send } = shared()
    it.effect.prop(
      operation._tag,
      [successSchema],
      ([answer]) =>
        Effect.gen(function* () {
          assert.isTrue(isAnswer(answer))
          const [{ input }] = Operation.meta(operation).examples
          const respond = () => (isAnswer(answer) ? Effect.succeed(answer) : Effect.die("no answer"))
          yield* send(operation, input, respond, "none")
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
    const { send } = shared()
    it.effect.prop(
      `${error.identifier}: ${code}`,
      [error],
      ([failure]) => send(operation, {}, () => Effect.fail(failure), code),
      { arbitrary: { runs: 5 } }
    )
  }
})
