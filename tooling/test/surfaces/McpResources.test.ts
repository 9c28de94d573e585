// Resources of the real server: the output is shown once page by page, and source text only inside of the project.
import { assert, describe, it } from "@effect/vitest"
import * as Subscriptions from "@sigtrap/mcp/resources/Subscriptions"
import * as Server from "@sigtrap/mcp/server/Server"
import { Effect, Exit, Predicate } from "effect"
import { McpTest } from "effect/ai"
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { withOutput } from "./runningProgram.ts"

const connect = (directory: string) =>
  McpTest.makeClient(
    Server.registrations(
      { caller: { directory, environment: {} }, profile: "full", allow: [], structured: false, notifies: false },
      Subscriptions.first()
    ),
    { protocols: Server.protocols, protocolVersion: "2025-11-25", clientInfo: { name: "test", version: "1" } }
  ).pipe(Effect.orDie)

const content = (result: { readonly contents: ReadonlyArray<object> }) => {
  const [first] = result.contents
  return first !== undefined && "text" in first ? String(first.text) : ""
}

describe("the output resource", () => {
  it.effect("has a cursor that shows each byte once, also inside of an entry, and says that there is more", () => {
    const texts = Array.from({ length: 40 }, (_, at) => `${at} ${"é".repeat(at === 20 ? 100_000 : at * 250)}\n`)
    return withOutput(texts, (directory) =>
      Effect.gen(function* () {
        const client = yield* connect(directory)
        const shown: Array<string> = []
        const cursors = new Set<string>()
        for (let since = "0", more = true; more;) {
          const uri = `sigtrap://sessions/current/output/${since}`
          const page: unknown = JSON.parse(content(yield* client.readResource({ uri }).pipe(Effect.orDie)))
          assert(Predicate.isReadonlyObject(page))
          shown.push(String(page["text"]))
          since = String(page["next"])
          more = page["truncated"] === true
          assert.isFalse(cursors.has(since), "the cursor moves")
          cursors.add(since)
        }
        assert.strictEqual(shown.join(""), texts.join(""))
        assert.isAbove(shown.length, 2)
      })
    )
  })
})

describe("the source resource", () => {
  it.effect("shows files of the project, and no other file by any spelling of its path", () =>
    withOutput([], (directory) =>
      Effect.gen(function* () {
        const outside = yield* Effect.acquireRelease(
          Effect.sync(() => mkdtempSync(join(tmpdir(), "sigtrap-outside-"))),
          (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
        )
        const planted = "PLANTED-TEXT"
        const file = join(outside, "note.c")
        writeFileSync(file, `${planted}\n`)
        writeFileSync(join(directory, ".env"), `KEY=${planted}\n`)
        writeFileSync(join(directory, "app.c"), "int main(void) { return 0; }\n")
        symlinkSync(file, join(directory, "link.c"))
        mkdirSync(join(directory, "sub"))
        const client = yield* connect(directory)
        const read = (path: string) =>
          Effect.exit(
            client.readResource({ uri: `sigtrap://sessions/current/source/${path}` }).pipe(Effect.map(content))
          )
        const own = yield* read("app.c")
        assert(Exit.isSuccess(own))
        assert.include(own.value, "int main")
        const up = `${"../".repeat(12)}${file.slice(1)}`
        const everywhere = (path: string) => [...path].map((c) => `%${c.charCodeAt(0).toString(16)}`).join("")
        const paths = [
          file,
          encodeURIComponent(file),
          everywhere(file),
          up,
          encodeURIComponent(up),
          up.replaceAll(".", "%2e"),
          up.replaceAll("../", "%2e%2e%2f"),
          up.replaceAll("../", "%252e%252e%252f"),
          encodeURIComponent(`sub/../${up}`),
          encodeURIComponent(`${directory}/../${file.split("/").slice(-2).join("/")}`),
          encodeURIComponent(`${file}\0.c`),
          encodeURIComponent(`app.c\0${file}`),
          `${encodeURIComponent(file)}%00`,
          "link.c",
          ".env",
          encodeURIComponent(join(directory, ".env")),
          encodeURIComponent("/proc/self/environ"),
          encodeURIComponent("/proc/self/root/etc/passwd"),
          encodeURIComponent("/etc/passwd"),
          encodeURIComponent(`file://${file}`)
        ]
        for (const path of paths) {
          const result = yield* read(path)
          const text = Exit.isSuccess(result) ? result.value : ""
          assert.notMatch(text, /PLANTED-TEXT|root:|PATH=/, path)
        }
      })
    )
  )
})
