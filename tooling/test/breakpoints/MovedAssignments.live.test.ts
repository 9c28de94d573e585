/** `explain` in optimized code that assigns a variable before the access of the same line: no wrong pointer is named. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { compiled } from "../support/compiled.ts"
import { debugging, platform } from "../support/fixturePrograms.ts"

const text = `struct child { long first; struct child *next; int number; };
struct node { long first; struct node *next; struct child *child; };
__attribute__((noinline)) long same(struct node *n) {
  long sum = 0;
  while (n) { sum += (long)n->child->next; n = n->next; }
  return sum;
}
__attribute__((noinline)) long inside(struct node *n) {
  long sum = 0;
  while (n) { sum += n->child->number; n = n->next; }
  return sum;
}
int main(int argc, char **argv) {
  struct node n = {1, 0, 0};
  return argc > 1 ? inside(&n) : same(&n);
}
`

layer(platform, { excludeTestServices: true, timeout: "120 seconds" })("assignments that the compiler moved", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`are not taken for the pointer of an access (${backend})`, () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          const directory = yield* compiled(
            { "moved.c": text },
            ["clang", "-O1", "moved.c", "-o", "moved"],
            ["clang", "moved.c", "-o", "plain"]
          )
          const explained = Effect.fnUntraced(function* (program: string, args: ReadonlyArray<string>) {
            yield* start(`${directory}/${program}`, { backend, replace: true, args })
            const { facts = [] } = (yield* call("explain", {})).data
            return facts.flatMap(({ kind, text: shown }) => (kind === "expression" ? [shown] : []))
          })
          assert.deepStrictEqual(yield* explained("plain", []), ["n->child->next: n->child = NULL"])
          assert.deepStrictEqual(yield* explained("plain", ["inside"]), ["n->child->number: n->child = NULL"])
          // Clang has assigned n->next to n, which is NULL, before it reads through n->child.
          for (const args of [[], ["inside"]]) {
            for (const fact of yield* explained("moved", args)) assert.match(fact, /^n->child->/)
          }
        })
      )
    )
  }
})
