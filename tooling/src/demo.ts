/**
 * The demo: the built command debugs a small C program with a bug, one command after the other.
 *
 * With a compiler and an lldb-dap the session is live. Otherwise the same commands run against an adapter that replays the
 * recording in fixtures/demo.jsonl, and the output says so. `--record` replaces that recording.
 */
import { spawnSync } from "node:child_process"
import { chmodSync, cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"
import { ShellWords } from "@sigtrap/protocol"
import { say, sigtrap, typing } from "./typing.ts"

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const recording = at("../fixtures/demo.jsonl")
const replayer = at("./replay-adapter.mjs")
const recorder = at("./record-adapter.mjs")

const onPath = (test: (name: string) => boolean): string | undefined => {
  for (const directory of (process.env["PATH"] ?? "").split(delimiter)) {
    try {
      const found = readdirSync(directory).filter(test).toSorted().at(-1)
      if (found !== undefined) return join(directory, found)
    } catch {
      // A directory on PATH that cannot be read is skipped.
    }
  }
  return undefined
}

const compiler = onPath((name) => name === "cc" || name === "gcc" || name === "clang")
const adapter = process.env["SIGTRAP_LLDB_DAP"] ?? onPath((name) => /^lldb-(?:dap|vscode)(?:-\d+)?$/.test(name))
const live = compiler !== undefined && (adapter !== undefined || process.platform === "darwin")

const directory = mkdtempSync(join(tmpdir(), "sigtrap-demo-"))
const env: Record<string, string | undefined> = { ...process.env, SIGTRAP_RUNTIME_DIR: join(directory, "run") }

/** Writes a script that runs a command as an adapter; adapters do not get the environment of the client. */
const wrapper = (name: string, ...command: ReadonlyArray<string>) => {
  const path = join(directory, name)
  writeFileSync(path, `#!/bin/sh\nexec ${ShellWords.join([process.execPath, ...command])}\n`)
  chmodSync(path, 0o755)
  return path
}

const run = typing(directory, env)

const prepare = () => {
  cpSync(at("../fixtures/c/app.c"), join(directory, "app.c"))
  if (live && compiler !== undefined) {
    say("$ cc -g app.c -o app")
    const { status } = spawnSync(compiler, ["-g", "-O0", "app.c", "-o", "app"], { cwd: directory, stdio: "inherit" })
    if (status !== 0) throw new Error(`${compiler} failed`)
    if (process.argv.includes("--record")) {
      env["SIGTRAP_LLDB_DAP"] = wrapper("lldb-dap", recorder, adapter ?? "lldb-dap", recording, directory)
    }
    return
  }
  say("REPLAY: there is no debugger or no C compiler, so this is a recorded session, replayed through the same code.")
  say(
    `Missing: ${[compiler === undefined ? "a C compiler" : "", adapter === undefined ? "lldb-dap" : ""].filter(Boolean).join(" and ")}.`
  )
  say()
  writeFileSync(join(directory, "app"), "#!/bin/sh\n")
  chmodSync(join(directory, "app"), 0o755)
  env["SIGTRAP_LLDB_DAP"] = wrapper("lldb-dap", replayer, recording)
}

try {
  prepare()
  run("start", "./app", "-b", "app.c:14", "--", "one", "two")
  run("where")
  say("# Three scores, 10.5 + 20.25 + 30.75, make 61.5. Step once and look at the sum.")
  run("next")
  run("print", "total", "items[i].score", "(int)items[i].score")
  say("# 10.5 became 10: the cast truncates each score before it is added. See the effect on the sum.")
  run("breakpoint", "remove", "1")
  run("finish")
  run("next")
  run("print", "total")
  say("# 60 instead of 61.5: the bug is the cast in app.c:14, and an int for the total.")
  run("continue")
  run("output")
  run("stop")
} finally {
  spawnSync(process.execPath, [sigtrap, "daemon", "stop"], { cwd: directory, env, stdio: "ignore" })
  rmSync(directory, { recursive: true, force: true })
}
if (!live) say("REPLAY: end of the recorded session. Install lldb and a C compiler to see it live.")
