/** Whether a port is closed, by the kernel's list of listeners, without using up the one client of a server. */
import { NodeSocket } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { ByteSize, Effect, FileSystem, Layer, Option } from "effect"
import { AdapterSockets } from "../../src/index.ts"
import * as ListeningPorts from "../../src/process/ListeningPorts.ts"

const tcp = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:0539 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1161 1
   1: 0100007F:053A 0100007F:0539 01 00000000:00000000 00:00000000 00000000     0        0 1162 1
`

/** What the system says about a directory of a user. */
const ownedBy = (user: number): FileSystem.File.Info => ({
  type: "Directory",
  mode: 0o755,
  mtime: Option.none(),
  atime: Option.none(),
  birthtime: Option.none(),
  dev: 0n,
  ino: Option.none(),
  nlink: Option.none(),
  uid: Option.some(user),
  gid: Option.none(),
  rdev: Option.none(),
  size: ByteSize.bytes(0),
  blksize: Option.none(),
  blocks: Option.none()
})

const tcp6 = `  sl  local_address                         remote_address                        st
   0: 00000000000000000000000000000000:1F90 00000000000000000000000000000000:0000 0A
`

it("a table of the kernel lists listeners by their port", () => {
  for (const [table, port, expected] of [
    [tcp, 0x539, true],
    [tcp, 0x53a, false],
    [tcp, 0x39, false],
    [tcp6, 8080, true],
    ["", 8080, false]
  ] as const) {
    assert.strictEqual(ListeningPorts.hasListener(table, port), expected, `${port}`)
  }
})

it.effect.each([
  [0, 0x539, false],
  [1000, 0x539, true],
  [1000, 0x53a, false],
  [undefined, 0x539, false]
] as const)("for user %s port %s is another user's: %s", ([user, port, expected]) =>
  ListeningPorts.isForeign(port).pipe(
    Effect.map((isForeign) => assert.strictEqual(isForeign, expected)),
    Effect.provide(
      FileSystem.layerNoop({
        readFileString: (path) => Effect.succeed(path === "/proc/net/tcp" ? tcp : ""),
        ...(user === undefined ? {} : { stat: () => Effect.succeed(ownedBy(user)) })
      })
    )
  )
)

describe("a port", () => {
  /** Returns whether a port is closed, and how often it was connected to. */
  const check = (host: string, port: number, files: Readonly<Record<string, string>>, open = false) => {
    let connections = 0
    const sockets = Layer.succeed(AdapterSockets.AdapterSockets, {
      connect: () => {
        connections++
        return open ? Effect.die("not expected") : NodeSocket.makeNet({ host: "127.0.0.1", port: 1 })
      },
      open: () => Effect.die("no Unix socket"),
      listen: () => Effect.die("not used"),
      freePort: Effect.succeed(1)
    })
    return ListeningPorts.isClosed(host, port).pipe(
      Effect.map((closed) => [closed, connections]),
      Effect.provide([
        sockets,
        FileSystem.layerNoop({
          readDirectory: () => Effect.succeed(["all", "docker0"]),
          readFileString: (path) => {
            const text = path === "/proc/sys/net/ipv4/conf/all/route_localnet" ? "0\n" : files[path]
            return text === undefined ? Effect.die("absent") : Effect.succeed(text)
          }
        })
      ])
    )
  }

  const setting = "/proc/sys/net/ipv4/conf/docker0/route_localnet"
  const files = { "/proc/net/tcp": tcp, "/proc/net/tcp6": tcp6, [setting]: "0\n" }
  const forwarding = { ...files, [setting]: "1\n" }

  it.live("with a listener is not connected to", () =>
    Effect.gen(function* () {
      for (const host of ["localhost", "127.0.0.1", "[::1]"]) {
        assert.deepStrictEqual(yield* check(host, 0x539, files, true), [false, 0], host)
      }
    })
  )

  it.live("without a listener is closed and not connected to, because a server may begin to listen now", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* check("127.0.0.1", 0x53a, files, true), [true, 0])
    })
  )

  it.live("without a listener that may be forwarded is closed if a connection is refused", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* check("127.0.0.1", 0x53a, forwarding), [true, 1])
    })
  )

  it.live("of another machine is not examined", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* check("example.org", 0x53a, files, true), [false, 0])
    })
  )

  it.live("is not examined where the kernel has no such tables", () =>
    ListeningPorts.isClosed("127.0.0.1", 1).pipe(
      Effect.map((closed) => assert.isFalse(closed)),
      Effect.provide([
        FileSystem.layerNoop({}),
        Layer.succeed(AdapterSockets.AdapterSockets, {
          connect: () => Effect.die("not expected"),
          open: () => Effect.die("not expected"),
          listen: () => Effect.die("not used"),
          freePort: Effect.succeed(1)
        })
      ])
    )
  )
})
