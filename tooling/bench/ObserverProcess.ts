// The observers of the bench `observers`, in a process of their own: it reads streams over HTTP and notes the stops that each
// one sees. Its arguments are the address, the file of the token and the number of observers.
import { readFileSync } from "node:fs"

const [url = "", tokenFile = "", count = "1"] = process.argv.slice(2)
const token = readFileSync(tokenFile, "utf8")

/** Reads one stream until it is aborted; adds the number of each stop. */
const observe = async (stops: Array<number>, signal: AbortSignal, opened: () => void) => {
  const response = await fetch(`${url}/v1/stream`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ sessions: true, follow: [{ session: "work" }] }),
    signal
  })
  let rest = ""
  const decoder = new TextDecoder()
  for await (const bytes of response.body ?? []) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n")
    rest = lines.pop() ?? ""
    for (const text of lines) {
      const line = JSON.parse(text)
      if (line.type === "hello") opened()
      if (line.type === "event" && line.event._tag === "Stopped") stops.push(line.stop)
    }
  }
}

let controller = new AbortController()
let seen: Array<Array<number>> = []

const open = async () => {
  controller = new AbortController()
  seen = Array.from({ length: Number(count) }, () => [])
  await Promise.all(
    seen.map(
      (stops) =>
        new Promise<void>((resolve) => {
          observe(stops, controller.signal, resolve).catch(() => {})
        })
    )
  )
}

process.on("message", (message) => {
  if (message === "close") {
    process.send?.(seen)
    controller.abort()
    return
  }
  void open().then(() => process.send?.("opened"))
})
