// The user of the other end of a connection, from the kernel's list.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { connect, createServer } from "node:net"
import * as PeerUser from "../../src/http/PeerUser.ts"

// As Linux writes it on a little-endian machine: 127.0.0.1 is 0100007F, port 4711 is 1267, port 40000 is 9C40.
const head = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode"
const row = (local: string, remote: string, uid: number, inode = 1145) =>
  `   0: ${local} ${remote} 01 00000000:00000000 00:00000000 00000000  ${uid}        0 ${inode} 1 000000005f136033 100 0 0 10 0`

const text = (...rows: ReadonlyArray<string>) => [head, ...rows, ""].join("\n")

const ends = { address: "127.0.0.1", port: 40_000, localPort: 4711 }

describe("the user of a peer", () => {
  const peer = row("0100007F:9C40", "0100007F:1267", 1001)
  const server = row("0100007F:1267", "0100007F:9C40", 1000)

  it("is that of its own end of the connection", () => {
    assert.strictEqual(PeerUser.find(text(server, peer), ends), 1001)
  })

  it("is not that of a connection with another address or port", () => {
    const others = [
      row("0200007F:9C40", "0100007F:1267", 1000),
      row("0100007F:9C41", "0100007F:1267", 1000),
      row("0100007F:9C40", "0100007F:1268", 1000),
      row("0100007F:9C40", "0100007F:1267", 0, 0)
    ]
    assert.strictEqual(PeerUser.find(text(...others, peer), ends), 1001)
    assert.isUndefined(PeerUser.find(text(...others), ends))
  })

  it("is found for IPv6, and for IPv4 written as IPv6", () => {
    const one = `${"0".repeat(24)}01000000`
    assert.strictEqual(PeerUser.find(text(row(`${one}:9C40`, `${one}:1267`, 7)), { ...ends, address: "::1" }), 7)
    const mapped = "0000000000000000FFFF00000100007F"
    const listed = text(row(`${mapped}:9C40`, `${mapped}:1267`, 8))
    assert.strictEqual(PeerUser.find(listed, ends), 8)
    assert.strictEqual(PeerUser.find(listed, { ...ends, address: "::ffff:127.0.0.1" }), 8)
  })

  it("is not known for another machine, or without the list", () => {
    assert.isUndefined(PeerUser.find(text(peer), { ...ends, address: "10.0.0.1" }))
    assert.isUndefined(PeerUser.find("", ends))
  })
})

it.live("the user of a process of this user is this one, where the system tells", () =>
  Effect.gen(function* () {
    const own = yield* Effect.callback<Parameters<typeof PeerUser.of>[0]>((resume) => {
      const server = createServer((socket) => {
        const { localPort = 0, remoteAddress: address = "", remotePort: port = 0 } = socket
        resume(Effect.succeed({ address, port, localPort }))
      })
      server.listen(0, "127.0.0.1", () => {
        const place = server.address()
        if (typeof place === "object" && place !== null) client = connect(place.port, "127.0.0.1")
      })
      let client: ReturnType<typeof connect> | undefined
      return Effect.sync(() => {
        client?.destroy()
        server.close()
      })
    })
    assert.isFalse(yield* PeerUser.isOther(own))
  })
)
