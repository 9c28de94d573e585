/** The built `sigtrap` with a daemon of its own, as a shell and other programs use it. */
import { assert } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { environment, Programs } from "./fixturePrograms.ts"

const script = fileURLToPath(new URL("../../../apps/cli/dist/sigtrap.js", import.meta.url))

type Fields = { readonly [field: string]: unknown }

/** Returns the fields of a JSON object; none of another value. */
export const record = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {}

/** The answer of a command line with `--json`. */
export interface Answer {
  readonly code: number
  readonly stop: unknown
  readonly state: unknown
  readonly data: Fields
  readonly error: Fields
  readonly text: string
}

/** The answer of an HTTP server. */
export interface Response {
  readonly status: number
  readonly body: Fields
}

/** A daemon of its own. It is stopped with the scope. */
export const builtSigtrap = Effect.gen(function* () {
  const { directory } = yield* Programs
  const fs = yield* FileSystem.FileSystem
  const temporary = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-built-" }))
  const env = { ...environment, HOME: temporary, TMPDIR: temporary, SIGTRAP_RUNTIME_DIR: `${temporary}/run` }

  const run = (...words: ReadonlyArray<string>) =>
    Effect.promise(
      () =>
        new Promise<Answer>((resolve) => {
          const options = { cwd: directory, env, maxBuffer: 64 * 1024 * 1024 }
          execFile(process.execPath, [script, "--json", ...words], options, (error, out, err) => {
            const text = out === "" ? err : out
            const { data, error: problem, state, stop } = record(JSON.parse(text))
            const code = error === null ? 0 : Number(error.code ?? 1)
            resolve({ code, stop, state, data: record(data), error: record(problem), text })
          })
        })
    )
  /** Runs a command that must succeed. */
  const must = (...words: ReadonlyArray<string>) =>
    Effect.tap(run(...words), (answer) =>
      Effect.sync(() => assert.strictEqual(answer.code, 0, `${words.join(" ")}: ${answer.text}`))
    )
  /** Starts a command whose output is not read. */
  const unread = (...words: ReadonlyArray<string>) =>
    Effect.acquireRelease(
      Effect.sync((): ChildProcess => spawn(process.execPath, [script, ...words], { cwd: directory, env })),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )
  /** Runs a command as it is typed. With `interruptAt` it gets SIGINT (Ctrl-C) once its output contains that text. */
  const typed = (words: ReadonlyArray<string>, interruptAt?: string) =>
    Effect.promise(
      () =>
        new Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>((resolve) => {
          const child = spawn(process.execPath, [script, ...words], { cwd: directory, env })
          const texts = { out: "", err: "" }
          let isInterrupted = false
          child.stdout.on("data", (bytes: Buffer) => {
            texts.out += bytes.toString()
            if (isInterrupted || interruptAt === undefined || !texts.out.includes(interruptAt)) return
            isInterrupted = true
            child.kill("SIGINT")
          })
          child.stderr.on("data", (bytes: Buffer) => (texts.err += bytes.toString()))
          child.on("close", (code) => resolve({ code, ...texts }))
        })
    )
  /** Lets the daemon serve HTTP; returns how a request is sent to it. */
  const serve = Effect.gen(function* () {
    const { data } = yield* must("serve")
    const url = String(data["url"])
    const token = readFileSync(String(data["token_file"]), "utf8").trim()
    const post = (path: string, body: string, headers: { readonly [name: string]: string } = {}) =>
      Effect.promise(async (): Promise<Response> => {
        const standard = { authorization: `Bearer ${token}`, "content-type": "application/json" }
        const response = await fetch(`${url}${path}`, { method: "POST", headers: { ...standard, ...headers }, body })
        return { status: response.status, body: record(await response.json()) }
      })
    return { url, token, post }
  })
  yield* Effect.addFinalizer(() => run("daemon", "stop", "--force"))
  return { run, must, typed, unread, serve, directory, temporary, environment: env }
})
