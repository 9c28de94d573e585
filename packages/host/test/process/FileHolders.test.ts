import { assert, it } from "@effect/vitest"
import * as FileHolders from "../../src/process/FileHolders.ts"

/** Lines as Linux writes them (proc_locks(5)). */
const locks = `1: FLOCK  ADVISORY  WRITE 708 08:01:131 0 EOF
1: -> FLOCK  ADVISORY  WRITE 719 08:01:131 0 EOF
2: FLOCK  ADVISORY  READ 801 08:01:140 0 EOF
3: FLOCK  ADVISORY  READ 802 08:01:140 0 EOF
4: POSIX  ADVISORY  WRITE 900 08:01:150 0 EOF
5: POSIX  ADVISORY  WRITE 901 08:01:160 0 99
6: POSIX  ADVISORY  WRITE 902 08:01:170 0 EOF
7: POSIX  ADVISORY  READ 903 08:01:170 100 200
8: OFDLCK ADVISORY  WRITE -1 08:01:180 0 EOF
9: FLOCK  ADVISORY  WRITE 904 00:2a:131 0 EOF
`

const holders = (inode: string, kind: "flock" | "fcntl", device = "08:01") =>
  FileHolders.parseLocks(locks, { device, inode }, kind)

it("the processes that hold a lock of a file", () => {
  assert.deepStrictEqual(holders("131", "flock"), [708])
  assert.deepStrictEqual(holders("131", "flock", "00:2a"), [904])
  assert.deepStrictEqual(holders("140", "flock"), [801, 802])
  assert.deepStrictEqual(holders("150", "fcntl"), [900])
  assert.deepStrictEqual(holders("150", "flock"), [])
  assert.deepStrictEqual(holders("13", "flock"), [])
})

it("are unknown for locks of parts of a file, and of open files without a process", () => {
  assert.deepStrictEqual(holders("160", "fcntl"), [])
  assert.deepStrictEqual(holders("170", "fcntl"), [])
  assert.deepStrictEqual(holders("180", "fcntl"), [])
})
