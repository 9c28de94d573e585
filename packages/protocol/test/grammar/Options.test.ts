// Descriptions and placeholders of options.
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Argv from "../../src/grammar/Argv.ts"
import * as Builtins from "../../src/grammar/Builtins.ts"
import * as Commands from "../../src/grammar/Commands.ts"
import * as Options from "../../src/grammar/Options.ts"

const options = [
  ...Options.globals.map((option) => ["every command", option] as const),
  ...Builtins.all.flatMap(({ name, options }) => options.map((option) => [name, option] as const)),
  ...Commands.all.flatMap(({ name, options }) => options.map((option) => [name, option] as const))
]

describe("an option", () => {
  it("has a description of at most 60 characters", () => {
    for (const [name, { description, flag }] of options) {
      assert.isAtMost(description.length, 60, `${name} --${flag}: ${description}`)
      assert.notStrictEqual(description, "", `${name} --${flag}`)
    }
  })

  it("has a placeholder that names the kind of value", () => {
    for (const [name, { field, flag, kind, metavar, values }] of options) {
      if (kind === "boolean" || values.length > 0) continue
      assert.match(metavar, /^[A-Z]/, `${name} --${flag}`)
      // The name of the field in capitals, such as AT_TEXT, says nothing about the value.
      if (field.includes("_")) assert.notStrictEqual(metavar, field.toUpperCase(), `${name} --${flag}`)
    }
  })
})

describe("an option that may have a value", () => {
  const read = (line: string) => {
    const { request } = Argv.parse(line.split(" "))
    return Result.isSuccess(request) && request.success._tag === "Call" ? request.success.input : undefined
  }
  it("takes a number after it, and no other word", () => {
    for (const line of [
      "run ./app --until-failure 3",
      "run --until-failure 3 ./app",
      "run ./app --until-failure=3",
      "run ./app --until-failure 3 -- 4"
    ]) {
      assert.deepInclude(read(line), { program: "./app", until_failure: 3 }, line)
    }
    assert.deepInclude(read("run --until-failure ./app"), { program: "./app", until_failure: 200 })
    assert.deepInclude(read("run --until-failure=5 ./3"), { program: "./3", until_failure: 5 })
  })
})

describe("a word with a dash", () => {
  it.each(["-inf", "-nan", "-Infinity", "-3", "-0.5"])("such as %s is a value, not an option", (value) => {
    const { request } = Argv.parse(["set", "d", value])
    assert(Result.isSuccess(request) && request.success._tag === "Call")
    assert.deepInclude(request.success.input, { target: "d", value })
  })
})

it("set variable, the whole word of GDB, is set", () => {
  const { request } = Argv.parse(["set", "variable", "total=10"])
  assert(Result.isSuccess(request) && request.success._tag === "Call")
  assert.deepInclude(request.success.input, { target: "total", value: "10" })
})
