/** Cycles of threads that wait for each other. */
import { assert, it } from "@effect/vitest"
import * as WaitCycles from "../../../src/model/waits/WaitCycles.ts"

it("finds each cycle once, in the order of waiting, and no chain", () => {
  const check = (edges: ReadonlyArray<readonly [number, number]>, cycles: ReadonlyArray<ReadonlyArray<number>>) =>
    assert.deepStrictEqual(WaitCycles.of(new Map(edges)), cycles)
  check([], [])
  check([[1, 2]], [])
  check(
    [
      [1, 2],
      [2, 3]
    ],
    []
  )
  check([[1, 1]], [[1]])
  check(
    [
      [2, 1],
      [1, 2]
    ],
    [[1, 2]]
  )
  check(
    [
      [3, 1],
      [1, 2],
      [2, 3]
    ],
    [[1, 2, 3]]
  )
  // Threads that wait for a thread in a cycle are not in it.
  check(
    [
      [1, 5],
      [9, 5],
      [5, 7],
      [7, 5]
    ],
    [[5, 7]]
  )
  check(
    [
      [1, 2],
      [2, 1],
      [3, 4],
      [4, 3]
    ],
    [
      [1, 2],
      [3, 4]
    ]
  )
})
