/** The descriptors in the arguments of `poll` and `select`. */
import { assert, it } from "@effect/vitest"
import * as PolledFiles from "../../../src/operations/waits/PolledFiles.ts"

it("reads the descriptors of an array without the ignored ones, and of a set of bits", () => {
  const entries = [3, 0, 0, 0, 1, 0, 0, 0, 255, 255, 255, 255, 1, 0, 0, 0, 0, 1, 0, 0, 4, 0, 0, 0]
  assert.deepStrictEqual(PolledFiles.inArray(Uint8Array.from(entries)), [3, 256])
  assert.deepStrictEqual(PolledFiles.inSet(Uint8Array.from([0b1000_0001, 0b10]), 10), [0, 7, 9])
  // Bits after the count belong to no descriptor of the call.
  assert.deepStrictEqual(PolledFiles.inSet(Uint8Array.from([0b1000_0001, 0b10]), 9), [0, 7])
})
