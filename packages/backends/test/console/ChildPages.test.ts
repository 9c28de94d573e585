// Pages of children by commands of Python. LLDB is a function that has them, or does not.
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ChildPages from "../../src/console/lldb/values/ChildPages.ts"

const commands = ["settings set n 4", "frame variable -- words", "settings clear n"] as const

const pagesOf = (answer: (line: string) => string) => {
  const sent: Array<string> = []
  const pages = ChildPages.make((line) => {
    sent.push(line)
    return Effect.succeed(answer(line))
  })
  return { pages, sent }
}

it.effect("names and texts are those that the commands print", () =>
  Effect.gen(function* () {
    const { pages, sent } = pagesOf((line) =>
      line.startsWith("sigtrap-show") ? '{"output": "words = 2", "errors": ""}\n' : '["[3]", "[4]"]\n'
    )
    assert.deepStrictEqual(yield* pages.names("words", 1, 3, 2), ["[3]", "[4]"])
    assert.deepStrictEqual(yield* pages.show(commands, 1), { output: "words = 2", errors: "" })
    yield* pages.read("words", 1, 3, 2)
    assert.deepStrictEqual(sent, [
      "sigtrap-child-names 3 2 words",
      `sigtrap-show ${JSON.stringify(commands)}`,
      "sigtrap-read-page 3 2 words"
    ])
  })
)

it.effect("bytes that Python does not decode are left to LLDB, and other letters are not", () =>
  Effect.gen(function* () {
    const shown = (text: string) => pagesOf(() => JSON.stringify({ output: text, errors: "" })).pages.show(commands, 1)
    assert.isUndefined(yield* shown("a\udcffb"))
    assert.deepStrictEqual(yield* shown("ä😀"), { output: "ä😀", errors: "" })
  })
)

it.effect("an LLDB without the commands is asked once", () =>
  Effect.gen(function* () {
    const { pages, sent } = pagesOf((line) => `error: '${line.split(" ")[0]}' is not a valid command.`)
    yield* pages.read("words", 1, 0, 20)
    assert.isUndefined(yield* pages.names("words", 1, 0, 20))
    assert.isUndefined(yield* pages.show(commands, 1))
    assert.deepStrictEqual(sent, ["sigtrap-read-page 0 20 words"])
  })
)
