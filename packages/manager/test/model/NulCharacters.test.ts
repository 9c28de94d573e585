// No field of a call may have a NUL character, on any backend, except data for the program.
import { assert, describe, it } from "@effect/vitest"
import { Client, Errors, Operation, Operations, Payload } from "@sigtrap/protocol"
import { Effect } from "effect"
import { FakeBackend } from "../../src/testing/index.ts"
import { call, code, over } from "../support.ts"

describe("a NUL character", () => {
  it.effect("is refused in paths, arguments, variables and names, and nothing is started", () => {
    const fake = FakeBackend.make()
    return over(
      fake,
      Effect.gen(function* () {
        const inputs: ReadonlyArray<Parameters<typeof call.start>[0]> = [
          { program: "/src/a\0pp" },
          { cwd: "/src\0/x" },
          { stdin: "in\0put" },
          { stdout: "o\0" },
          { args: ["one", "t\0wo"] },
          { env: ["A=\0"] },
          { directory: "/src\0" }
        ]
        for (const input of inputs) {
          const error = yield* Effect.flip(call.start(input))
          assert.strictEqual(Errors.meta(error).code, "USAGE", JSON.stringify(input))
          assert.include(error.message, "NUL character")
        }
        assert.deepStrictEqual((yield* call.sessions()).data.sessions, [])
      })
    )
  })

  it.effect("is refused in the fields of every operation, and accepted in the input of the program", () =>
    over(
      FakeBackend.make(),
      Effect.gen(function* () {
        yield* call.start({ break: ["app.c:9"] })
        const { callAny } = yield* Client.Client
        for (const operation of Operations.all) {
          const [{ input }] = Operation.meta(operation).examples
          const payload = yield* Payload.decode(operation, { ...input, directory: "/\0" })
          const error = yield* Effect.flip(callAny(operation, payload))
          assert.strictEqual(Errors.meta(error).code, "USAGE", operation._tag)
        }
        const { data } = yield* Client.Client.use((client) =>
          client.call("input", { text: "a\0b", newline: true, eof: false })
        )
        assert.strictEqual(data.bytes, 4)
        assert.notStrictEqual(yield* code(call.print(["1"])), "USAGE")
      })
    )
  )
})
