/**
 * The thread of the supervisor, which answers on its own socket while the daemon's main thread is held: how long the main
 * thread has not answered, and the forced stop. It reads one line per connection and writes one. After SIGTERM or SIGINT it
 * ends a daemon that does not end in time. It loads no Effect, so it takes little memory.
 */
import { chmodSync, renameSync, rmSync } from "node:fs"
import { createServer, type Socket } from "node:net"
import { constants } from "node:os"
import { parentPort, workerData } from "node:worker_threads"
import * as RecordedPrograms from "./RecordedPrograms.ts"
import { isSettings, type Answer, type Settings } from "./SupervisorProtocol.ts"

/** Maximum length of a request, and the time it may take. */
const REQUEST = { characters: 100, millis: 1000 }

/** Time after which the daemon is ended although the client has not closed the connection, in milliseconds. */
const UNREAD = 200

/**
 * Returns the difference between the clocks of this thread and of the main thread, in nanoseconds. Bun and Deno begin the clock
 * of a thread at its start; on Node it is one clock. The main thread stores its time when it gets the message, or at its next
 * beat.
 */
const clockDifference = (beat: SharedArrayBuffer): bigint => {
  const time = new BigInt64Array(beat)
  const before = Atomics.load(time, 0)
  parentPort?.postMessage("started", [])
  Atomics.wait(time, 0, before, 1000)
  const after = Atomics.load(time, 0)
  return after === before ? 0n : process.hrtime.bigint() - after
}

const answerTo = (settings: Settings, difference: bigint, request: string): Answer | undefined => {
  const { beat, grace: _, sessions, ...identity } = settings
  const last = Atomics.load(new BigInt64Array(beat), 0) + difference
  const facts = { ...identity, unanswered_ms: Math.max(0, Math.round(Number(process.hrtime.bigint() - last) / 1e6)) }
  if (request === "status") return facts
  return request === "stop" ? { ...facts, programs: RecordedPrograms.end(sessions) } : undefined
}

const serve = (settings: Settings, difference: bigint, socket: Socket): void => {
  let text = ""
  socket.setEncoding("utf8")
  socket.setTimeout(REQUEST.millis, () => socket.destroy())
  socket.on("error", () => {})
  socket.on("data", (piece) => {
    text += String(piece)
    const end = text.indexOf("\n")
    if (end < 0 && text.length <= REQUEST.characters) return
    const request = text.slice(0, end)
    const answer = answerTo(settings, difference, request)
    socket.removeAllListeners("data")
    if (answer === undefined) return void socket.destroy()
    const line = `${JSON.stringify(answer)}\n`
    if (request !== "stop") return void socket.end(line)
    // The client closes the connection when it has the answer; on Bun `write` calls back before the bytes have left.
    const over = () => process.kill(settings.pid, "SIGKILL")
    socket.on("end", over).on("close", over).resume()
    setTimeout(over, UNREAD)
    socket.write(line)
  })
}

const listen = (settings: Settings, onListening: () => void): void => {
  // `RuntimePath` leaves room for this suffix in the length of the path.
  const bound = `${settings.supervisor}.${settings.pid.toString(36)}`
  rmSync(bound, { force: true })
  const difference = clockDifference(settings.beat)
  const server = createServer({}, (socket) => serve(settings, difference, socket))
  server.maxConnections = 16
  server.listen(bound, () => {
    // A thread cannot set the umask. The directory is private, so no client connects before the mode is set.
    chmodSync(bound, 0o600)
    renameSync(bound, settings.supervisor)
    onListening()
  })
}

/** Time for the main thread to exit by itself at the end of the grace, in milliseconds. */
const MARGIN = 250

const signals = ["SIGTERM", "SIGINT"] as const

/** Returns Node's class of signal watchers; its public API for signals works in the main thread only. Bun and Deno have none. */
const watcherClass = (): unknown => {
  try {
    // Without this Node prints a warning about the internal interface.
    process.noDeprecation = true
    const binding: unknown = Reflect.get(process, "binding")
    return typeof binding === "function" ? Object(binding.call(process, "signal_wrap")).Signal : undefined
  } catch {
    return undefined
  }
}

/** Ends the daemon if it still runs when its grace after a signal is over. */
const endAfterSignal = (settings: Settings): void => {
  const Watcher = watcherClass()
  if (typeof Watcher !== "function") return
  let timer: ReturnType<typeof setTimeout> | undefined
  const onSignal = () => {
    timer ??= setTimeout(() => {
      RecordedPrograms.end(settings.sessions)
      process.kill(settings.pid, "SIGKILL")
    }, settings.grace + MARGIN)
  }
  for (const signal of signals) {
    const watcher: unknown = Reflect.construct(Watcher, [])
    Object.assign(Object(watcher), { onsignal: onSignal }).start(constants.signals[signal])
  }
}

/** Serves the socket, in a thread that `Supervisor` started. Calls `onListening` when clients can connect. */
export const run = (onListening = () => {}): void => {
  if (!isSettings(workerData)) return
  endAfterSignal(workerData)
  listen(workerData, onListening)
}
