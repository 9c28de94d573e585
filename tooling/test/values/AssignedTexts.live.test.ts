/** Texts that are assigned to pointers: the program reads each of them when it runs on. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { compiled } from "../support/compiled.ts"
import { debugging, platform } from "../support/fixturePrograms.ts"

const suite = layer(platform, { excludeTestServices: true, timeout: "120 seconds" })

const text = `#include <stdio.h>
#include <wchar.h>
struct item { const char *name; unsigned char *raw; const wchar_t *wide; };
int main(void) {
  struct item item = {"old", 0, L"old"}, *pointer = &item;
  const char *names[2] = {"a", "b"};
  int count = 0; // here
  for (const wchar_t *at = item.wide; *at; at++) count += *at;
  printf("%s|%s|%d|%s|%s\\n", item.name, (char *)pointer->raw, count, names[0], names[1]);
  return 0;
}
`

suite("a text", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`stays in the program after its assignment to a pointer, without running code (${backend})`, () =>
      debugging(({ call, environment }) =>
        Effect.gen(function* () {
          const cwd = yield* compiled({ "texts.c": text }, ["cc", "-g", "-O0", "-o", "texts", "texts.c"])
          const line = text.split("\n").findIndex((one) => one.includes("// here")) + 1
          const program = { program: `${cwd}/texts`, backend, environment }
          yield* call("start", { ...program, break: [`texts.c:${line}`], deny: ["eval"] })
          for (const [target, value] of [
            ["item.name", '"new"'],
            ["pointer->raw", '"a \\"b\\"\\x43\\104"'],
            ["item.wide", 'L"\\u00e9!"'],
            ["names[1]", '"Bé"']
          ] as const) {
            yield* call("set", { target, value })
          }
          const { data } = yield* call("print", { expressions: ["item.name", "names[1]"] })
          assert.deepStrictEqual(
            data.values.map(({ value = "" }) => value.replace(/^0x[\da-f]+ /, "")),
            ['"new"', '"Bé"']
          )
          assert.deepInclude((yield* call("continue", {})).data, { event: "exited", exit_code: 0 })
          const output = yield* call("output", { channel: ["stdout"] })
          assert.strictEqual(output.data.text, `new|a "b"CD|${0xe9 + 33}|a|Bé\n`)

          yield* call("start", { ...program, replace: true, break: [`texts.c:${line}`] })
          yield* call("eval", { expression: 'item.name = "first"' })
          yield* call("eval", { expression: 'names[0] = "second"' })
          assert.deepInclude((yield* call("continue", {})).data, { event: "exited", exit_code: 0 })
          const evaluated = yield* call("output", { channel: ["stdout"] })
          assert.match(evaluated.data.text, /^first\|.*\|second\|b\n$/)
        })
      ).pipe(Effect.scoped)
    )
  }
})
