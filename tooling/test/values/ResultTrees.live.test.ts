/**
 * Members far inside the result of an expression, behind pointers to objects that point to each other, on both LLDB backends. A tree from the
 * result would have each object as often as a way leads to it.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { debugging, platform } from "../support/fixturePrograms.ts"
import { build, starting } from "../support/builtPrograms.ts"

const source = `
struct Base { virtual ~Base() {} int kind = 4; };
struct Room : Base { int number; Room *left, *right; Base *owner; };
int main() {
  Room rooms[10];
  for (int i = 0; i < 10; i++) {
    rooms[i].number = 100 + i;
    rooms[i].left = &rooms[(i + 9) % 10];
    rooms[i].right = &rooms[(i + 1) % 10];
    rooms[i].owner = &rooms[(i + 5) % 10];
  }
  Room *first = rooms;
  return first->number == 0;
}
`

interface Node {
  readonly name: string
  readonly value?: string | undefined
  readonly children?: ReadonlyArray<Node> | undefined
}

const inside = (node: Node | undefined, ...names: ReadonlyArray<string>): string | undefined =>
  names.reduce<Node | undefined>((one, name) => one?.children?.find((child) => child.name === name), node)?.value

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("the result of an expression", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`has its members behind pointers, under ${backend}`, () =>
      debugging((client) =>
        Effect.gen(function* () {
          const built = yield* build("rooms.cpp", source, "g++", ["-O0"])
          yield* starting(client, built, backend, { break: ["rooms.cpp:13"] })
          const { values } = (yield* client.call("print", { expressions: ["(first + 1)"], depth: 4 })).data
          const [room] = values
          assert.strictEqual(inside(room, "right", "right", "left", "number"), "102")
          assert.strictEqual(inside(room, "owner", "right", "number"), "107")
          assert.strictEqual(inside(room, "right", "owner", "Base", "kind"), "4")
        })
      )
    )
  }
})
