import { assert, describe, it } from "@effect/vitest"
import * as Builtins from "@sigtrap/protocol/grammar/Builtins"
import { Result } from "effect"
import * as ServerArguments from "../../src/server/ServerArguments.ts"
import * as Profile from "../../src/tools/Profile.ts"

const parse = (line: string, variables?: ServerArguments.Variables) =>
  Result.getOrThrow(
    ServerArguments.parse(
      line.split(" ").filter((word) => word !== ""),
      variables
    )
  )
const problem = (line: string, variables?: ServerArguments.Variables) =>
  Result.match(ServerArguments.parse(line.split(" "), variables), { onFailure: (text) => text, onSuccess: () => "" })

describe("arguments", () => {
  it("are parsed", () => {
    assert.deepStrictEqual(parse(""), {
      command: "serve",
      profile: "default",
      allow: [],
      structured: false,
      isolated: false
    })
    assert.deepInclude(parse("--profile full --allow write,admin --isolated --structured"), {
      profile: "full",
      allow: ["write", "admin"],
      isolated: true,
      structured: true
    })
    assert.deepInclude(parse("--http"), { port: 0 })
    assert.deepInclude(parse("--http 127.0.0.1:4711 --profile=observe"), { port: 4711, profile: "observe" })
    assert.deepInclude(parse("--profile xcode-compat"), { allow: ["admin"] })
  })

  it("are the options of the command mcp, in its help and completion", () => {
    const options = Builtins.find("mcp")?.options ?? []
    const written = new Set(Array.from(ServerArguments.usage.matchAll(/--([a-z-]+)/g), ([, flag]) => flag))
    assert.deepStrictEqual(options.map(({ flag }) => flag).toSorted(), [...written].toSorted())
    const profile = options.find(({ flag }) => flag === "profile")
    assert.deepStrictEqual(profile?.values, Profile.names)
  })

  it("take precedence over environment variables", () => {
    assert.deepInclude(parse("", { allow: "write" }), { allow: ["write"] })
    assert.deepInclude(parse("--allow admin", { allow: "write" }), { allow: ["admin"] })
  })

  it.each([
    ["--profile huge", "unknown profile huge"],
    ["--allow everything", "--allow takes"],
    ["--http 0.0.0.0:80", "on the loopback"],
    ["--http 70000", "65535"],
    ["--verbose", "unknown argument --verbose"],
    ["stdio", "unknown argument stdio"]
  ])("are refused: %s", (line, expected) => {
    assert.include(problem(line), expected)
  })

  it("are refused with a short token", () => {
    assert.include(problem("--http 0", { token: "secret" }), "43 characters")
  })
})
