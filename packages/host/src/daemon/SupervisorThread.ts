/**
 * The thread of the supervisor, which answers on its own socket while the daemon's main thread is held: how long the main
 * thread has not answered, and the forced stop. It loads no Effect, so it takes little memory. It reads one line per
 * connection and writes one.
 */
import { chmodSync, renameSync, rmSync } from "node:fs"
import { createServer, type Socket } from "node:net"
import { parentPort, workerData } from "node:worker_threads"
import * as RecordedPrograms from "./RecordedPrograms.ts"
import { isSettings, type Answer, type Settings } from "./SupervisorProtocol.ts"

/** Maximum length of a request, and the time it may take. */
const REQUEST = { characters: 100, millis: 1000 }

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
  const { beat, sessions, ...identity } = settings
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
    // The process ends after the answer was written, or if the client does not read it.
    const over = () => void (request === "stop" && process.kill(settings.pid, "SIGKILL"))
    socket.end(`${JSON.stringify(answer)}\n`, over)
    if (request === "stop") setTimeout(over, 100)
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

/** Serves the socket, in a thread that `Supervisor` started. Calls `onListening` when clients can connect. */
export const run = (onListening = () => {}): void => {
  if (isSettings(workerData)) listen(workerData, onListening)
}
