import { assert, it } from "@effect/vitest"
import * as SharedMemory from "../../src/process/SharedMemory.ts"

const maps = `555555554000-555555555000 r--p 00000000 fe:00 2013 /bin/ledger
555555558000-555555559000 rw-p 00003000 fe:00 2013 /bin/ledger
7ffff7fbf000-7ffff7fc0000 rw-s 00000000 00:01 4096 /dev/zero (deleted)
7ffffffde000-7ffffffff000 rw-p 00000000 00:00 0 [stack]
`

it("finds the file of memory that other processes may have", () => {
  assert.strictEqual(SharedMemory.sharedFile(maps, 0x7ffff7fbf000n), "00:01 4096")
  assert.strictEqual(SharedMemory.sharedFile(maps, 0x7ffff7fbffffn), "00:01 4096")
  assert.isUndefined(SharedMemory.sharedFile(maps, 0x7ffff7fc0000n))
  assert.isUndefined(SharedMemory.sharedFile(maps, 0x555555558040n))
  assert.isUndefined(SharedMemory.sharedFile(maps, 0x7fffffffe000n))
})
