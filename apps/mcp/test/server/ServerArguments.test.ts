import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as ServerArguments from "../../src/server/ServerArguments.ts"

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
  it("say how to serve", () => {
    assert.deepStrictEqual(parse(""), {
      does: "serve",
      profile: "default",
      allow: [],
      text: "auto",
      isolated: false
    })
    assert.deepInclude(parse("--profile full --allow write,admin --isolated --text line"), {
      profile: "full",
      allow: ["write", "admin"],
      isolated: true,
      text: "line"
    })
    assert.deepInclude(parse("--http"), { port: 0 })
    assert.deepInclude(parse("--http 127.0.0.1:4711 --profile=observe"), { port: 4711, profile: "observe" })
    assert.deepInclude(parse("--profile xcode-compat"), { allow: ["admin"] })
  })

  it("give way to nothing, and variables give way to them", () => {
    assert.deepInclude(parse("", { allow: "write" }), { allow: ["write"] })
    assert.deepInclude(parse("--allow admin", { allow: "write" }), { allow: ["admin"] })
  })

  it.each([
    ["--profile huge", "no profile huge"],
    ["--allow everything", "--allow takes"],
    ["--http 0.0.0.0:80", "of the loopback"],
    ["--http 70000", "65535"],
    ["--text loud", "--text takes"],
    ["--verbose", "unknown argument --verbose"],
    ["stdio", "unknown argument stdio"]
  ])("that are wrong are refused: %s", (line, says) => {
    assert.include(problem(line), says)
  })

  it("refuse a token that could be guessed", () => {
    assert.include(problem("--http 0", { token: "secret" }), "43 characters")
  })
})
