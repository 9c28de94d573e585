/** Sends one call through every surface (command line, MCP, HTTP) over one client, for tests that compare the surfaces. */
import { afterAll, assert } from "@effect/vitest"
import { Effect, Exit, Layer, Predicate, Redacted, Scope, Stream } from "effect"
import * as CommandRunner from "sigtrap/runner/CommandRunner"
import * as Commands from "@sigtrap/protocol/grammar/Commands"
import { McpTest } from "effect/ai"
import { HttpEffect } from "effect/http"
import * as Api from "@sigtrap/http/Api"
import * as Server from "@sigtrap/mcp/server/Server"
import * as ToolCalls from "@sigtrap/mcp/calls/ToolCalls"
import { type Client, Feed, type Operation, type Payload } from "@sigtrap/protocol"
import { Recorder } from "@sigtrap/protocol/testing"

/** The caller of every call. */
export const caller: Payload.Caller = { directory: "/src/here", environment: { LANG: "C", USER: "someone" } }

/** Sends an operation with an example's input through a surface; returns the code of the answer. */
type Send = (operation: Operation.Any, input: Operation.Example["input"]) => Effect.Effect<string>

/** Starts a surface over a client. */
type Surface = (client: Layer.Layer<Client.Client>) => Effect.Effect<Send, never, Scope.Scope>

const codeOf = (body: unknown): string =>
  Predicate.isReadonlyObject(body) && Predicate.isReadonlyObject(body["error"]) ? String(body["error"]["code"]) : "none"

const mcp: Surface = Effect.fnUntraced(function* (layer) {
  const client = yield* McpTest.makeClient(
    ToolCalls.layer({ caller, profile: "full", allow: ["write", "admin"], structured: true, notifies: false }),
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
  const handle = HttpEffect.toWebHandler(
    yield* Api.make(options).pipe(Effect.provide([layer, Layer.mock(Feed.Feed, {})]))
  )
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
      // A script has one document for each of its commands, in lines; others have one.
      const documents: ReadonlyArray<unknown> =
        operation._tag === "script"
          ? text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]))
          : [JSON.parse(text)]
      return documents.map(codeOf).find((code) => code !== "none") ?? "none"
    })
  )

/** The surfaces by name. */
export const surfaces: { readonly [name: string]: Surface } = { cli, mcp, http }

/** Sends a call through every surface; see `make`. */
export type SendEverywhere = (
  operation: Operation.Any,
  input: Operation.Example["input"],
  answer: Recorder.Respond,
  code: string
) => Effect.Effect<ReadonlyArray<Recorder.Call>>

/**
 * Returns a function that sends a call through every surface, over one client that answers with `answer`, and checks the code
 * of each. It returns the calls that the client got. The surfaces are started once for each test file, because starting an MCP
 * server takes longer than a hundred calls. A test file calls this itself: Vitest runs `afterAll` for the file that is loading,
 * and this module is loaded once for all files of a worker.
 */
export const make = (): SendEverywhere => {
  const scope = Scope.makeUnsafe()
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  let respond: Recorder.Respond = () => Effect.die("no answer")
  const recorder = Recorder.make((operation, payload) => respond(operation, payload))
  let started: ReadonlyArray<readonly [string, Send]> | undefined
  return Effect.fnUntraced(function* (operation, input, answer, code) {
    respond = answer
    started ??= yield* Effect.forEach(Object.entries(surfaces), ([name, surface]) =>
      Effect.map(Scope.provide(surface(recorder.layer), scope), (send) => [name, send] as const)
    )
    const before = recorder.calls.length
    for (const [name, send] of started) {
      const got = yield* send(operation, input)
      // Over HTTP a program that still runs when the time is up is an answer.
      if (name === "http" && code === "WAIT_TIMEOUT" && got === "none") continue
      assert.strictEqual(got, code, name)
    }
    return recorder.calls.slice(before)
  })
}
