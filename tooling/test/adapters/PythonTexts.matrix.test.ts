/**
 * Showing values of Python runs no code of the program: no property when members or completions are listed, and with `--deny eval` no
 * `__repr__`, `__str__`, `__hash__` or `__setattr__` either. The program counts the calls. Expected members and texts follow the source
 * of the program.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { debugging, platform } from "../support/fixturePrograms.ts"
import { needs } from "../support/fixtures.ts"

const source = `import collections, enum
calls = 0
def called(*ignored):
    global calls
    calls += 1
    return 1
class Code:
    kind = "k"
    number = property(called)
    class Field:
        __get__ = called
        __set__ = called
    field = Field()
    __repr__ = __str__ = lambda self: "text %d" % called()
    __hash__ = __len__ = called
    __eq__ = __setitem__ = called
    __dir__ = lambda self: ["x%d" % called()]
    __iter__ = lambda self: iter([called()])
    def __getattr__(self, name):
        called()
        raise AttributeError(name)
    def __setattr__(self, name, value):
        called()
        object.__setattr__(self, name, value)
class Asked:
    def __getattribute__(self, name):
        called()
        return object.__getattribute__(self, name)
class Own(dict):
    items = __iter__ = lambda self: called()
class Slots:
    __slots__ = ("a", "b")
class Failure(Exception):
    __str__ = __repr__ = lambda self: "failed %d" % called()
class Color(enum.Enum):
    RED = 1
Pair = collections.namedtuple("Pair", "x y")
class Plain:
    pass
def fail():
    try:
        raise Failure("a", 1)
    except Failure:
        pass
def work(i):
    code, asked, own, slots, plain = Code(), Asked(), Own(a=1), Slots(), Plain()
    code.n, slots.a, plain.b = 7, 8, 9
    keyed, both, named, color = {code: code, "a": 1}, [code, asked, (code,)], Pair(1, [code]), Color.RED
    error, pair, counted, text = ValueError("bad"), Failure("b"), collections.Counter("aab"), "it's"
    queue, bounded, empty = collections.deque([1, 2]), collections.deque([1, [2]], maxlen=3), collections.deque((), 0)
    def inner(): return i
    chosen, callback, callbacks = Code, work, [fail, len, Plain, inner]
    calls_before = calls
    return i
work(0)
fail()
print(calls, "calls")
`
const lines = source.split("\n")
const line = lines.indexOf("    return i") + 1
const address = /0x[0-9a-f]+/g

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("values of Python are shown", (it) => {
  const started = (
    deny: ReadonlyArray<"eval">,
    test: (client: Parameters<Parameters<typeof debugging>[0]>[0]) => Effect.Effect<void, unknown>
  ) =>
    debugging((client) =>
      Effect.gen(function* () {
        yield* needs("debugpy", "python3-debugpy")
        const fs = yield* FileSystem.FileSystem
        const program = `${yield* fs.makeTempDirectoryScoped()}/texts.py`
        yield* fs.writeFileString(program, source)
        yield* client.start(program, { deny, break: [`texts.py:${line}`] })
        yield* test(client)
      })
    )
  type Call = Parameters<Parameters<typeof debugging>[0]>[0]["call"]
  const membersOf = (call: Call, target: string) =>
    Effect.map(call("expand", { target }), ({ data }) =>
      data.children.map(({ name, value }) => `${name} = ${value}`.replaceAll(address, "AT"))
    )
  const calls = (call: Call) =>
    Effect.map(call("print", { expressions: ["calls"] }), ({ data }) => data.values[0]?.value)

  it.effect("members and completions run no property", () =>
    started([], ({ call }) =>
      Effect.gen(function* () {
        const before = yield* calls(call)
        assert.deepStrictEqual(yield* membersOf(call, "plain"), ["b = 9"])
        assert.deepStrictEqual(yield* membersOf(call, "slots"), ["a = 8"])
        assert.deepStrictEqual(yield* membersOf(call, "color"), [
          "name = 'RED'",
          "value = 1",
          "_name_ = 'RED'",
          "_sort_order_ = 0",
          "_value_ = 1"
        ])
        assert.strictEqual(yield* calls(call), before)
        const { completions } = (yield* call("complete", { text: "code." })).data
        assert.includeMembers(
          completions.map(({ text }) => text),
          ["code.field", "code.kind", "code.n", "code.number"]
        )
        const shown = (yield* membersOf(call, "code")).map((one) => one.replace(/text \d+/, "text"))
        assert.deepStrictEqual(shown, ["field = [Property]", "kind = 'k'", "n = 7", "number = [Property]"])
        assert.includeMembers(yield* membersOf(call, "named"), ["x = 1", "0 = 1"])
        assert.strictEqual((yield* call("print", { expressions: ["code.number"] })).data.values[0]?.value, "1")
        const { values } = (yield* call("print", { expressions: ["queue", "bounded", "empty"] })).data
        assert.deepStrictEqual(
          values.map(({ value }) => value),
          ["deque([1, 2])", "deque([1, [2]], maxlen=3)", "deque([], maxlen=0)"]
        )
      })
    )
  )

  for (const deny of [[], ["eval"]] as const)
    it.effect(
      `a function or class is hidden under its own name only${deny.length === 0 ? "" : ", also without code"}`,
      () =>
        started(deny, ({ call }) =>
          Effect.gen(function* () {
            const { variables } = (yield* call("locals", {})).data
            const texts = new Map(variables.map(({ name, value }) => [name, value.replaceAll(address, "AT")]))
            assert.strictEqual(texts.get("chosen"), "<class '__main__.Code'>")
            assert.strictEqual(texts.get("callback"), "<function work at AT>")
            assert.isFalse(texts.has("inner"))
            const functions = (yield* membersOf(call, "callbacks")).filter((one) => !one.startsWith("len()"))
            assert.deepStrictEqual(functions, [
              "0 = <function fail at AT>",
              "1 = <built-in function len>",
              "2 = <class '__main__.Plain'>",
              "3 = <function work.<locals>.inner at AT>"
            ])
            const module = (yield* call("locals", { frame: 1 })).data.variables.map(({ name }) => name)
            assert.notIncludeMembers(module, ["work", "Code", "Pair", "fail"])
          })
        )
    )

  it.effect("a session that forbids code shows values without their own texts", () =>
    started(["eval"], ({ call }) =>
      Effect.gen(function* () {
        const before = yield* calls(call)
        const { variables } = (yield* call("locals", {})).data
        const texts = Object.fromEntries(variables.map(({ name, value }) => [name, value.replaceAll(address, "AT")]))
        const code = "<__main__.Code object at AT>"
        assert.deepInclude(texts, {
          code,
          asked: "<__main__.Asked object at AT>",
          both: `[${code}, <__main__.Asked object at AT>, (${code},)]`,
          bounded: "deque([1, [2]], maxlen=3)",
          color: "<Color.RED: 1>",
          empty: "deque([], maxlen=0)",
          counted: "Counter({'a': 2, 'b': 1})",
          error: "ValueError('bad')",
          keyed: `{${code}: ${code}, 'a': 1}`,
          named: `Pair(1, [${code}])`,
          own: "<__main__.Own object at AT>",
          pair: "Failure('b')",
          queue: "deque([1, 2])",
          text: `"it's"`
        })
        assert.deepStrictEqual(yield* membersOf(call, "code"), [
          "field = [Property]",
          "kind = 'k'",
          "n = 7",
          "number = [Property]"
        ])
        assert.deepStrictEqual(yield* membersOf(call, "keyed"), [`${code} = ${code}`, "'a' = 1"])
        assert.deepStrictEqual((yield* membersOf(call, "named")).slice(-2), ["0 = 1", `1 = [${code}]`])
        yield* call("complete", { text: "code.nu" })
        for (const [target, value] of [
          ["code.n", "1"],
          ["code.field", "1"],
          ["keyed['a']", "2"],
          ["asked", "1"],
          ["asked.z", "1"]
        ] as const)
          assert.include(
            (yield* Effect.flip(call("set", { target, value }))).message,
            "may run code of the program",
            target
          )
        yield* call("set", { target: "plain.b", value: "3" })
        assert.deepStrictEqual(yield* membersOf(call, "plain"), ["b = 3"])
        assert.strictEqual(yield* calls(call), before)
      })
    )
  )

  it.effect("a session that forbids code describes exceptions without their own texts", () =>
    started(["eval"], ({ call }) =>
      Effect.gen(function* () {
        const before = yield* calls(call)
        yield* call("catch", { filter: "raised" })
        assert.deepInclude((yield* call("continue", {})).data, { reason: "exception" })
        const { data } = yield* call("exception", {})
        assert.strictEqual(data.message, "Failure('a', 1)")
        yield* call("catch.remove", { filter: "raised" })
        yield* call("continue", {})
        assert.include((yield* call("output", {})).data.text, `${before} calls`)
      })
    )
  )
})
