import { assert, it } from "@effect/vitest"
import * as Sockets from "../../src/process/Sockets.ts"

/** Lines as Linux writes them (proc_pid_net(5)). */
const tcp = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 7001 1 0000000000000000 100 0 0 10 0
   1: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000        0 7002 1 0000000000000000 20 4 0 10 -1
`
const tcp6 = `  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0000000000000000FFFF00000100007F:C350 0000000000000000FFFF00000100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 7003 1 0000000000000000 20 4 0 10 -1
   1: B80D0120000000000000000001000000:01BB 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 7004 1 0000000000000000 100 0 0 10 0
`
const unix = `Num       RefCount Protocol Flags    Type St Inode Path
0000000000000000: 00000002 00000000 00010000 0001 01 8001 /run/a name
0000000000000000: 00000003 00000000 00000000 0001 03 8002
`

it("the addresses of sockets, as people write them", () => {
  assert.deepStrictEqual(Sockets.parse(tcp, "TCP"), [
    { protocol: "TCP", inode: "7001", local: "127.0.0.1:8080", listens: true },
    { protocol: "TCP", inode: "7002", local: "127.0.0.1:8080", remote: "127.0.0.1:50000", listens: false }
  ])
  assert.deepStrictEqual(
    Sockets.parse(tcp6, "TCP").map(({ local, remote }) => [local, remote]),
    [
      ["127.0.0.1:50000", "127.0.0.1:8080"],
      ["[2001:db8::1]:443", undefined]
    ]
  )
})

it("the paths of Unix sockets", () => {
  assert.strictEqual(Sockets.pathIn(unix, "8001"), "/run/a name")
  assert.isUndefined(Sockets.pathIn(unix, "8002"))
  assert.isUndefined(Sockets.pathIn(unix, "80"))
})
