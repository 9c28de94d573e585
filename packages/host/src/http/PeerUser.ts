/**
 * The user of the process at the other end of a loopback connection.
 *
 * Every user of the machine can connect to a loopback port. On Linux the kernel lists the connections with their users in
 * `/proc/net/tcp` (see proc_net_tcp(5)); other systems have no such list.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { readFile } from "node:fs/promises"
import { isIPv4 } from "node:net"
import { endianness } from "node:os"

/** A connection to a server: address and port of the other end, and the port of the server. */
export const Ends = Schema.Struct({ address: Schema.String, port: Schema.Int, localPort: Schema.Int })
/** A connection to a server. */
export type Ends = typeof Ends.Type

/** A row of the list: both ends as the kernel writes them, the user, and the number of the socket (0 if no process has it). */
interface Row {
  readonly local: string
  readonly remote: string
  readonly uid: number
  readonly inode: number
}

const rowOf = (line: string): Row | undefined => {
  const [, local, remote, , , , , uid, , inode] = line.trim().split(/\s+/)
  return local === undefined || remote === undefined || inode === undefined
    ? undefined
    : { local, remote, uid: Number(uid), inode: Number(inode) }
}

const hexPort = (port: number): string => port.toString(16).toUpperCase().padStart(4, "0")

/** Returns bytes as the kernel writes an address: 32-bit words in the byte order of the machine. */
const hexWords = (bytes: ReadonlyArray<number>): string => {
  const buffer = Buffer.from(bytes)
  if (endianness() === "LE") buffer.swap32()
  return buffer.toString("hex").toUpperCase()
}

/** Returns the forms in which the kernel may write a loopback address: as IPv4, and as IPv4 in IPv6. None for another address. */
const formsOf = (address: string): ReadonlyArray<string> => {
  if (address === "::1") return [hexWords([...Array.from({ length: 15 }, () => 0), 1])]
  const v4 = address.replace(/^::ffff:/, "")
  if (!isIPv4(v4) || !v4.startsWith("127.")) return []
  const bytes = v4.split(".").map(Number)
  return [hexWords(bytes), hexWords([...Array.from({ length: 10 }, () => 0), 255, 255, ...bytes])]
}

/**
 * Returns the user of the other end of a connection from a text of `/proc/net/tcp`; undefined if the text has no such loopback
 * connection. A socket that no process has any more has no user.
 */
export const find = (text: string, { address, localPort, port }: Ends): number | undefined => {
  const locals = formsOf(address).map((form) => `${form}:${hexPort(port)}`)
  const remote = `:${hexPort(localPort)}`
  return text
    .split("\n")
    .map(rowOf)
    .find((row) => row !== undefined && row.inode !== 0 && locals.includes(row.local) && row.remote.endsWith(remote))
    ?.uid
}

/** Returns the user of the other end; undefined if the system does not tell. */
export const of = (ends: Ends): Effect.Effect<number | undefined> =>
  Effect.promise(async () => {
    for (const file of ["/proc/net/tcp", "/proc/net/tcp6"]) {
      const text = await readFile(file, "latin1").catch(() => "")
      const found = find(text, ends)
      if (found !== undefined) return found
    }
    return undefined
  })

/** True if a process of another user is at the other end. Root may be: it can read everything of this user anyway. */
export const isOther = (ends: Ends): Effect.Effect<boolean> =>
  Effect.map(of(ends), (uid) => uid !== undefined && uid !== 0 && uid !== process.geteuid?.())
