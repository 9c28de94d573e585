// Memory, registers, instructions and modules.
import { assert, describe, it } from "@effect/vitest"
import { Hint } from "@sigtrap/protocol"
import { Effect, Result } from "effect"
import { Base64 } from "effect/encoding"
import { call, calls, code } from "../../support.ts"
import { inMain, inSquare } from "../../stoppedSessions.ts"

const bytesOf = (text: string) => [...Result.getOrThrow(Base64.decode(text))]

describe("the machine", () => {
  it.effect("has memory with unreadable ranges, and writes to writable memory", () =>
    inSquare(() =>
      Effect.gen(function* () {
        const read = (yield* call.memoryRead("0x1004", 4)).data
        assert.deepStrictEqual(bytesOf(read.data), [4, 5, 6, 7])
        assert.deepStrictEqual((yield* call.memoryRead("0x10fe", 4)).data.unreadable, [[2, 4]])
        assert.strictEqual(yield* code(call.memoryRead("0x9000")), "ADAPTER_ERROR")
        assert.strictEqual(yield* code(call.memoryRead("f()")), "EVALUATION_FAILED")
        const written = (yield* call.memoryWrite("0x1004", "ff 01")).data
        assert.deepStrictEqual(bytesOf(written.readback), [255, 1])
        assert.strictEqual(yield* code(call.memoryWrite("0x10f0", "00")), "ADAPTER_ERROR")
      })
    )
  )

  it.effect("has registers, and can list the changed ones only", () =>
    inSquare(() =>
      Effect.gen(function* () {
        const names = (input: Parameters<typeof call.registers>[0]) =>
          Effect.map(call.registers(input), ({ data }) =>
            data.groups.flatMap(({ registers }) => registers.map(({ name }) => name))
          )
        assert.deepStrictEqual(yield* names({}), ["pc", "sp"])
        assert.deepStrictEqual(yield* names({ all: true }), ["pc", "sp", "st0"])
        assert.deepStrictEqual(yield* names({ names: ["$SP"] }), ["sp"])
        const missing = yield* call.registers({ names: ["st1", "sp"] })
        assert.deepStrictEqual(missing.data.not_found, ["st1"])
        assert.deepStrictEqual(missing.warnings, [
          {
            code: "NOT_FOUND",
            message: "no register 'st1'; nearest: st0",
            hints: [Hint.call("registers", { all: true })]
          }
        ])
        yield* call.step()
        assert.deepStrictEqual(yield* names({ changed: true }), ["pc"])
      })
    )
  )

  it.effect("has instructions, modules and sources", () =>
    inSquare(() =>
      Effect.gen(function* () {
        const main = yield* call.disassemble({ at: "main", count: 2 })
        assert.deepStrictEqual(
          main.data.instructions.map(({ address }) => address),
          ["0x1007", "0x1008"]
        )
        assert.deepStrictEqual(main.truncated[0]?.hints, [Hint.call("disassemble", { at: "0x1009", count: 2 })])
        assert.strictEqual(yield* code(call.disassemble({ at: "nosuch" })), "SYMBOL_NOT_FOUND")
        const mian = yield* Effect.flip(call.disassemble({ at: "mian", count: 2 }))
        assert.strictEqual(mian.message, "no symbol 'mian' found; nearest: main")
        assert.deepStrictEqual(mian.hints, [Hint.call("disassemble", { at: "main", count: 2 })])
        assert.strictEqual(
          (yield* Effect.flip(call.source("squar"))).message,
          "no symbol 'squar' found; nearest: square"
        )
        assert.strictEqual((yield* Effect.flip(call.find("mian"))).message, "no symbol 'mian' found; nearest: main")
        assert.deepStrictEqual(
          (yield* call.modules("LIBC")).data.modules.map(({ name }) => name),
          ["libc.so"]
        )
        const range = (yield* call.source("app.c", { range: "2-4" })).data
        assert.deepInclude(range, { file: "/src/app.c", first: 2, total: 15, current: 2, stale: false })
        assert.deepInclude(range.breakpoints, { id: 1, line: 2, state: "on", kind: "function" })
        assert.strictEqual(range.lines.length, 3)
        assert.strictEqual((yield* call.source("main", { lines: 0 })).data.first, 7)
        assert.strictEqual((yield* call.source("+3", { lines: 0 })).data.first, 5)
        assert.strictEqual(yield* code(call.source("nosuch")), "SYMBOL_NOT_FOUND")
        assert.strictEqual(yield* code(call.source("*0x10")), "INVALID_LOCATION")
        assert.deepStrictEqual((yield* call.files()).data.files, ["/src/app.c"])
        assert.deepInclude((yield* call.type("struct pair")).data, { size: 8 })
      })
    )
  )
})

describe("inspection", () => {
  it.effect("reads memory as words and writes numbers, files or bytes, one of them", () =>
    inMain(() =>
      Effect.gen(function* () {
        const { data } = yield* call.memoryWords("0x1000", { count: 8, size: 4, format: "x" })
        assert.deepStrictEqual(data.values, ["0x03020100", "0x07060504"])
        yield* call.memoryValues("0x1000", ["-1", "0x10"], { size: 2 })
        assert.deepStrictEqual((yield* call.memoryWords("0x1000", { count: 4, format: "d", size: 2 })).data.values, [
          "-1",
          "16"
        ])
        for (const wrong of calls(
          call.memoryWords("0x1000", { size: 3 }),
          call.memoryWords("0x1000", { size: 2, format: "f" }),
          call.memoryValues("0x1000", ["300"]),
          call.memoryValues("0x1000", ["1"], { hex: "01" }),
          call.memoryValues("0x1000", [])
        )) {
          assert.strictEqual(yield* code(wrong), "USAGE")
        }
      })
    )
  )

  it.effect("lists references, and registers in another format", () =>
    inMain(() =>
      Effect.gen(function* () {
        yield* call.print(["pair"])
        const { references } = (yield* call.refs()).data
        assert.isTrue(references.some(({ expression, kind }) => kind === "value" && expression === "pair"))
        const { groups } = (yield* call.registers({ format: "d" })).data
        assert.deepStrictEqual(
          groups[0]?.registers.map(({ value }) => value),
          ["7", "9"]
        )
      })
    )
  )
})
