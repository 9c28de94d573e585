// Every example of every command's help, typed against a C program under the real debugger: it runs, and what it prints with
// `--json` follows `sigtrap schema`.
import { assert, describe, it } from "@effect/vitest"
import { ClientLayers } from "@sigtrap/host"
import { ShellWords } from "@sigtrap/protocol"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { copyFileSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Envelopes from "./jsonSchemas.ts"

const source = fileURLToPath(new URL("../../fixtures/c/app.c", import.meta.url))

const project = Effect.acquireRelease(
  Effect.sync(() => {
    const directory = realpathSync(mkdtempSync(join(tmpdir(), "sigtrap-examples-")))
    copyFileSync(source, join(directory, "app.c"))
    const { status } = spawnSync("cc", ["-g", "-O0", "-o", "app", "app.c"], { cwd: directory })
    assert.strictEqual(status, 0, "a C compiler is needed")
    return directory
  }),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)

const environment = { PATH: process.env["PATH"] ?? "" }

/** Examples about what a small program does not have: they fail with a code that says so. */
const absent = new Set([
  "PROCESS_NOT_FOUND",
  "WAIT_TIMEOUT",
  "PROGRAM_NOT_FOUND",
  "LAUNCH_FAILED",
  "ATTACH_FAILED",
  "SESSION_NOT_FOUND",
  "BREAKPOINT_NOT_FOUND",
  "BREAKPOINT_UNRESOLVED",
  "VARIABLE_NOT_FOUND",
  "EVALUATION_FAILED",
  "THREAD_NOT_FOUND",
  "STALE_REF",
  "INVALID_STATE",
  "NOT_RUNNING",
  "SOURCE_NOT_FOUND",
  "SYMBOL_NOT_FOUND",
  "PROCESS_ENDED",
  "UNSUPPORTED",
  "ADAPTER_ERROR",
  "PLATFORM"
])

/** Commands that begin a session of their own, or need none. */
const alone = (name: string) =>
  ["start", "attach", "core", "connect"].includes(name) || name.startsWith("sim ") || name.startsWith("defaults ")

describe("the examples of every command", () => {
  it.live(
    "run, and answer as their schemas say",
    () =>
      Effect.gen(function* () {
        const directory = yield* project
        const failed: Array<string> = []
        for (const { argv, line, name } of Envelopes.examples) {
          if (!alone(name)) {
            yield* Envelopes.run(["start", "./app", "--break", "app.c:14", "--replace"], directory, environment)
          }
          for (const each of Envelopes.before[name] ?? []) {
            yield* Envelopes.run(ShellWords.split(each), directory, environment)
          }
          const timeout = argv.includes("--wait") || name === "connect" ? ["--timeout", "300ms"] : []
          const [document] = yield* Envelopes.run([...argv, ...timeout], directory, environment)
          const code = Envelopes.codeOf(document)
          if (code !== undefined && !absent.has(code)) failed.push(`${line}: ${JSON.stringify(document).slice(0, 300)}`)
          yield* Envelopes.run(["stop", "--all", "--if-exists"], directory, environment)
        }
        assert.strictEqual(failed.join("\n"), "")
      }).pipe(Effect.provide(ClientLayers.layerIsolated)),
    300_000
  )
})
