import { assert, describe, it } from "@effect/vitest"
import * as ServerCommand from "../../src/install/ServerCommand.ts"

const version = "1.2.3"
const runtime = "/opt/node/bin/node"

const line = (script: string, sigtrap?: ServerCommand.ServerCommand) => {
  const { args, program } = ServerCommand.of({ runtime, script, sigtrap, version })
  return [program, ...args].join(" ")
}

describe("the command in a client's settings", () => {
  it("is the runtime and the script of an installed package", () => {
    const script = "/home/user/app/node_modules/sigtrap/dist/sigtrap.js"
    assert.strictEqual(line(script, { program: runtime, args: [script] }), `${runtime} ${script} mcp`)
    const own = "/home/user/app/node_modules/@sigtrap/mcp/sigtrap-mcp.js"
    assert.strictEqual(line(own), `${runtime} ${own}`)
  })

  it("is the compiled executable", () => {
    const program = "/usr/local/bin/sigtrap"
    assert.strictEqual(line(program, { program, args: [] }), `${program} mcp`)
  })

  it("names no path inside the cache of a package runner", () => {
    const rows = [
      ["/home/user/.npm/_npx/1a2b/node_modules/sigtrap/dist/sigtrap.js", "npx -y sigtrap@1.2.3 mcp"],
      ["/home/user/.npm/_npx/1a2b/node_modules/@sigtrap/mcp/sigtrap-mcp.js", "npx -y sigtrap@1.2.3 mcp"],
      ["/home/user/.cache/pnpm/dlx/3c/node_modules/sigtrap/dist/sigtrap.js", "pnpm dlx sigtrap@1.2.3 mcp"],
      [
        "/home/user/.bun/install/cache/.bunx-0/sigtrap@latest/node_modules/sigtrap/dist/sigtrap.js",
        "bunx --bun sigtrap@1.2.3 mcp"
      ],
      ["/tmp/bunx-1000-sigtrap@latest/node_modules/sigtrap/dist/sigtrap.js", "bunx --bun sigtrap@1.2.3 mcp"],
      [
        "/home/user/.cache/deno/npm/registry.example/sigtrap/1.2.3/dist/sigtrap.js",
        "deno run --allow-all npm:sigtrap@1.2.3 mcp"
      ]
    ] as const
    for (const [script, expected] of rows) {
      assert.strictEqual(line(script), expected)
      assert.strictEqual(line("/elsewhere", { program: runtime, args: [script] }), expected)
    }
  })
})
