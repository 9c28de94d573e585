// The first messages of a client: the answers are those of the server, and what is not usual is left to the server.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as FirstAnswers from "../../src/server/FirstAnswers.ts"
import * as ServerArguments from "../../src/server/ServerArguments.ts"
import { Handshake } from "../../src/start/Handshake.ts"
import * as StartArguments from "../../src/start/StartArguments.ts"
import * as Profile from "../../src/tools/Profile.ts"

const revisions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]

const texts = Effect.runPromise(FirstAnswers.texts("1.2.3"))

const hello = (params: object = {}, message: object = {}) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" }, ...params },
  ...message
})
const initialized = { jsonrpc: "2.0", method: "notifications/initialized" }
const list = (id: string | number, params?: object) => ({ jsonrpc: "2.0", id, method: "tools/list", params })

/** A handshake that took messages; what each of them led to. */
const take = async (profile: Profile.Name, messages: ReadonlyArray<object | string>) => {
  const known = await texts
  const handshake = new Handshake(profile, (key) => known.get(key))
  const steps = messages.map((message) =>
    handshake.take(typeof message === "string" ? message : JSON.stringify(message))
  )
  return { handshake, steps }
}

describe("a usual handshake", () => {
  it.each(Profile.names.flatMap((profile) => revisions.map((revision) => [profile, revision] as const)))(
    "of the profile %s and revision %s is answered as the server does",
    async (profile, revision) => {
      const messages = [hello({ protocolVersion: revision }), initialized, list(2)]
      const { steps } = await take(profile, messages)
      const written = await Effect.runPromise(FirstAnswers.written(profile, "1.2.3", messages))
      assert.strictEqual(steps.map(({ answer }) => answer ?? "").join(""), written)
      assert.include(written, '"properties":{"')
    }
  )

  it("keeps the ids of the client, texts and numbers", async () => {
    const { steps } = await take("default", [hello({}, { id: 'a"b' }), list(-1.5)])
    assert.match(steps[0]?.answer ?? "", /^\{"jsonrpc":"2\.0","id":"a\\"b","result":\{"protocolVersion"/)
    assert.match(steps[1]?.answer ?? "", /^\{"jsonrpc":"2\.0","id":-1\.5,"result":\{"tools"/)
  })

  it("is repeated for the server, without the list", async () => {
    const { handshake, steps } = await take("default", [hello(), initialized, list(2)])
    assert.deepStrictEqual(
      steps.map(({ ends, taken }) => [taken, ends]),
      [
        [true, false],
        [true, false],
        [true, true]
      ]
    )
    const begun = handshake.begun(new TextEncoder().encode("rest"), false)
    assert.strictEqual(
      new TextDecoder().decode(begun.unread),
      `${JSON.stringify(hello())}\n${JSON.stringify(initialized)}\nrest`
    )
    assert.strictEqual(begun.answered, 1)
    assert.include(begun.tools ?? "", '"tools"')
  })

  it.each([
    {},
    { capabilities: { roots: { listChanged: true }, sampling: {}, elicitation: { form: {} } } },
    { clientInfo: { name: "c", version: "1", title: "C", websiteUrl: "https://example.com" } }
  ])("is that of a client with %j", async (params) => {
    const { steps } = await take("default", [hello(params)])
    assert.isTrue(steps[0]?.taken)
  })
})

describe("left to the server is", () => {
  it.each([
    ["no JSON", "{"],
    ["a batch", [hello()]],
    ["a value", "1"],
    ["another method", { jsonrpc: "2.0", id: 1, method: "ping" }],
    ["a list before initialize", list(1)],
    ["a notification before initialize", initialized],
    ["an id of another type", hello({}, { id: null })],
    ["a request without an id", { ...hello(), id: undefined }],
    ["another version of JSON-RPC", hello({}, { jsonrpc: "1.0" })],
    ["an unknown field of the message", hello({}, { more: 1 })],
    ["an unknown revision", hello({ protocolVersion: "1999-01-01" })],
    ["the revision without a handshake", hello({ protocolVersion: "2026-07-28" })],
    ["a revision that is the name of a property", hello({ protocolVersion: "__proto__" })],
    ["no capabilities", hello({ capabilities: undefined })],
    ["capabilities of another type", hello({ capabilities: [] })],
    ["an unknown capability", hello({ capabilities: { tasks: {} } })],
    ["a capability of another type", hello({ capabilities: { roots: 1 } })],
    ["no client", hello({ clientInfo: undefined })],
    ["a client without a version", hello({ clientInfo: { name: "c" } })],
    ["an unknown field of the client", hello({ clientInfo: { name: "c", version: "1", icons: [] } })],
    ["metadata", hello({ _meta: {} })],
    ["a long message", hello({ clientInfo: { name: "c".repeat(70_000), version: "1" } })]
  ])("%s", async (_, message) => {
    const { steps } = await take("default", [Array.isArray(message) ? JSON.stringify(message) : message])
    assert.deepStrictEqual(steps, [{ taken: false, ends: true }])
  })

  it.each([
    ["a second initialize", hello()],
    ["a list with a cursor", list(2, { cursor: "x" })],
    ["a list with other metadata", list(2, { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } })],
    ["a call of a tool", { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "status" } }],
    ["a cancellation", { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }],
    ["an answer", { jsonrpc: "2.0", id: 1, result: {} }]
  ])("after initialize: %s", async (_, message) => {
    const { steps } = await take("default", [hello(), message])
    assert.deepStrictEqual(steps[1], { taken: false, ends: true })
  })
})

describe("the words of the start", () => {
  const cases: ReadonlyArray<readonly [string, Record<string, string>]> = [
    ["", {}],
    ["--profile full --structured", {}],
    ["--profile=observe --isolated --stdio", {}],
    ["--allow write,launch", {}],
    ["", { SIGTRAP_MCP_ALLOW: "admin raw" }],
    ["--allow write", { SIGTRAP_MCP_ALLOW: "nosuch" }],
    ["--allow nosuch", {}],
    ["--allow nosuch --allow write", {}],
    ["", { SIGTRAP_MCP_ALLOW: "nosuch" }],
    ["--profile", {}],
    ["--profile nosuch", {}],
    ["--http", {}],
    ["--http 0 --profile full", {}],
    ["--port=0", {}],
    ["--help", {}],
    ["--version", {}],
    ["install --client cursor", {}],
    ["--trace-otlp http://127.0.0.1:4318", {}],
    ["", { SIGTRAP_OTLP: "http://127.0.0.1:4318" }],
    ["--isolated=yes", {}],
    ["--nosuch", {}],
    ["more", {}]
  ]

  it.each(cases)(
    "%j with %j begin a handshake only if the server would serve on standard streams",
    async (line, environment) => {
      const words = line === "" ? [] : line.split(" ")
      const known = await texts
      const grants: ReadonlyArray<string> = JSON.parse(known.get(StartArguments.grantsKey) ?? "[]")
      const profiles: ReadonlyArray<string> = JSON.parse(known.get(StartArguments.profilesKey) ?? "[]")
      const profile = StartArguments.profileOf(words, environment, grants, profiles)
      const parsed = ServerArguments.parse(words, {
        allow: environment["SIGTRAP_MCP_ALLOW"],
        otlp: environment["SIGTRAP_OTLP"]
      })
      const served = parsed._tag === "Success" && parsed.success.command === "serve" ? parsed.success : undefined
      const greets = profile !== undefined
      const serves = served !== undefined && served.port === undefined && served.otlp === undefined
      // `--isolated=yes` is served, and takes the usual way.
      assert.strictEqual(greets, serves && !line.includes("=yes"))
      if (greets) assert.strictEqual(profile, served?.profile)
    }
  )
})
