/**
 * Answers on half-closed connections: a client may send its request, close its side of the connection, and read the answer.
 *
 * A client that has gone looks the same at first, and its connection must end: it counts. So `100 Continue` is written while an answer
 * takes time. A client ignores it (RFC 9110, 15.2). The system of a client that has gone refuses the bytes, and the next write fails.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"

/** A request and its answer. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly answer: ServerResponse
}

/** Times before the first, the second and each further write, in milliseconds. The second one fails if the first one was refused. */
const [first, second, further] = [250, 50, 1000]

/** Writes until the answer has begun or the connection is closed. HTTP/1.0 has no such status. */
const probe = ({ answer, request }: Exchange, socket: Duplex) => {
  if (request.httpVersion === "1.0") return
  let timer = setTimeout(() => write(second), first)
  const write = (next: number) => {
    if (answer.headersSent || !socket.writable) return
    answer.writeContinue()
    timer = setTimeout(() => write(further), next)
  }
  socket.once("close", () => clearTimeout(timer))
}

/** Keeps half-closed connections of a server open until the newest request, which `newestOf` returns, is answered. */
export const allow = (server: Server, newestOf: (socket: Duplex) => Exchange | undefined): void => {
  // An option of Node's server that its documents do not name. With it Bun never reports that a client has gone.
  if (process.versions["bun"] === undefined) Object.assign(server, { httpAllowHalfOpen: true })
  server.on("connection", (socket) => {
    socket.once("end", () => {
      const newest = newestOf(socket)
      if (newest === undefined || newest.answer.writableEnded) return
      // The rest of its body cannot come. Node refuses it, Deno would wait.
      if (!newest.request.complete) return void socket.end()
      // A stream that has begun ends, as its client may have gone.
      if (newest.answer.headersSent) return void socket.end()
      newest.answer.shouldKeepAlive = false
      probe(newest, socket)
    })
  })
}
