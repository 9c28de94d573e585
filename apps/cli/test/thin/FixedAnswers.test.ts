// The answers that the client prints without the daemon are those of the daemon, for every spelling of every command, and in every
// environment.
import { assert, describe, it } from "@effect/vitest"
import * as AnswerFile from "@sigtrap/host/runtime/AnswerFile"
import * as Aliases from "@sigtrap/protocol/grammar/Aliases"
import * as Commands from "@sigtrap/protocol/grammar/Commands"
import { Effect } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { spellings } from "@sigtrap/protocol/grammar/Spellings.generated"
import * as FixedAnswerFile from "../../src/runner/FixedAnswerFile.ts"
import * as EarlyOptions from "../../src/thin/EarlyOptions.ts"
import * as FixedAnswers from "../../src/thin/FixedAnswers.ts"
import { run } from "../fakes.ts"

const texts = FixedAnswerFile.texts()

/** Returns what the client prints without the daemon; undefined if it asks the daemon. */
const fixed = (argv: ReadonlyArray<string>, format?: string): string | undefined => {
  const entry = EarlyOptions.parse(argv, format)
  const key = entry.describes ? FixedAnswers.keyOf(entry.argv.filter((word) => word !== "--json")) : undefined
  const text = key === undefined ? undefined : texts.get(key)
  return key === undefined || text === undefined ? undefined : FixedAnswers.print(key, JSON.parse(text), entry.json)
}

const groups = [...new Set(Commands.names.flatMap((name) => (name.includes(" ") ? [name.split(" ")[0] ?? ""] : [])))]

/** Every command line that must have a fixed answer. */
const lines: ReadonlyArray<string> = [
  "",
  "--help",
  "-h",
  "help",
  "help --agent",
  "schema",
  "commands",
  ...["bash", "zsh", "fish", "powershell"].map((shell) => `completion ${shell}`),
  ...Commands.names.flatMap((name) => [`help ${name}`, `${name} --help`, `${name} -h`, `schema ${name}`]),
  ...groups.flatMap((group) => [`help ${group}`, `${group} --help`])
]

const words = (line: string) => (line === "" ? [] : line.split(" "))

describe("a fixed answer", () => {
  it.effect("exists for the help and the schema of every command, and is what the daemon prints", () =>
    Effect.gen(function* () {
      for (const line of lines) {
        const { code, stderr, stdout } = yield* run(words(line))
        assert.deepStrictEqual([fixed(words(line)), stderr, code], [stdout, "", 0], line)
      }
    })
  )

  it.effect("is the same as JSON", () =>
    Effect.gen(function* () {
      for (const line of lines) {
        const argv = [...words(line), "--json"]
        assert.strictEqual(fixed(argv), (yield* run(argv)).stdout, line)
        assert.strictEqual(fixed(words(line), "json"), fixed(argv), line)
      }
    })
  )

  it.effect("is what the daemon prints for every other spelling too, if there is one", () =>
    Effect.gen(function* () {
      const spelled = [...new Set([...Object.keys(spellings.commands), ...Aliases.commands.keys()])]
      const found: Array<string> = []
      for (const line of spelled.flatMap((name) => [`help ${name}`, `${name} --help`, `schema ${name}`])) {
        const answer = fixed(words(line))
        if (answer === undefined) continue
        found.push(line)
        assert.strictEqual(answer, (yield* run(words(line))).stdout, line)
      }
      assert.includeMembers(found, ["help bt", "help bp list", "bt --help", "schema b"])
    })
  )

  it.effect("depends on neither the width nor the colours of the terminal, nor on the environment", () =>
    Effect.gen(function* () {
      const environments = [
        { FORCE_COLOR: "1" },
        { NO_COLOR: "1" },
        { COLUMNS: "20", TERM: "dumb" },
        { SIGTRAP_SESSION: "x" }
      ]
      for (const line of ["help", "start --help", "help --agent", "schema print", "completion zsh", "commands"]) {
        for (const columns of [1, 40, 500]) {
          for (const environment of environments) {
            const terminal = { stdout: true, stderr: true, columns, color: true }
            const { stdout } = yield* run(words(line), { line: { terminal, environment } })
            assert.strictEqual(fixed(words(line)), stdout, line)
          }
        }
      }
    })
  )
})

it.each([
  "help nosuch",
  "help start --pretty",
  "start --help --select data",
  "start ./app --help",
  "bp --help",
  "bp list --help",
  "schema start more",
  "completion",
  "completion bash zsh",
  "completion tcsh",
  "commands more",
  "help -- start",
  "help start\t0",
  "start",
  "status",
  "version"
])("the daemon is asked if there is no fixed answer: %s", (line) => {
  assert.isUndefined(fixed(words(line)))
})

it("a file has the texts that were put into it, and none of another key", () => {
  const folder = mkdtempSync(join(tmpdir(), "sigtrap-answers-"))
  try {
    const file = join(folder, "answers.bin")
    writeFileSync(file, AnswerFile.make(texts))
    for (const source of [file, () => AnswerFile.make(texts)]) {
      const read = AnswerFile.reader(source)
      for (const [key, text] of texts) assert.strictEqual(read(key), text, key)
    }
    const read = AnswerFile.reader(file)
    for (const key of ["", "help ", "hel", "help star", "help start\t0", "elp start", "nosuch"])
      assert.isUndefined(read(key), key)
    assert.isUndefined(AnswerFile.reader(join(folder, "absent"))("help"))
    writeFileSync(file, "damaged")
    assert.isUndefined(AnswerFile.reader(file)("help"))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
