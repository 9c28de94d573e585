/** Expressions that LLDB 19 cannot compile without a crash: in member functions, and with certain classes that gcc built. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { compiled } from "../support/compiled.ts"
import { debugging, platform, Programs } from "../support/fixturePrograms.ts"
import { hasWatchpoints } from "../support/tools.ts"

const empty = `#include <optional>
#include <string>
int main(int argc, char **argv) {
  std::optional<std::string> text;
  if (argc > 5) text = argv[1];
  return text->size() + (*text)[0];
}
`

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("expressions that LLDB cannot compile", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`are computed from their variables, and conditions hold where they should (${backend})`, () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          const { line } = yield* Programs
          const at = (mark: string) => `uncompiled.cpp:${line("uncompiled.cpp", mark)}`
          const started = yield* start("uncompiled", {
            backend,
            break: [`${at("add")} if amount == 2 && total == 1`, `${at("twice")} if cart.total == 6`]
          })
          const found = (expressions: readonly [string, ...ReadonlyArray<string>]) =>
            Effect.map(call("print", { expressions }), ({ data }) =>
              data.values.map(({ error, value }) => error?.code ?? value)
            )
          assert.deepInclude(started.data, { breakpoints: [1], hit_counts: [1] })
          assert.deepStrictEqual(
            yield* found(["total + amount", "this->total", "owner->size()", "amount > 1", "sizeof(total)", "nosuch"]),
            ["3", "1", "2", "true", "4", "VARIABLE_NOT_FOUND"]
          )
          const isWatching = hasWatchpoints()
          if (isWatching) {
            yield* call("watch", { expression: "total" })
            assert.deepInclude((yield* call("continue", {})).data.watch, { old: "1", new: "3" })
          } else yield* call("next", {})
          yield* call("set", { target: "total", value: "2" })
          assert.deepStrictEqual(yield* found(["total"]), ["2"])
          yield* call("set", { target: "total", value: "3" })
          if (isWatching) yield* call("breakpoint.remove", { ids: [3] })
          const last = (yield* call("continue", {})).data
          assert.deepInclude(last, { breakpoints: [2], hit_counts: [1] })
          assert.deepStrictEqual(yield* found(["factor", "cart.total * factor"]), ["3", "18"])
          assert.deepInclude((yield* call("continue", {})).data, { event: "exited", exit_code: 0 })
        })
      )
    )

    it.effect(`do not end LLDB at a crash whose line has such a class (${backend})`, () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          const directory = yield* compiled(
            { "empty.cpp": empty },
            ["g++", "-std=c++17", "empty.cpp", "-o", "plain"],
            ["g++", "-std=c++17", "-O2", "empty.cpp", "-o", "optimized"]
          )
          for (const program of ["plain", "optimized"]) {
            yield* start(`${directory}/${program}`, { backend, replace: true })
            assert.match((yield* call("explain", {})).data.summary, /^SIGSEGV reading 1 byte at NULL/)
            for (const expression of ["text->size()", "(*text)[0]", "&(text->size)", "text->nothing", "text"]) {
              yield* Effect.exit(call("print", { expressions: [expression] }))
              yield* Effect.exit(call("print", { expressions: [expression], format: "hex" }))
            }
            assert.strictEqual((yield* call("status", {})).data.state, "stopped")
          }
        })
      )
    )
  }
})
