// Many commands of LLDB with few requests. LLDB is a function that runs a batch, has no Python, or does not answer.
import { assert, it } from "@effect/vitest"
import { Errors } from "@sigtrap/protocol"
import { Effect, Result } from "effect"
import * as CommandBatch from "../../src/console/lldb/CommandBatch.ts"

const answer = (line: string) => (line === "c7" ? "error: no c7\n" : `did ${line}\n`)

const commands = (count: number) => Array.from({ length: count }, (_, index) => `c${index}`)

const recorded = () => {
  const sent: Array<string> = []
  const batch = (line: string) => {
    sent.push(line)
    const list = /^sigtrap-batch (.*)$/.exec(line)?.[1]
    if (list === undefined) return Effect.succeed(answer(line))
    const lines: ReadonlyArray<string> = JSON.parse(list)
    return Effect.succeed(JSON.stringify(lines.map(answer)))
  }
  const plain = (line: string) => {
    sent.push(line)
    return Effect.succeed(line.startsWith("sigtrap") ? "error: 'sigtrap-batch' is not a valid command." : answer(line))
  }
  return { batch, plain, sent }
}

const texts = (results: ReadonlyArray<Result.Result<string, unknown>>) =>
  results.map((one) => (Result.isSuccess(one) ? one.success : "failed"))

it.effect("commands are sent in parts, and each has its own output", () =>
  Effect.gen(function* () {
    const { batch, sent } = recorded()
    assert.deepStrictEqual(texts(yield* CommandBatch.run(batch, commands(250))), commands(250).map(answer))
    assert.strictEqual(sent.length, 3)
  })
)

it.effect("few commands are sent by themselves", () =>
  Effect.gen(function* () {
    const { batch, sent } = recorded()
    assert.deepStrictEqual(texts(yield* CommandBatch.run(batch, commands(3))), commands(3).map(answer))
    assert.deepStrictEqual(sent, commands(3))
  })
)

it.effect("without Python each command is sent by itself", () =>
  Effect.gen(function* () {
    const { plain, sent } = recorded()
    assert.deepStrictEqual(texts(yield* CommandBatch.run(plain, commands(9))), commands(9).map(answer))
    assert.deepStrictEqual(sent.slice(1), commands(9))
    sent.length = 0
    assert.strictEqual(yield* CommandBatch.listOf(plain, [4, 5]), "did breakpoint list -v\n")
  })
)

it.effect("commands are not sent again after a request without an answer", () =>
  Effect.gen(function* () {
    const sent: Array<string> = []
    const failing = (line: string) => {
      sent.push(line)
      return Effect.fail(new Errors.AdapterCrashed({ detail: "gone" }))
    }
    assert.deepStrictEqual(
      texts(yield* CommandBatch.run(failing, commands(9))),
      commands(9).map(() => "failed")
    )
    assert.strictEqual(sent.length, 1)
  })
)

it.effect("a list of few breakpoints names them, and one of many does not", () =>
  Effect.gen(function* () {
    const { batch, sent } = recorded()
    yield* CommandBatch.listOf(batch, [4])
    const some = yield* CommandBatch.listOf(batch, [4, 5])
    assert.include(some, "did breakpoint list -v 4\n")
    assert.include(some, "did breakpoint list -v 5\n")
    const numbers = commands(101).map((_, index) => index)
    assert.strictEqual(yield* CommandBatch.listOf(batch, numbers), "did breakpoint list -v\n")
    assert.deepStrictEqual(sent[0], "breakpoint list -v 4")
    assert.deepStrictEqual(sent.length, 3)
  })
)
