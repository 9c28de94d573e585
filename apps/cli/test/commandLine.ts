/** Runs command lines from sources, each as a process. */
import { Effect } from "effect"
import { child, ended, script } from "@sigtrap/host/testing"
import { join } from "node:path"

const client = script(join(import.meta.dirname, "../src/main.ts"))

/** Starts a command line that prints JSON. `finished` waits for its end and returns the exit code and what it printed. */
export const started = Effect.fnUntraced(function* (path: string, ...words: ReadonlyArray<string>) {
  const process = yield* child(client.program, [...client.args, ...words], {
    SIGTRAP_RUNTIME_DIR: path,
    SIGTRAP_FORMAT: "json"
  })
  let out = ""
  process.stdout.on("data", (text: string) => {
    out += text
  })
  return { started: process, finished: Effect.map(ended(process), (code) => ({ code, out })) }
})

/** Runs a command line to its end; returns its exit code and its JSON. */
export const sigtrap = Effect.fnUntraced(function* (path: string, ...words: ReadonlyArray<string>) {
  const { finished } = yield* started(path, ...words)
  const { code, out } = yield* finished
  return { code, ...JSON.parse(out) }
})
