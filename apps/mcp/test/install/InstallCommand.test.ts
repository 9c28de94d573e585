import { NodeFileSystem } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, type Scope } from "effect"
import * as ClientFiles from "../../src/install/ClientFiles.ts"
import * as InstallCommand from "../../src/install/InstallCommand.ts"
import * as Jsonc from "../../src/install/Jsonc.ts"

/** A temporary home folder, the command run in it, and what the command wrote. */
const fixture = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const home = yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-install-" })
  const messages: Array<string> = []
  const folders: ClientFiles.Folders = { home, platform: "linux", config: `${home}/.config` }
  const install = (line: string, ask?: InstallCommand.Environment["ask"]) =>
    Effect.promise(() =>
      InstallCommand.install(line.split(" "), {
        folders,
        directory: `${home}/project`,
        server: { program: "/usr/bin/node", args: ["/opt/sigtrap-mcp.js"] },
        write: (text) => messages.push(text),
        writeError: (text) => messages.push(text),
        ask
      })
    )
  return { fs, home, install, folders, messages }
})

const run = <A, E>(test: Effect.Effect<A, E, FileSystem.FileSystem | Scope.Scope>) =>
  Effect.scoped(test).pipe(Effect.provide(NodeFileSystem.layer))

describe("install", () => {
  for (const client of ClientFiles.all) {
    it.effect(`writes the entry of ${client.title} and finds it on the next run`, () =>
      run(
        Effect.gen(function* () {
          const { fs, install, folders, messages } = yield* fixture
          assert.strictEqual(yield* install(`--client ${client.name} --allow admin`), 0)
          const text = yield* fs.readFileString(client.user(folders))
          assert.include(text, "/opt/sigtrap-mcp.js")
          assert.include(text, "--allow")
          if (client.format === "json") assert.property(Jsonc.parse(text), "value")
          assert.strictEqual(yield* install(`--client ${client.name} --allow admin`), 0)
          assert.include(messages.at(-1) ?? "", "already has this entry")
        })
      )
    )
  }

  it.effect("asks before it replaces an entry and keeps the rest of the file", () =>
    run(
      Effect.gen(function* () {
        const { fs, home, install, messages } = yield* fixture
        const file = `${home}/.cursor/mcp.json`
        yield* fs.makeDirectory(`${home}/.cursor`)
        const before = `{\n  // mine\n  "mcpServers": { "sigtrap": { "command": "old" }, "other": { "command": "o" } }\n}\n`
        yield* fs.writeFileString(file, before)
        assert.strictEqual(yield* install("--client cursor"), 2)
        assert.include(messages.at(-1) ?? "", "--force")
        assert.strictEqual(yield* install("--client cursor", () => Promise.resolve("n")), 0)
        assert.strictEqual(yield* fs.readFileString(file), before)
        assert.strictEqual(yield* install("--client cursor", () => Promise.resolve("y")), 0)
        const after = yield* fs.readFileString(file)
        assert.include(after, "// mine")
        assert.include(after, `"other": { "command": "o" }`)
        assert.notInclude(after, `"old"`)
      })
    )
  )

  it.effect("leaves a file unchanged that it cannot parse", () =>
    run(
      Effect.gen(function* () {
        const { fs, home, install, messages } = yield* fixture
        yield* fs.makeDirectory(`${home}/.gemini`)
        yield* fs.writeFileString(`${home}/.gemini/settings.json`, `{ "mcpServers": `)
        assert.strictEqual(yield* install("--client gemini"), 2)
        assert.include(messages.at(-1) ?? "", "is left unchanged")
        assert.include(messages.at(-1) ?? "", "add by hand")
      })
    )
  )

  it.effect("writes no file with --print", () =>
    run(
      Effect.gen(function* () {
        const { fs, home, install, messages } = yield* fixture
        assert.strictEqual(yield* install("--client codex --print --profile full"), 0)
        assert.include(messages.join(""), "[mcp_servers.sigtrap]")
        assert.isFalse(yield* fs.exists(`${home}/.codex`))
      })
    )
  )

  it.effect("writes a project's file without a machine path", () =>
    run(
      Effect.gen(function* () {
        const { fs, home, install } = yield* fixture
        assert.strictEqual(yield* install("--client vscode --scope project"), 0)
        const text = yield* fs.readFileString(`${home}/project/.vscode/mcp.json`)
        assert.deepStrictEqual(JSON.parse(text), {
          servers: { sigtrap: { type: "stdio", command: "npx", args: ["-y", "@sigtrap/mcp"] } }
        })
      })
    )
  )

  it.effect("refuses unknown clients, tiers and arguments, and lists the clients", () =>
    run(
      Effect.gen(function* () {
        const { install, messages } = yield* fixture
        assert.strictEqual(yield* install("--client emacs"), 2)
        assert.include(messages.join(""), "claude-code")
        assert.strictEqual(yield* install("--client claude-desktop --scope project"), 2)
        assert.strictEqual(yield* install("--client cursor --allow all"), 2)
        assert.strictEqual(yield* install("--colour"), 2)
      })
    )
  )
})
