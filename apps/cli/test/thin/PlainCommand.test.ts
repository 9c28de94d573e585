// The command lines that the small entry sends to the daemon itself: the client has nothing else to do for any of them.
import { assert, describe, it } from "@effect/vitest"
import { spellings } from "@sigtrap/protocol/grammar/Spellings.generated"
import * as EarlyOptions from "../../src/thin/EarlyOptions.ts"
import * as PlainCommand from "../../src/thin/PlainCommand.ts"

const plain: Partial<EarlyOptions.EarlyOptions> = {
  runtimeDirectory: undefined,
  startsDaemon: true,
  foreground: false,
  client: undefined,
  printsVersion: false,
  describes: false
}

const others = [
  "-h",
  "--help",
  "-V",
  "--version",
  "--version=1",
  "--foreground",
  "--no-daemon-start",
  "--runtime-dir /x",
  "--runtime-dir=/x",
  "--file -",
  "-",
  "help",
  "daemon",
  "config",
  "--json",
  "--timeout 3",
  "-S s1",
  "-- --help",
  "app"
]

describe("a plain command line", () => {
  it("is sent unchanged, and has nothing for the client, by every spelling and with every option", () => {
    const lines = Object.keys(spellings.commands).flatMap((spelling) =>
      ["", ...others].flatMap((other) => [`${spelling} ${other}`, `${other} ${spelling}`, `${spelling} ${other} x`])
    )
    let found = 0
    for (const line of lines) {
      const words = line.split(" ").filter((word) => word !== "")
      if (!PlainCommand.isPlain(words)) continue
      found += 1
      const parsed = EarlyOptions.parse(words, undefined)
      assert.deepStrictEqual({ ...parsed, ...plain, argv: words }, parsed, line)
      assert.isFalse(words.includes("-"), line)
    }
    assert.isAbove(found, 1000)
  })

  it("is one of an operation, of an alias of the user, or of a misspelled command", () => {
    for (const line of ["status", "--json status", "b main", "run app --json", "start app -- x", "mine 3", "statsu"]) {
      assert.isTrue(PlainCommand.isPlain(line.split(" ")), line)
    }
    assert.isFalse(PlainCommand.isPlain([]))
  })
})
