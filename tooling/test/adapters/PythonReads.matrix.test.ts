/**
 * Expressions of Python that run code of the program: properties, operators, the truth of an object. The program counts the calls and writes the
 * number at its end. With `--deny eval` none runs, by `print`, a condition or a message; a comparison of plain values is computed.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { debugging, platform } from "../support/fixturePrograms.ts"
import { needs } from "../support/fixtures.ts"

const source = `calls = 0
def called():
    global calls
    calls += 1
    return True
class Plain:
    kinds = {"a": 1}
    def __init__(self, n):
        self.n = n
        self.items = [1, {"k": "v"}]
class Code(Plain):
    number = property(lambda self: called())
    __eq__ = lambda self, other: called()
    __lt__ = lambda self, other: called()
    __add__ = lambda self, other: called()
    __neg__ = lambda self: called()
    __bool__ = lambda self: called()
    __getitem__ = lambda self, index: called()
    __contains__ = lambda self, item: called()
    __hash__ = lambda self: 1
    __len__ = lambda self: called()
class Missing:
    def __getattr__(self, name):
        if name.startswith("_"): raise AttributeError(name)
        return called()
top = 7
def work(i):
    plain = Plain(i)
    code = Code(i)
    absent = Missing()
    table = {code: 1}
    both = [code]
    calls_before = calls
    return plain
for i in range(6):
    work(i)
print(calls, "calls")
`
const line = source.split("\n").indexOf("    return plain") + 1

const running = [
  "code.number",
  "code == 3",
  "3 != code",
  "code < 1",
  "code + 1",
  "-code",
  "not code",
  "code and 1",
  "1 if code else 2",
  "code[0]",
  "1 in code",
  "code in both",
  "both == both",
  "table[code]",
  "absent.anything",
  "plain.n == 1 or code.number"
]

const plain = [
  ["plain.n == i", "True"],
  ["code.n + top", "7"],
  ["plain.items[1]['k']", "'v'"],
  ["Plain.kinds['a'] * 2", "2"],
  ["code is not None and not i", "True"],
  ["plain.items[0:1]", "[1]"],
  ["-i if i else 5", "5"],
  ["1 < 2 <= 2", "True"],
  ["plain.n == 1 and code.number", "False"],
  ["len(plain.items) * 2 + top", "11"],
  ["type(plain) is Plain", "True"]
] as const

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("in a session that forbids to run code", (it) => {
  const denying = (
    test: (client: Parameters<Parameters<typeof debugging>[0]>[0], at: string) => Effect.Effect<void, unknown>
  ) =>
    debugging((client) =>
      Effect.gen(function* () {
        yield* needs("debugpy", "python3-debugpy")
        const fs = yield* FileSystem.FileSystem
        const program = `${yield* fs.makeTempDirectoryScoped()}/reads.py`
        yield* fs.writeFileString(program, source)
        const at = `reads.py:${line}`
        yield* client.start(program, { deny: ["eval"], break: [at] })
        yield* test(client, at)
      })
    )

  it.effect("expressions of Python are computed from plain values, or refused", () =>
    denying(({ call }) =>
      Effect.gen(function* () {
        for (const expression of running) {
          const refused = yield* Effect.flip(call("print", { expressions: [expression] }))
          assert.include(refused.message, "may run code of the program", expression)
          const assigned = yield* Effect.flip(call("set", { target: "i", value: expression }))
          assert.include(assigned.message, "may run code of the program", expression)
        }
        const length = yield* Effect.flip(call("print", { expressions: ["len(code)"] }))
        assert.include(length.message, "the length of Code may run code of the program")
        for (const [expression, value] of plain) {
          const { values } = (yield* call("print", { expressions: [expression] })).data
          assert.strictEqual(values[0]?.value, value, expression)
        }
        const missing = yield* Effect.flip(call("print", { expressions: ["plian"] }))
        assert.strictEqual(missing._tag, "VariableNotFound")
        yield* call("breakpoint.remove", { all: true })
        yield* call("continue", {})
        assert.include((yield* call("output", {})).data.text, "0 calls")
      })
    )
  )

  it.effect("the length of a plain value is read, that of a class of the program is not", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* needs("debugpy", "python3-debugpy")
        const fs = yield* FileSystem.FileSystem
        const program = `${yield* fs.makeTempDirectoryScoped()}/length.py`
        const lines = [
          "class Own:",
          "    __len__ = lambda self: 3",
          "own, plain = Own(), [1, 2]",
          "def id(value):",
          "    return 0",
          "print(own)"
        ]
        yield* fs.writeFileString(program, lines.join("\n"))
        yield* start(program, { break: ["length.py:6"] })
        assert.strictEqual((yield* call("print", { expressions: ["len(plain)"] })).data.values[0]?.value, "2")
        for (const expression of ["len(own)", "id(plain)", "len(plain) if own else 1"]) {
          const refused = yield* Effect.flip(call("print", { expressions: [expression] }))
          assert.include(refused.message, "may run code of the program, which a read never does", expression)
        }
        assert.strictEqual((yield* call("eval", { expression: "len(own)" })).data.value.value, "3")
      })
    )
  )

  it.effect("conditions and messages of Python run no code", () =>
    denying(({ call }, at) =>
      Effect.gen(function* () {
        yield* call("breakpoint.remove", { all: true })
        yield* call("break", { at, condition: "plain.n == 1" })
        assert.deepInclude((yield* call("continue", {})).data, { reason: "breakpoint" })
        assert.strictEqual((yield* call("print", { expressions: ["i"] })).data.values[0]?.value, "1")
        yield* call("breakpoint.remove", { all: true })
        yield* call("break", { at, condition: "code == 2", eval: ["-code", "i"] })
        const { data, warnings } = yield* call("continue", {})
        assert.strictEqual(data.reason, "breakpoint")
        assert.include(warnings.map(({ message }) => message).join(), "may run code of the program")
        assert.include(data.evaluations?.[0]?.error, "may run code of the program")
        assert.strictEqual(data.evaluations?.[1]?.value, "2")
        const { evaluations = [] } = (yield* call("continue", { eval: ["code.number", "plain.n"] })).data
        const [first, second] = evaluations.slice(-2)
        assert.include(first?.error, "may run code of the program")
        assert.strictEqual(second?.value, "3")
        yield* call("breakpoint.remove", { all: true })
        yield* call("break", { at, condition: "code" })
        const truth = yield* call("continue", {})
        assert.include(
          truth.warnings.map(({ message }) => message).join(),
          "the truth of Code may run code of the program"
        )
        yield* call("breakpoint.remove", { all: true })
        yield* call("break", { at, log: "{code.number} {plain.n}" })
        assert.strictEqual((yield* call("continue", {})).data.event, "exited")
        const { text } = (yield* call("output", {})).data
        assert.include(text, "may run code of the program")
        assert.include(text, "0 calls")
      })
    )
  )

  it.effect("containers of Python have no member that counts their elements", () =>
    denying(({ call }) =>
      Effect.gen(function* () {
        const { children, total } = (yield* call("expand", { target: "both" })).data
        assert.deepStrictEqual([children.map(({ name }) => name), total], [["0"], 1])
        assert.notInclude(JSON.stringify((yield* call("locals", {})).data), "len()")
      })
    )
  )
})
