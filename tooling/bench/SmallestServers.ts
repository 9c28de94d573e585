// The smallest servers that make the hops of a call, for the bench `surfaces`. `daemon SOCKET` answers lines on a socket, and requests
// over HTTP, whose port it prints. `mcp SOCKET` answers lines of standard input, and asks the socket for calls. They do nothing but read,
// parse and write JSON.
import { Predicate } from "effect"
import { createServer as createHttpServer } from "node:http"
import { createConnection, createServer } from "node:net"

const [role = "", path = ""] = process.argv.slice(2)

/** Data of the size of a status. */
const data = { session: "work", state: "stopped", stop: 1, text: "x".repeat(600) }

/** Returns what calls `take` with the value of each line. */
const reader = (take: (message: { readonly [field: string]: unknown }) => void) => {
  let rest = ""
  return (piece: Buffer | string) => {
    const lines = (rest + String(piece)).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) {
      const message: unknown = JSON.parse(line)
      if (Predicate.isReadonlyObject(message)) take(message)
    }
  }
}

const lineOf = (message: object) => `${JSON.stringify(message)}\n`

const daemon = () => {
  createServer((client) => {
    const answer = reader(({ id }) =>
      client.write(lineOf({ _tag: "Exit", requestId: id, exit: { _tag: "Success", value: data } }))
    )
    client.setEncoding("utf8").on("data", answer)
  }).listen(path)
  const http = createHttpServer((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (piece) => (body += String(piece)))
    request.on("end", () => {
      JSON.parse(body)
      const text = JSON.stringify(data)
      response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) })
      response.end(text)
    })
  }).listen(0, "127.0.0.1", () => {
    const address = http.address()
    process.stdout.write(lineOf({ port: Predicate.isObject(address) ? address["port"] : 0 }))
  })
}

const mcp = () => {
  const write = (id: unknown, result: object) => process.stdout.write(lineOf({ jsonrpc: "2.0", id, result }))
  const connection = createConnection(path).setEncoding("utf8")
  connection.on(
    "data",
    reader(({ exit, requestId }) => write(requestId, { content: [{ type: "text", text: JSON.stringify(exit) }] }))
  )
  const take = reader(({ id, method }) => {
    if (method === "tools/call")
      connection.write(lineOf({ _tag: "Request", id, tag: "status", payload: {}, headers: [] }))
    else if (id !== undefined) write(id, {})
  })
  process.stdin.setEncoding("utf8").on("data", take)
  process.stdin.on("end", () => process.exit(0))
}

if (role === "mcp") mcp()
else daemon()
