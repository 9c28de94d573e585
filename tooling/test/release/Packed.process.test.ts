// What the tarballs have, and that they work in an empty folder with Node alone.
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import * as Bundles from "../../release/Bundles.ts"
import * as Runtimes from "../../release/Runtimes.ts"
import * as Packages from "./packages.ts"

describe("packages that npm installed from tarballs", () => {
  let installation: Packages.Installation
  beforeAll(async () => {
    installation = await Packages.install(["sigtrap", "@sigtrap/mcp", "@sigtrap/http"])
  })
  afterAll(() => installation.remove(Runtimes.ownNode))

  const manifest = (name: string) => readFileSync(installation.file(`${name}/package.json`), "utf8")

  it("have their licences, and nothing that only the repository needs", () => {
    for (const name of ["sigtrap", "@sigtrap/mcp", "@sigtrap/http"]) {
      assert.notMatch(manifest(name), /@sigtrap\/source|catalog:|workspace:|devDependencies|"scripts"/)
      const files = readdirSync(installation.file(name), { recursive: true }).map(String)
      assert.include(files, "LICENSE")
      assert.notMatch(readFileSync(installation.file(`${name}/README.md`), "utf8"), /\]\(\.\.?\//)
      assert.deepStrictEqual(
        files.filter((file) => /\.map$|\.ts$/.test(file) && !file.endsWith(".d.ts")),
        []
      )
    }
    assert.include(readFileSync(installation.file("sigtrap/THIRD-PARTY-NOTICES"), "utf8"), "effect 4.")
  })

  it("have no part of a bundle that nothing imports", () => {
    const dist = installation.file("sigtrap/dist")
    assert.deepStrictEqual(readdirSync(dist).toSorted(), [...Bundles.used(dist)].toSorted())
  })

  it("run the command line and its daemon", () => {
    const { sigtrap } = installation
    assert.match(sigtrap(Runtimes.ownNode, "--version").text, /^sigtrap \d+\.\d+\.\d+/)
    assert.deepStrictEqual(sigtrap(Runtimes.ownNode, "sessions", "--json").code, 0)
    assert.include(sigtrap(Runtimes.ownNode, "daemon", "status").text, "daemon running")
  })

  it("watch the daemon of a session in another thread", async () => {
    const { sigtrap } = installation
    assert.strictEqual(sigtrap(Runtimes.ownNode, "start", "./app", "--break", "square").code, 0)
    assert.isNumber((await Packages.watched(installation))?.unanswered_ms)
    assert.strictEqual(sigtrap(Runtimes.ownNode, "stop").code, 0)
  })

  it.each([
    ["sigtrap/dist/sigtrap.js", ["mcp"]],
    ["@sigtrap/mcp/sigtrap-mcp.js", []]
  ] as const)("serve MCP: %s", async (file, words) => {
    const code = await Packages.mcp(installation.spawn(Runtimes.ownNode, file, ...words), async (ask) => {
      assert.include(await ask("tools/list", {}), '"name":"start"')
      const answer = await ask("tools/call", { name: "status", arguments: {} })
      assert.notInclude(answer, "DAEMON_UNREACHABLE")
      assert.match(answer, /no session/i)
    })
    assert.strictEqual(code, 0)
  })

  it.each([
    ["sigtrap/dist/sigtrap.js", ["serve", "--foreground"]],
    ["@sigtrap/http/sigtrap-http.js", []]
  ] as const)("serve HTTP: %s", async (file, words) => {
    assert.include(await Packages.http(installation.spawn(Runtimes.ownNode, file, ...words)), '"sessions":[]')
  })

  it("let the daemon serve HTTP", async () => {
    assert.include(await Packages.daemonHttp(installation, Runtimes.ownNode), '"sessions":')
  })
})
