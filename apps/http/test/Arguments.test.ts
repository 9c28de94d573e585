import { assert, it } from "@effect/vitest"
import { Redacted, Result } from "effect"
import * as Arguments from "../src/Arguments.ts"

const token = "a".repeat(64)

it("reads --port in both forms and selects a free port without it", () => {
  const parse = (argv: ReadonlyArray<string>) => Result.getOrThrow(Arguments.parse(argv, undefined))
  assert.deepInclude(parse([]), { command: "serve", port: 0, isolated: false })
  assert.deepInclude(parse(["--port", "4711"]), { port: 4711 })
  assert.deepInclude(parse(["--isolated", "--port=4711"]), { port: 4711, isolated: true })
  assert.deepInclude(parse(["--help"]), { command: "help" })
})

it("names in its help each flag that it knows, and takes each that it names", () => {
  const named = [...Arguments.help.matchAll(/^ {2}(--[a-z-]+)(?: ([A-Z]+))? +\S/gm)].map(
    ([, flag = "", value]) => [flag, value] as const
  )
  assert.deepStrictEqual(
    named.map(([flag]) => flag),
    ["--port", "--address", "--isolated", "--foreground", "--stop", "--trace-otlp", "--help", "--version"]
  )
  const values: { readonly [value: string]: string } = { N: "1", ADDR: "127.0.0.1", URL: "http://127.0.0.1:4318" }
  for (const [flag, value] of named) {
    assert.include(Arguments.usage, `[${flag}`)
    const parsed = Arguments.parse(value === undefined ? [flag] : [flag, values[value] ?? ""], undefined)
    assert.strictEqual(Result.isSuccess(parsed), flag !== "--stop", flag)
  }
})

it("takes the address of one interface", () => {
  const parse = (...argv: ReadonlyArray<string>) => Result.getOrThrow(Arguments.parse(argv, undefined))
  assert.deepInclude(parse("--foreground", "--address", "::1"), { command: "serve", address: "::1" })
  assert.deepInclude(parse("--address=192.0.2.7"), { address: "192.0.2.7" })
  assert.notProperty(parse(), "address")
})

const mistakes: ReadonlyArray<readonly [argv: ReadonlyArray<string>, token: string | undefined, expected: string]> = [
  [["--port"], undefined, "--port takes a number"],
  [["--port", "65536"], undefined, "--port takes a number"],
  [["--port=-1"], undefined, "--port takes a number"],
  [["--address"], undefined, "--address takes the numeric address"],
  [["--address", "localhost"], undefined, "--address takes the numeric address"],
  [["--address=0.0.0.0"], undefined, "--address takes the numeric address"],
  [["--address", "::"], undefined, "--address takes the numeric address"],
  [["--stop"], undefined, "use sigtrap serve --stop"],
  [["--host", "0.0.0.0"], undefined, "unknown argument --host"],
  [[], "short", "SIGTRAP_HTTP_TOKEN needs at least 43 characters"],
  [[], `${token}\n`, "SIGTRAP_HTTP_TOKEN needs at least 43 characters"]
]
for (const [argv, given, expected] of mistakes) {
  it(`refuses ${JSON.stringify([argv, given])}`, () => {
    const message = Result.match(Arguments.parse(argv, given), { onFailure: (text) => text, onSuccess: () => "" })
    assert.include(message, expected)
    if (given !== undefined) assert.notInclude(message, given)
  })
}

it("keeps the token out of JSON", () => {
  const parsed = Result.getOrThrow(Arguments.parse([], token))
  assert.notInclude(JSON.stringify(parsed), token)
  assert.strictEqual(parsed.command === "serve" && parsed.token !== undefined && Redacted.value(parsed.token), token)
})
