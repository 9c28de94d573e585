/**
 * Finds out whether a server listens on a port.
 *
 * Most debug servers accept one client only, so a test connection would take the place of the debugger. So the kernel's list
 * of listeners is read first (Linux). A connection is tried only if the list has none.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { AdapterSockets } from "./AdapterSockets.ts"

/** Matches hosts that are this machine. */
const local = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i

/** The kernel's tables of TCP sockets. */
const tables = ["/proc/net/tcp", "/proc/net/tcp6"]

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

/** Returns whether a server accepts connections, by connecting to it. */
export const accepts = Effect.fnUntraced(function* (host: string, port: number) {
  const connection = yield* (yield* AdapterSockets).connect(host.replace(/^\[(.*)\]$/, "$1"), port)
  return yield* Effect.isSuccess(Effect.scoped(connection.reader))
})

/** Returns whether a port of this machine is closed; false for other machines and if the tables cannot be read. */
export const isClosed = Effect.fnUntraced(function* (host: string, port: number) {
  if (!local.test(host)) return false
  const fs = yield* FileSystem.FileSystem
  const texts = yield* Effect.forEach(tables, (file) => Effect.option(fs.readFileString(file)))
  const known = texts.flatMap((text) => (text._tag === "Some" ? [text.value] : []))
  if (known.length === 0 || known.some((text) => hasListener(text, port))) return false
  // A container's port can be forwarded without a listener here.
  return !(yield* accepts(host, port))
})
