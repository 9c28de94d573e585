import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import * as EarlyOptions from "../../src/thin/EarlyOptions.ts"

const nothing: EarlyOptions.Entry = {
  argv: [],
  runtimeDirectory: undefined,
  noStart: false,
  foreground: false,
  daemon: undefined,
  local: undefined,
  json: false,
  command: undefined
}

const check = (text: string, expected: Partial<EarlyOptions.Entry>) =>
  assert.deepStrictEqual(EarlyOptions.parse(text === "" ? [] : text.split(" "), undefined), { ...nothing, ...expected })

it("the entry's own options are taken out wherever they stand, and nothing else is touched", () => {
  check("", {})
  check("status", { argv: ["status"], command: "status" })
  check("--runtime-dir /x status", { argv: ["status"], command: "status", runtimeDirectory: "/x" })
  check("status --runtime-dir=/x", { argv: ["status"], command: "status", runtimeDirectory: "/x" })
  check("status --runtime-dir", { argv: ["status"], command: "status", runtimeDirectory: "" })
  check("--no-daemon-start status -q", { argv: ["status", "-q"], command: "status", noStart: true })
  check("start a.out --foreground", { argv: ["start", "a.out"], command: "start", foreground: true })
  check("start a.out -- --foreground --json", {
    argv: ["start", "a.out", "--", "--foreground", "--json"],
    command: "start"
  })
})

it("the word daemon counts only as the command, not as a value or an argument", () => {
  check("daemon status", { argv: ["daemon", "status"], command: "daemon", daemon: ["status"] })
  check("--json daemon stop", { argv: ["--json", "daemon", "stop"], command: "daemon", daemon: ["stop"], json: true })
  check("-S daemon status", { argv: ["-S", "daemon", "status"], command: "status" })
  check("start daemon", { argv: ["start", "daemon"], command: "start" })
  check("-- daemon", { argv: ["--", "daemon"] })
})

it("failures are JSON when the format is, however that was said", () => {
  assert.isTrue(EarlyOptions.parse(["status", "--json"], undefined).json)
  assert.isTrue(EarlyOptions.parse(["status"], "json").json)
  assert.isFalse(EarlyOptions.parse(["status"], "text").json)
})

it.prop("words that are none of the entry's pass through unchanged", [Schema.Array(Schema.String)], ([words]) => {
  const own = (word: string) => /^--(runtime-dir|no-daemon-start|foreground)/.test(word)
  const foreign = words.filter((word) => !own(word))
  assert.deepStrictEqual(EarlyOptions.parse(foreign, undefined).argv, foreign)
})

it("commands that concern the machine stay here, except for their help", () => {
  check("doctor --json", { argv: ["doctor", "--json"], command: "doctor", local: ["--json"], json: true })
  check("-C /x test a.yaml -j 2", {
    argv: ["-C", "/x", "test", "a.yaml", "-j", "2"],
    command: "test",
    local: ["-C", "/x", "a.yaml", "-j", "2"]
  })
  check("config --help", { argv: ["config", "--help"], command: "config" })
})

it("what follows mcp goes to the server as it is, except when help is wanted", () => {
  const words = (text: string) => EarlyOptions.mcp(EarlyOptions.parse(text.split(" "), undefined))
  assert.deepStrictEqual(words("mcp"), [])
  assert.deepStrictEqual(words("mcp install --client cursor --print"), ["install", "--client", "cursor", "--print"])
  assert.deepStrictEqual(words("--runtime-dir /x mcp --http 0"), ["--http", "0"])
  assert.isUndefined(words("mcp --help"))
  assert.isUndefined(words("start mcp"))
})
