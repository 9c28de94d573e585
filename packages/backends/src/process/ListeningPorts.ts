/**
 * Finds out whether a server listens on a port.
 *
 * Most debug servers accept one client only, so a test connection would take the place of the debugger, also that to a server
 * that has begun to listen just before it. So the kernel's list of listeners decides (Linux). A connection is tried only if the
 * list has none and the kernel may forward ports of this machine, such as those of a container.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import { AdapterSockets } from "./AdapterSockets.ts"

/** Matches hosts that are this machine. */
const local = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i

/** The kernel's tables of TCP sockets. */
const tables = ["/proc/net/tcp", "/proc/net/tcp6"]

/** The directory whose owner is the user of this process (Linux). */
const ownDirectory = "/proc/self"

/** State of a listening socket in the tables. */
const listening = "0A"

/** True if a table of the kernel has a listener on a port; see proc(5). */
export const hasListener = (table: string, port: number): boolean => {
  const hex = port.toString(16).toUpperCase().padStart(4, "0")
  return table.split("\n").some((line) => {
    const [, address = "", , state] = line.trim().split(/\s+/)
    return state === listening && address.endsWith(`:${hex}`)
  })
}

/** Returns the numbers of the users whose sockets listen on a port; see proc(5). */
const listenerUsers = (table: string, port: number): ReadonlyArray<number> => {
  const hex = port.toString(16).toUpperCase().padStart(4, "0")
  return table.split("\n").flatMap((line) => {
    const [, address = "", , state, , , , user] = line.trim().split(/\s+/)
    return state === listening && address.endsWith(`:${hex}`) ? [Number(user)] : []
  })
}

/** Returns the kernel's tables of TCP sockets that can be read. */
const tableTexts = Effect.fnUntraced(function* (fs: FileSystem.FileSystem) {
  const texts = yield* Effect.forEach(tables, (file) => Effect.option(fs.readFileString(file)))
  return texts.flatMap((text) => (text._tag === "Some" ? [text.value] : []))
})

/**
 * Returns whether another user of this machine listens on a port. A server of this user that was just connected to has one
 * listener, which is this user's. False if the kernel does not say (macOS).
 */
export const isForeign = Effect.fnUntraced(function* (port: number) {
  const fs = yield* FileSystem.FileSystem
  const own = Option.flatMap(yield* Effect.option(fs.stat(ownDirectory)), ({ uid }) => uid)
  const users = (yield* tableTexts(fs)).flatMap((table) => listenerUsers(table, port))
  return Option.exists(own, (user) => users.some((other) => other !== user))
})

/** Returns whether a server accepts connections, by connecting to it. */
export const accepts = Effect.fnUntraced(function* (host: string, port: number) {
  const connection = yield* (yield* AdapterSockets).connect(host.replace(/^\[(.*)\]$/, "$1"), port)
  return yield* Effect.isSuccess(Effect.scoped(connection.reader))
})

/** Settings of the network interfaces. One with `route_localnet` 1 lets a firewall rule forward ports of 127.0.0.1; see ip-sysctl. */
const interfaces = "/proc/sys/net/ipv4/conf"

/** Returns whether ports of this machine may be forwarded without a listener; true if the kernel does not say. */
const mayForward = Effect.fnUntraced(
  function* (fs: FileSystem.FileSystem) {
    const names = yield* fs.readDirectory(interfaces)
    const settings = yield* Effect.forEach(names, (name) => fs.readFileString(`${interfaces}/${name}/route_localnet`))
    return settings.some((text) => text.trim() !== "0")
  },
  Effect.orElseSucceed(() => true)
)

/** Returns whether a port of this machine is closed; false for other machines and if the tables cannot be read. */
export const isClosed = Effect.fnUntraced(function* (host: string, port: number) {
  if (!local.test(host)) return false
  const fs = yield* FileSystem.FileSystem
  const known = yield* tableTexts(fs)
  if (known.length === 0 || known.some((text) => hasListener(text, port))) return false
  return !((yield* mayForward(fs)) && (yield* accepts(host, port)))
})
