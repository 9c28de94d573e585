/** Marks of changed values whose text is cut, on both LLDB backends; the program's source says what each step changes. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { debugging, platform, Programs } from "../support/fixturePrograms.ts"
import { build, starting } from "../support/builtPrograms.ts"

const recursion = `struct node {
  int value;
  int other;
  node *next;
};

static int walk(node *p, int depth)
{
  p->value += 5;
  p->other = p->value;
  if (p->next != nullptr)
    depth += walk(p->next, depth + 1);
  p->value = 0;
  return depth;
}

int main()
{
  node last{1, 2, nullptr}, first{10, 20, &last};
  return walk(&first, 0);
}
`

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("changed values", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`are found beyond the cut of their text, and no other is marked, under ${backend}`, () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          const { line } = yield* Programs
          yield* start("changes", { backend, break: [`changes.cpp:${line("changes.cpp", "first")}`] })
          const seen: Array<ReadonlyArray<string>> = []
          const old: Array<string | undefined> = []
          for (let time = 0; time < 7; time++) {
            const changed = (yield* call("next", {})).data.locals?.filter((one) => one.changed === true) ?? []
            seen.push(changed.map(({ name }) => name))
            old.push(changed.find(({ name }) => name === "n")?.old)
          }
          assert.deepStrictEqual(seen, [["n"], ["p"], ["n"], ["p"], ["n"], ["big"], ["n"]])
          assert.deepStrictEqual(
            old.filter((text) => text !== undefined),
            ["0", "1", "2", "3"]
          )
          const { vars } = (yield* call("changed", {})).data
          assert.deepStrictEqual(
            vars.map(({ name }) => name),
            ["n"]
          )
          const before = (yield* call("registers", { names: ["rip"] })).data.groups[0]?.registers[0]
          yield* call("stepi", {})
          const after = (yield* call("registers", { names: ["rip"] })).data.groups[0]?.registers[0]
          assert.deepStrictEqual([after?.changed, after?.old], [true, before?.value])
        })
      )
    )

    it.effect(
      `of members are found in the frame of their value, and in no other call of its function, under ${backend}`,
      () =>
        debugging((client) =>
          Effect.gen(function* () {
            const { call } = client
            const built = yield* build("walk.cpp", recursion, "g++", ["-O0"])
            yield* starting(client, built, backend, { break: ["walk.cpp:9"] })
            const members = (frame = 0) =>
              Effect.map(call("expand", { target: "p", frame }), ({ data }) =>
                data.children.map(({ changed, name, old, value }) =>
                  name === "next" ? name : `${name} ${value}${changed === true ? ` was ${old ?? "?"}` : ""}`
                )
              )
            assert.deepStrictEqual(yield* members(), ["value 10", "other 20", "next"])
            yield* call("next", {})
            assert.deepStrictEqual(yield* members(), ["value 15 was 10", "other 20", "next"])
            yield* call("next", {})
            assert.deepStrictEqual(yield* members(), ["value 15", "other 15 was 20", "next"])
            // In the inner call `p` is another variable, which was not read before.
            yield* call("continue", {})
            assert.deepStrictEqual(yield* members(), ["value 1", "other 2", "next"])
            assert.deepStrictEqual(yield* members(1), ["value 15", "other 15", "next"])
            yield* call("breakpoint.remove", { ids: ["all"] })
            yield* call("finish", {})
            yield* call("next", {})
            yield* call("next", {})
            assert.deepStrictEqual(yield* members(), ["value 0 was 15", "other 15", "next"])
          })
        )
    )
  }
})
