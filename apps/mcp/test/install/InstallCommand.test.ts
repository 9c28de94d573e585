import { NodeFileSystem } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, type Scope } from "effect"
import * as ClientFiles from "../../src/install/ClientFiles.ts"
import * as InstallCommand from "../../src/install/InstallCommand.ts"
import * as Jsonc from "../../src/install/Jsonc.ts"

/** A home of its own, and what the command said there. */
const world = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const home = yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-install-" })
  const said: Array<string> = []
  const place: ClientFiles.Place = { home, platform: "linux", config: `${home}/.config` }
  const install = (line: string, ask?: InstallCommand.World["ask"]) =>
    Effect.promise(() =>
      InstallCommand.install(line.split(" "), {
        place,
        directory: `${home}/project`,
        self: { node: "/usr/bin/node", script: "/opt/sigtrap-mcp.js" },
        write: (text) => said.push(text),
        complain: (text) => said.push(text),
        ask
      })
    )
  return { fs, home, install, place, said }
})

const run = <A, E>(test: Effect.Effect<A, E, FileSystem.FileSystem | Scope.Scope>) =>
  Effect.scoped(test).pipe(Effect.provide(NodeFileSystem.layer))

describe("install", () => {
  for (const client of ClientFiles.all) {
    it.effect(`writes the entry of ${client.title}, and finds it there the next time`, () =>
      run(
        Effect.gen(function* () {
          const { fs, install, place, said } = yield* world
          assert.strictEqual(yield* install(`--client ${client.name} --allow admin`), 0)
          const text = yield* fs.readFileString(client.user(place))
          assert.include(text, "/opt/sigtrap-mcp.js")
          assert.include(text, "--allow")
          if (client.format === "json") assert.property(Jsonc.parse(text), "value")
          assert.strictEqual(yield* install(`--client ${client.name} --allow admin`), 0)
          assert.include(said.at(-1) ?? "", "has it already")
        })
      )
    )
  }

  it.effect("asks before it replaces anything, and keeps what else is there", () =>
    run(
      Effect.gen(function* () {
        const { fs, home, install, said } = yield* world
        const file = `${home}/.cursor/mcp.json`
        yield* fs.makeDirectory(`${home}/.cursor`)
        const before = `{\n  // mine\n  "mcpServers": { "sigtrap": { "command": "old" }, "other": { "command": "o" } }\n}\n`
        yield* fs.writeFileString(file, before)
        assert.strictEqual(yield* install("--client cursor"), 2)
        assert.include(said.at(-1) ?? "", "--force")
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

  it.effect("leaves alone what it does not understand", () =>
    run(
      Effect.gen(function* () {
        const { fs, home, install, said } = yield* world
        yield* fs.makeDirectory(`${home}/.gemini`)
        yield* fs.writeFileString(`${home}/.gemini/settings.json`, `{ "mcpServers": `)
        assert.strictEqual(yield* install("--client gemini"), 2)
        assert.include(said.at(-1) ?? "", "is left alone")
        assert.include(said.at(-1) ?? "", "add by hand")
      })
    )
  )

  it.effect("only prints with --print", () =>
    run(
      Effect.gen(function* () {
        const { fs, home, install, said } = yield* world
        assert.strictEqual(yield* install("--client codex --print --profile full"), 0)
        assert.include(said.join(""), "[mcp_servers.sigtrap]")
        assert.isFalse(yield* fs.exists(`${home}/.codex`))
      })
    )
  )

  it.effect("writes a project's file without a path of this machine", () =>
    run(
      Effect.gen(function* () {
        const { fs, home, install } = yield* world
        assert.strictEqual(yield* install("--client vscode --scope project"), 0)
        const text = yield* fs.readFileString(`${home}/project/.vscode/mcp.json`)
        assert.deepStrictEqual(JSON.parse(text), {
          servers: { sigtrap: { type: "stdio", command: "npx", args: ["-y", "@sigtrap/mcp"] } }
        })
      })
    )
  )

  it.effect("names the clients that it knows", () =>
    run(
      Effect.gen(function* () {
        const { install, said } = yield* world
        assert.strictEqual(yield* install("--client emacs"), 2)
        assert.include(said.join(""), "claude-code")
        assert.strictEqual(yield* install("--client claude-desktop --scope project"), 2)
        assert.strictEqual(yield* install("--client cursor --allow all"), 2)
        assert.strictEqual(yield* install("--colour"), 2)
      })
    )
  )
})
