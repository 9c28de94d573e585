// Output of the client's own commands with `--json`, from the built command, follows `sigtrap schema`. Help of every command
// starts with two examples and fits a screen.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as CommandRunner from "sigtrap/runner/CommandRunner"
import * as Commands from "@sigtrap/protocol/grammar/Commands"
import { ClientLayers } from "@sigtrap/host"
import { Stream } from "effect"
import { sigtrap } from "../../src/typing.ts"
import * as Envelopes from "./jsonSchemas.ts"

const lines = [
  "daemon status",
  "daemon start",
  "daemon status",
  "daemon logs -n 5",
  "log -n 3",
  "log --level nothing",
  "version",
  "completion bash",
  "completion klingon",
  "commands",
  "help",
  "help break",
  "skill print",
  "skill install --target agents",
  "skill install --target agents",
  "config path",
  "config list",
  "config set timeouts.wait 1m",
  "config get timeouts.wait",
  "config get timeouts.wiat",
  "config validate",
  "config unset timeouts.wait",
  "config set policy.roots /src,/build",
  "config init --project",
  "config trust",
  "adapters",
  "setup --list",
  "setup --check",
  "setup debugpy --dir tools --dry-run",
  "setup delve --dir tools --uninstall",
  "setup lldb-dap --dir tools",
  "setup nonsense",
  "doctor lldb-dap",
  "test validate good.yaml",
  "test validate bad.yaml",
  "test good.yaml",
  "daemon nonsense",
  "daemon stop"
]

const scenario = "name: nothing\ntarget: { program: /bin/true }\nsteps:\n  - check_state: exited\n"

const place = Effect.acquireRelease(
  Effect.sync(() => {
    const directory = realpathSync(mkdtempSync(join(tmpdir(), "sigtrap-own-")))
    writeFileSync(join(directory, "good.yaml"), scenario)
    writeFileSync(join(directory, "bad.yaml"), "nonsense: 1\n")
    return directory
  }),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)

describe("the client's own commands", () => {
  it.live(
    "answer as their schemas say, also when they fail",
    () =>
      Effect.gen(function* () {
        const directory = yield* place
        const env = { ...process.env, HOME: directory, SIGTRAP_RUNTIME_DIR: join(directory, "run") }
        for (const line of lines) {
          const words = line.split(" ")
          const { stdout } = spawnSync(process.execPath, [sigtrap, ...words, "--json"], {
            cwd: directory,
            env,
            encoding: "utf8",
            timeout: 120_000
          })
          const documents = stdout.trimEnd().split("\n")
          assert.strictEqual(documents.length, 1, `${line}: ${stdout}`)
          Envelopes.check(words[0] ?? "", JSON.parse(documents[0] ?? ""), line)
        }
      }),
    300_000
  )

  it.live("print help that fits a screen and starts with two examples, like all others", () =>
    Effect.gen(function* () {
      const terminal = { stdout: false, stderr: false, columns: 80, color: false }
      const names = Commands.names
      for (const name of names) {
        const pieces = yield* CommandRunner.exec({
          argv: [...name.split(" "), "--help"],
          directory: "/",
          environment: {},
          terminal
        }).pipe(Stream.runCollect)
        const shown = pieces.map((piece) => (piece._tag === "Stdout" ? piece.text : "")).join("")
        const all = shown.trimEnd().split("\n")
        assert.isAtMost(all.length, 60, name)
        assert.match(all[0] ?? "", /^ {2}sigtrap /, name)
        assert.match(all[1] ?? "", /^ {2}sigtrap /, `${name}: ${shown.slice(0, 200)}`)
      }
    }).pipe(Effect.provide(ClientLayers.layerIsolated))
  )
})
