/**
 * Variables in the frame of a function that has ended by a tail call. LLDB knows the frame from the call sites and has no address of it, so
 * it has no value of an argument on the stack, and no error. No type is shown as a value, on both LLDB backends.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { debugging, platform } from "../support/fixturePrograms.ts"
import { build, starting } from "../support/builtPrograms.ts"

const source = `struct pair { int eighth, other; };
volatile int sink;
struct pair global = {5, 6};
__attribute__((noinline)) int last(struct pair *p) {
  sink = p->eighth;
  return sink + 1;
}
__attribute__((noinline)) int tail(int a, int b, int c, int d, int e, int f, const char *seventh, int eighth, struct pair ninth) {
  sink = a + b + c + d + e + f + seventh[0] + eighth + ninth.other;
  return last(&global);
}
__attribute__((noinline)) int first(int n) { return tail(n, 2, 3, 4, 5, 6, "seven", 8, global) + 1; }
int main(int argc, char **argv) { return first(argc) - 7; }
`

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("a function that ended by a tail call", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`has no false values, under ${backend}`, () =>
      debugging((client) =>
        Effect.gen(function* () {
          const { call } = client
          const built = yield* build("tail.c", source, "cc", ["-O2"])
          yield* starting(client, built, backend, { break: ["tail.c:5"] })
          const { frames } = (yield* call("backtrace", {})).data
          const frame = frames.find((one) => one.function === "tail")?.index
          assert.isDefined(frame)
          const { variables } = (yield* call("locals", { frame, scope: ["args"] })).data
          const names = ["seventh", "eighth", "ninth"]
          const read = yield* Effect.forEach(names, (expression) =>
            call("print", { expressions: [expression], frame }).pipe(
              Effect.map(({ data }) => data.values[0]?.value ?? ""),
              Effect.catch((error) => Effect.succeed(`<error: ${error.message}>`))
            )
          )
          const values = variables.filter(({ name }) => names.includes(name)).map(({ value }) => value)
          for (const value of [...values, ...read]) assert.match(value, /<(?:unknown|error|optimized out)|^"seven"|^8$/)
        })
      )
    )
  }
})
