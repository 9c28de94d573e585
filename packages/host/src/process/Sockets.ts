/**
 * Describes the sockets of processes, by `/proc/PID/net` (proc_pid_net(5)): their addresses, and the other ends of TCP connections of this
 * machine. Only Linux has them. The files are read without blocking this thread.
 */
import * as Effect from "effect/Effect"
import { readFile } from "node:fs/promises"

/** A socket of a table of the kernel. `remote` is absent if it is not connected. */
export interface Socket {
  readonly protocol: "TCP" | "UDP"
  readonly inode: string
  readonly local: string
  readonly remote?: string
  readonly listens: boolean
}

/** The state of a socket that listens (`TCP_LISTEN` in the kernel). */
const listening = "0A"

/**
 * Returns the address of a table: the kernel writes words in the byte order of the machine, which is little-endian, and the port as a
 * number.
 */
const addressOf = (text: string): string => {
  const [digits = "", port = ""] = text.split(":")
  const words = digits.match(/.{8}/g) ?? []
  const bytes = words.flatMap((word) => (word.match(/../g) ?? []).toReversed().map((byte) => Number.parseInt(byte, 16)))
  const number = Number.parseInt(port, 16)
  const isMapped = bytes.length === 16 && bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255
  if (bytes.length === 4 || isMapped) return `${bytes.slice(-4).join(".")}:${number}`
  const groups = Array.from({ length: 8 }, (_, index) => (bytes[index * 2] ?? 0) * 256 + (bytes[index * 2 + 1] ?? 0))
  const plain = groups.map((group) => group.toString(16)).join(":")
  return `[${plain.replace(/(?:^|:)0(?::0)+(?::|$)/, "::")}]:${number}`
}

/** Returns the sockets of a table: `tcp`, `tcp6`, `udp` or `udp6`. */
export const parse = (text: string, protocol: Socket["protocol"]): ReadonlyArray<Socket> =>
  text
    .split("\n")
    .slice(1)
    .flatMap((line) => {
      const [, local, remote, state, , , , , , inode] = line.trim().split(/\s+/)
      if (local === undefined || remote === undefined || inode === undefined) return []
      const isConnected = /[1-9A-F].*:/.test(remote) && !remote.endsWith(":0000")
      return [
        {
          protocol,
          inode,
          local: addressOf(local),
          ...(isConnected ? { remote: addressOf(remote) } : {}),
          listens: protocol === "TCP" && state === listening
        }
      ]
    })

/** Returns the path of a Unix socket, from the table `unix`; undefined if it has none. */
export const pathIn = (text: string, inode: string): string | undefined => {
  const row = text.split("\n").find((line) => line.split(/\s+/)[6] === inode)
  return /^(?:\S+\s+){7}(.+)$/.exec(row ?? "")?.[1]
}

const table = (pid: number, name: string) =>
  Effect.tryPromise(() => readFile(`/proc/${pid}/net/${name}`, "latin1")).pipe(Effect.orElseSucceed(() => ""))

/** Returns the sockets in the network namespace of a process. */
const all = Effect.fnUntraced(function* (pid: number) {
  const found: Array<Socket> = []
  for (const name of ["tcp", "tcp6", "udp", "udp6"]) {
    found.push(...parse(yield* table(pid, name), name.startsWith("tcp") ? "TCP" : "UDP"))
  }
  return found
})

const inodeOf = (target: string) => /^socket:\[(\d+)\]$/.exec(target)?.[1]

const textOf = ({ listens, local, protocol, remote }: Socket): string =>
  `${protocol} ${local}${remote === undefined ? "" : ` to ${remote}`}${listens ? ", listening" : ""}`

/** Describes a socket that the kernel writes as `socket:[1234]`; undefined if it has no address. */
export const describe = Effect.fn("Sockets.describe")(function* (pid: number, target: string) {
  const inode = inodeOf(target)
  if (inode === undefined) return undefined
  const found = (yield* all(pid)).find((socket) => socket.inode === inode)
  if (found !== undefined) return textOf(found)
  const path = pathIn(yield* table(pid, "unix"), inode)
  return path === undefined ? undefined : `Unix socket ${path}`
})

/** Returns the other end of a TCP connection as the kernel writes it; undefined if this machine does not have it. */
export const peer = Effect.fn("Sockets.peer")(function* (pid: number, target: string) {
  const inode = inodeOf(target)
  if (inode === undefined) return undefined
  const sockets = (yield* all(pid)).filter(({ protocol, remote }) => protocol === "TCP" && remote !== undefined)
  const own = sockets.find((socket) => socket.inode === inode)
  const other = sockets.find(({ local, remote }) => local === own?.remote && remote === own?.local)
  return own === undefined || other === undefined || other.inode === "0" ? undefined : `socket:[${other.inode}]`
})
