/**
 * The examples in the help of commands, run against a C program under a real debugger: they succeed, and what they print with
 * `--json` follows `sigtrap schema`. Three test files share them, so that they run side by side.
 */
import { assert, describe, it } from "@effect/vitest"
import { ClientLayers } from "@sigtrap/host"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { copyFileSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Commands from "@sigtrap/protocol/grammar/Commands"
import { ShellWords } from "@sigtrap/protocol"
import * as Envelopes from "./jsonSchemas.ts"

const source = fileURLToPath(new URL("../../fixtures/c/app.c", import.meta.url))

const project = Effect.acquireRelease(
  Effect.sync(() => {
    const directory = realpathSync(mkdtempSync(join(tmpdir(), "sigtrap-examples-")))
    copyFileSync(source, join(directory, "app.c"))
    const { status } = spawnSync("cc", ["-g", "-O0", "-o", "app", "app.c"], { cwd: directory })
    assert.strictEqual(status, 0, "a C compiler is needed")
    for (const input of Envelopes.inputs) writeFileSync(join(directory, input), input)
    return directory
  }),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)

const environment = { PATH: process.env["PATH"] ?? "" }

/** Errors that an example may end with, because the small program lacks what the example names. */
const absent = new Set([
  "PROCESS_NOT_FOUND",
  "REQUEST_NOT_FOUND",
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

/** Records passes of two lines of `app.c`. A trace takes no line that has a breakpoint, as the one where the session stops. */
const traced = ["breakpoint remove 1", "trace 'app.c:16 :: {total}' 'app.c:14 :: {total} {i}' --max 3"]

/** Commands that must run before the examples of a command in a session that is stopped in `app.c`. */
const before: typeof Envelopes.before = {
  ...Envelopes.before,
  trace: ["breakpoint remove 1"],
  "hits list": traced,
  "hits diff": traced,
  "hits trend": traced,
  "hits export": traced,
  back: ["next"]
}

/** Commands that start sessions of their own, or need none. */
const isAlone = (name: string) =>
  ["start", "attach", "core", "connect"].includes(name) || name.startsWith("sim ") || name.startsWith("defaults ")

/** Commands that select another frame or thread, so that later examples would show something else. */
const selecting = new Set(["frame", "up", "down", "thread"])

/** Returns whether an example leaves the session at its first stop, with the same selection and breakpoints. */
const keepsSession = (name: string) =>
  Commands.find(name)?.meta.tier === "observe" && !selecting.has(name) && (before[name] ?? []).length === 0

/** Registers the test of those examples whose command is chosen. */
export const helpExamples = (title: string, isChosen: (name: string) => boolean) =>
  describe(title, () => {
    it.live(
      "run, and answer as their schemas say",
      () =>
        Effect.gen(function* () {
          const directory = yield* project
          const run = (argv: ReadonlyArray<string>) => Envelopes.run(argv, directory, environment)
          const failed: Array<string> = []
          const chosen = Envelopes.examples.filter(({ name }) => isChosen(name))
          assert.isAbove(chosen.length, 0)
          let isFresh = false
          for (const { argv, line, name } of chosen) {
            const alone = isAlone(name)
            if (alone) yield* run(["stop", "--all", "--if-exists"])
            else if (!isFresh) yield* run(["start", "./app", "--break", "app.c:14", "--replace"])
            for (const preparation of before[name] ?? []) yield* run(ShellWords.split(preparation))
            const timeout = argv.includes("--wait") || name === "connect" ? ["--timeout", "300ms"] : []
            const [document] = yield* run([...argv, ...timeout])
            const code = Envelopes.codeOf(document)
            if (code !== undefined && !absent.has(code)) {
              failed.push(`${line}: ${JSON.stringify(document).slice(0, 300)}`)
            }
            isFresh = !alone && keepsSession(name)
            if (!isFresh) yield* run(["stop", "--all", "--if-exists"])
          }
          yield* run(["stop", "--all", "--if-exists"])
          assert.strictEqual(failed.join("\n"), "")
        }).pipe(Effect.provide(ClientLayers.layerIsolated)),
      300_000
    )
  })

const breakpoints = new Set(["break", "logpoint", "watch", "catch", "exception", "exceptions", "breakpoint"])

const resuming = new Set(["run", "continue", "next", "step", "finish", "until", "stepi", "nexti", "pause", "wait"])

/** Returns whether a command is about breakpoints. */
export const isAboutBreakpoints = (name: string) => breakpoints.has(name.split(" ")[0] ?? name)

/** Returns whether a command resumes the program or waits for it. */
export const resumes = (name: string) => resuming.has(name)
