// A session of a real program from the packed packages, on every runtime: command line, MCP with the daemon and isolated, HTTP.
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Runtimes from "../../release/Runtimes.ts"
import * as Packages from "./packages.ts"

/** The oldest Node that the manifests allow, and the newest of later majors; each runtime with a package manager of its users. */
const cells: ReadonlyArray<{ readonly runtime: Runtimes.Runtime; readonly manager: Packages.Manager }> = [
  { runtime: Runtimes.node("22.15.0"), manager: "npm" },
  { runtime: Runtimes.node("24"), manager: "pnpm" },
  { runtime: Runtimes.node("26"), manager: "npm" },
  { runtime: Runtimes.bun, manager: "bun" },
  { runtime: Runtimes.deno, manager: "deno" }
]

const names = ["sigtrap", "@sigtrap/mcp", "@sigtrap/http"]

// Time for an installation and for each test: the machine may be busy with other tests.
const slow = 300_000

describe.each(cells)("$runtime.name, installed with $manager", ({ manager, runtime }) => {
  let installation: Packages.Installation
  beforeAll(async () => {
    installation = await Packages.install(names, manager)
  }, slow)
  afterAll(() => installation.remove(runtime), slow)

  it("runs a session on the command line", { timeout: slow }, async () => {
    const { sigtrap } = installation
    const expectations = [
      [["--version"], /^sigtrap \d/],
      [["start", "./app", "--break", "square"], /stopped #1 breakpoint 1\n.*\n?square app\.c:2[^]*n=7/],
      [["print", "n * 2"], /n \* 2 = 14/],
      [["continue"], /exited/],
      [["output"], /49/],
      [["daemon", "status"], /daemon running/],
      [["stop"], /stopped|ended/]
    ] as const
    for (const [words, expected] of expectations) {
      assert.match(sigtrap(runtime, ...words).text, expected, words.join(" "))
    }
    assert.isNumber((await Packages.watched(installation))?.unanswered_ms)
  })

  it.each([
    ["sigtrap/dist/sigtrap.js", ["mcp", "--allow", "launch"]],
    ["sigtrap/dist/sigtrap.js", ["mcp", "--isolated", "--allow", "launch"]],
    ["@sigtrap/mcp/sigtrap-mcp.js", ["--allow", "launch"]]
  ] as const)("serves MCP: %s %s", { timeout: slow }, async (file, words) => {
    const code = await Packages.mcp(installation.spawn(runtime, file, ...words), async (ask) => {
      const started = await ask("tools/call", {
        name: "start",
        arguments: { program: "./app", break: ["square"], session: "agent" }
      })
      assert.include(started, "n=7")
      assert.include(await ask("tools/call", { name: "stop", arguments: { session: "agent" } }), "agent")
    })
    assert.strictEqual(code, 0)
  })

  it("serves HTTP", { timeout: slow }, async () => {
    assert.include(await Packages.daemonHttp(installation, runtime), '"sessions":')
    const text = await Packages.http(installation.spawn(runtime, "@sigtrap/http/sigtrap-http.js"))
    assert.include(text, '"sessions":')
  })
})
