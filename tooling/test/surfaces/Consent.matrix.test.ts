/** Forms of consent in every revision of the protocol that the server speaks, as an agent's program sees them. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { environment, platform, Programs } from "../support/fixturePrograms.ts"

const main = fileURLToPath(new URL("../../../apps/mcp/dist/sigtrap-mcp.js", import.meta.url))

type Json = { readonly [key: string]: unknown }

const record = (value: unknown): Json =>
  typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {}

/** What the person does with each form; `accept nothing`: without a choice; `error`: the client cannot show it. */
type Person = "accept" | "accept nothing" | "decline" | "error"

/** The capabilities of a client that can show forms, by revision; the two oldest have none. */
const revisions = {
  "2024-11-05": {},
  "2025-03-26": {},
  "2025-06-18": { elicitation: {} },
  "2025-11-25": { elicitation: { form: {} } },
  "2026-07-28": { elicitation: { form: {} } }
} as const
type Revision = keyof typeof revisions

const given = (person: Person) =>
  person === "accept"
    ? { action: person, content: { allow: "this once" } }
    : { action: person === "decline" ? person : "accept" }

/** The choices that a form offers. */
const choicesOf = (params: unknown) =>
  record(record(record(record(params)["requestedSchema"])["properties"])["allow"])["enum"]

/** A client of one revision over standard input and output, and the forms it was asked to show. */
const connect = (revision: Revision, person: Person, directory: string, temporary: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const child = spawn(process.execPath, [main, "--isolated"], {
        cwd: directory,
        env: { ...environment, HOME: temporary, TMPDIR: temporary },
        stdio: ["pipe", "pipe", "inherit"]
      })
      const waiting = new Map<number, (answer: Json) => void>()
      const forms: Array<string> = []
      const choices: Array<unknown> = []
      let received = ""
      let last = 0
      const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
      const request = (method: string, params: object) =>
        new Promise<Json>((resolve) => {
          last += 1
          waiting.set(last, resolve)
          send({ id: last, method, params })
        })
      child.stdout.on("data", (data) => {
        const lines = `${received}${String(data)}`.split("\n")
        received = lines.pop() ?? ""
        for (const line of lines) {
          const message = record(JSON.parse(line))
          if (message["method"] === "elicitation/create") {
            forms.push(String(record(message["params"])["message"]))
            choices.push(choicesOf(message["params"]))
            const { id } = message
            send(person === "error" ? { id, error: { code: -32_000, message: "no" } } : { id, result: given(person) })
          } else waiting.get(Number(message["id"]))?.(record(message["result"] ?? message))
        }
      })
      const clientInfo = { name: "tester", version: "1" }
      const capabilities = revisions[revision]
      const isStateless = revision === "2026-07-28"
      const about = "io.modelcontextprotocol"
      const meta = {
        [`${about}/protocolVersion`]: revision,
        [`${about}/clientInfo`]: clientInfo,
        [`${about}/clientCapabilities`]: capabilities
      }
      if (!isStateless) {
        await request("initialize", { protocolVersion: revision, capabilities, clientInfo })
        send({ method: "notifications/initialized" })
      }
      const call = async (name: string, input: object): Promise<string> => {
        const params = { name, arguments: input, ...(isStateless ? { _meta: meta } : {}) }
        const first = await request("tools/call", params)
        const asked = record(first["inputRequests"])
        forms.push(...Object.values(asked).map((form) => String(record(record(form)["params"])["message"])))
        choices.push(...Object.values(asked).map((form) => choicesOf(record(form)["params"])))
        const inputResponses = Object.fromEntries(Object.keys(asked).map((each) => [each, given(person)]))
        const { requestState } = first
        const answer =
          requestState === undefined ? first : await request("tools/call", { ...params, inputResponses, requestState })
        const [content]: ReadonlyArray<unknown> = Array.isArray(answer["content"]) ? answer["content"] : []
        return String(record(content)["text"])
      }
      return { call, forms, choices, child }
    }),
    ({ child }) =>
      Effect.promise(
        () =>
          new Promise<void>((resolve) => {
            child.once("exit", () => resolve())
            child.stdin.end()
          })
      )
  )

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("consent", (it) => {
  const rows: ReadonlyArray<readonly [Revision, Person, start: boolean, raw: boolean, forms: number]> = [
    ["2024-11-05", "accept", true, false, 0],
    ["2025-03-26", "accept", true, false, 0],
    ["2025-06-18", "accept", true, true, 2],
    ["2025-06-18", "accept nothing", false, false, 2],
    ["2025-06-18", "decline", false, false, 2],
    ["2025-06-18", "error", true, false, 2],
    ["2025-11-25", "accept", true, true, 2],
    ["2025-11-25", "accept nothing", false, false, 2],
    ["2025-11-25", "decline", false, false, 2],
    ["2025-11-25", "error", true, false, 2],
    ["2026-07-28", "accept", true, true, 2],
    ["2026-07-28", "accept nothing", false, false, 2],
    ["2026-07-28", "decline", false, false, 2]
  ]
  for (const [revision, person, starts, runs, shown] of rows) {
    it.effect(`of revision ${revision}, when the form meets: ${person}`, () =>
      Effect.scoped(
        Effect.gen(function* () {
          const { directory } = yield* Programs
          const fs = yield* FileSystem.FileSystem
          const temporary = yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-consent-" })
          const client = yield* connect(revision, person, directory, temporary)
          const call = (name: string, input: object) => Effect.promise(() => client.call(name, input))
          const started = yield* call("start", { program: "./app", args: ["one"], break: ["main"] })
          if (starts) assert.include(started, "stopped #1")
          else assert.include(started, "TIER_REQUIRED")
          const raw = yield* call("operate", { operation: "raw", input: { command: "version" } })
          if (runs) assert.include(raw, "lldb version")
          else assert.include(raw, "TIER_REQUIRED")
          assert.lengthOf(client.forms, shown)
          if (shown === 0) return
          const both = ["this once", "until the client leaves"]
          assert.deepStrictEqual(client.choices, [both, both])
          assert.include(client.forms[0] ?? "", "Start ./app one?")
          assert.include(client.forms[1] ?? "", starts ? "Run the LLDB command `version`?" : "command `version`?")
        })
      )
    )
  }
})
