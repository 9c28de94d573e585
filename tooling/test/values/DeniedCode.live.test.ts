/**
 * Conditions and messages that run code of the program, in a session that forbids it. The program counts the calls of its operators and
 * writes the number at its end.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { debugging, platform } from "../support/fixturePrograms.ts"
import { build, starting } from "../support/builtPrograms.ts"

const source = `#include <cstdio>
#include <stdexcept>
static int calls;
struct Problem : std::exception {
  const char *what() const noexcept override { ++calls; return "own text"; }
};
struct Number {
  int value;
  bool operator==(int other) const { ++calls; return value == other; }
  operator bool() const { ++calls; return value > 0; }
  __attribute__((used)) Number &operator=(int other) { ++calls; value = other; return *this; }
};
enum Colour { red, green };
int work(int i) {
  Number number{i};
  Colour colour = i == 2 ? green : red;
  char letter = i == 3 ? 'x' : 0;
  return number.value + colour + letter;
}
int main() {
  int sum = 0;
  for (int i = 0; i < 8; i++) sum += work(i);
  try { throw Problem(); } catch (const Problem &) { }
  try { throw std::runtime_error("plain"); } catch (const std::exception &) { }
  printf("%d calls, sum %d\\n", calls, sum);
}
`

const place = "denied.cpp:18"

layer(platform, { excludeTestServices: true, timeout: "120 seconds" })(
  "in a session that forbids to run code",
  (it) => {
    for (const backend of ["dap", "lldb-cli"] as const) {
      const denying = (
        test: (client: Parameters<Parameters<typeof debugging>[0]>[0]) => Effect.Effect<void, unknown>
      ) =>
        debugging((client) =>
          Effect.gen(function* () {
            const built = yield* build("denied.cpp", source, "g++", ["-O0"])
            yield* starting(client, built, backend, { break: ["main"], deny: ["eval"] })
            yield* test(client)
          })
        )

      it.effect(`conditions, messages, --eval and exceptions run no function, under ${backend}`, () =>
        denying(({ call }) =>
          Effect.gen(function* () {
            for (const condition of ["number == 2", "number"]) {
              yield* call("break", { at: place, condition })
              const { data, warnings } = yield* call("continue", {})
              assert.strictEqual(data.reason, "breakpoint", condition)
              assert.include(warnings.map(({ message }) => message).join(), "it may run code of the program", condition)
              const stepped = yield* call("next", { eval: ["number == 2"] })
              assert.include(stepped.data.evaluations?.[0]?.error ?? "", "it may run code of the program")
              const assigned = yield* Effect.flip(call("set", { target: "number", value: "5" }))
              assert.include(assigned.message, "it may run code of the program")
              yield* call("breakpoint.remove", { all: true })
              const traced = yield* call("trace", { specs: [`${place} if ${condition} :: {i}`] })
              assert.include(traced.warnings.map(({ message }) => message).join(), "it may run code of the program")
            }
            const before = (yield* call("break", { at: place, eval: ["number == 1", "i"] })).data.id
            const { evaluations = [] } = (yield* call("continue", { eval: ["number == 3", "number.value"] })).data
            const turn = (yield* call("print", { expressions: ["i"] })).data.values[0]?.value
            for (const { error, expression, value } of evaluations) {
              if (!expression.includes("==")) assert.strictEqual(value, turn, expression)
              else assert.include(error, "it may run code of the program", expression)
            }
            assert.lengthOf(evaluations, 4)
            yield* call("breakpoint.remove", { ids: [before] })
            yield* call("break", { at: place, log: "{number == 2}" })
            yield* call("catch", { filter: "throw" })
            assert.isUndefined((yield* call("continue", {})).data.exception?.message)
            const standard = (yield* call("continue", {})).data.exception
            assert.deepInclude(standard, { type: "std::runtime_error", message: "plain" })
            assert.strictEqual((yield* call("continue", {})).data.event, "exited")
            const { text } = (yield* call("output", {})).data
            assert.include(text, "0 calls, sum 149")
            assert.include(text, "it may run code of the program")
          })
        )
      )

      it.effect(`other conditions hold where they are true, under ${backend}`, () =>
        denying(({ call }) =>
          Effect.gen(function* () {
            const traced = yield* call("trace", { specs: [`${place} if i % 2 == 0 :: {i}`], max: 2 })
            assert.deepStrictEqual(
              traced.data.last.map(({ values }) => values["i"]),
              ["0", "2"]
            )
            yield* call("restart", {})
            for (const [condition, i] of [
              ["i == 1", "1"],
              ["colour", "2"],
              ["letter", "3"]
            ] as const) {
              yield* call("break", { at: place, condition })
              const { data, warnings } = yield* call("continue", {})
              assert.strictEqual(data.locals?.find(({ name }) => name === "i")?.value, i, condition)
              assert.deepStrictEqual(warnings, [])
              yield* call("set", { target: "i", value: "7" })
            }
            assert.strictEqual((yield* call("continue", {})).data.event, "exited")
          })
        )
      )
    }
  }
)
