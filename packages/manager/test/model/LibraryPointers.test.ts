/** Expressions for the pointers in objects of the C++ library. */
import { assert, it } from "@effect/vitest"
import * as LibraryPointers from "../../src/model/LibraryPointers.ts"

it("are those of smart pointers, vectors and spans of both libraries", () => {
  const arrow = "(*(decltype((p).operator->())*)&(p))"
  const index = "(*(decltype(&(p)[0])*)&(p))"
  const condition = "sizeof(p) == sizeof(void*)"
  assert.deepStrictEqual(LibraryPointers.of("std::shared_ptr<Node>", "p"), { pointer: arrow })
  assert.deepStrictEqual(LibraryPointers.of("const std::shared_ptr<Node> &", "p"), { pointer: arrow })
  assert.deepStrictEqual(LibraryPointers.of("std::__1::unique_ptr<Node>", "p"), { pointer: arrow, condition })
  assert.deepStrictEqual(LibraryPointers.of("std::unique_ptr<int[]>", "p"), { pointer: index, condition })
  assert.deepStrictEqual(LibraryPointers.of("std::vector<int> &", "p"), { pointer: index })
  assert.deepStrictEqual(LibraryPointers.of("std::span<const char>", "p"), { pointer: index })
})

it("are absent for other types: an iterator of a map has a pointer to a node", () => {
  for (const type of [
    "std::vector<bool>",
    "std::map<int, int>::iterator",
    "Node *",
    "my::shared_ptr<Node>",
    "std::deque<int>"
  ])
    assert.isUndefined(LibraryPointers.of(type, "p"), type)
})
