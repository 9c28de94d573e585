// Connections over Node's internal pipes: nothing is lost, whatever the pieces, the sizes and the end of a connection are.
import { assert, describe, it } from "@effect/vitest"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as PipeDial from "../../src/thin/PipeDial.ts"

const isNode = process.versions["bun"] === undefined && process.versions["deno"] === undefined

/** Runs a server whose connections `accept` gets, and a test with its socket's path. */
const withServer = async (accept: (socket: Socket) => void, test: (path: string) => Promise<void>) => {
  const folder = mkdtempSync(join(tmpdir(), "sigtrap-dial-"))
  const path = join(folder, "socket")
  const sockets: Array<Socket> = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on("error", () => {})
    accept(socket)
  })
  try {
    await new Promise<void>((resolve) => server.listen(path, resolve))
    await test(path)
  } finally {
    for (const socket of sockets) socket.destroy()
    server.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A listener that collects what it gets until the connection ends. */
const collector = () => {
  let text = ""
  let closings = 0
  let end: (text: string) => void = () => {}
  const whole = new Promise<string>((resolve) => (end = resolve))
  return {
    listener: {
      text: (piece: string) => (text += piece),
      closed: () => {
        closings += 1
        end(text)
      }
    },
    whole,
    closings: () => closings
  }
}

describe.runIf(isNode)("a connection over the pipes of Node", () => {
  it("gets a large answer whole, in pieces that end within characters", async () => {
    const answer = `${"aé漢🙂".repeat(200_000)}\n`
    const bytes = Buffer.from(answer)
    await withServer(
      (socket) => {
        for (let at = 0, size = 1; at < bytes.length; at += size, size = (size * 7 + 3) % 65_537) {
          socket.write(bytes.subarray(at, at + size))
        }
        socket.end()
      },
      async (path) => {
        const { closings, listener, whole } = collector()
        assert.isDefined(await PipeDial.dial(path, listener))
        assert.isTrue((await whole) === answer)
        assert.strictEqual(closings(), 1)
      }
    )
  })

  it("sends a request that is larger than the buffers of the system, to a server that reads late", async () => {
    const request = "漢x".repeat(2_000_000)
    let accept: (socket: Socket) => void = () => {}
    const accepted = new Promise<Socket>((resolve) => (accept = resolve))
    await withServer(
      (socket) => accept(socket.pause()),
      async (path) => {
        const { listener } = collector()
        const wire = await PipeDial.dial(path, listener)
        wire?.send(request)
        wire?.send("end\n")
        const socket = await accepted
        const received = new Promise<string>((resolve) => {
          let text = ""
          socket.setEncoding("utf8")
          socket.on("data", (piece) => {
            text += String(piece)
            if (text.endsWith("end\n")) resolve(text)
          })
        })
        socket.resume()
        assert.isTrue((await received) === `${request}end\n`)
      }
    )
  })

  it("is closed once if the server ends it, and takes texts afterwards", async () => {
    await withServer(
      (socket) => socket.destroy(),
      async (path) => {
        const { closings, listener, whole } = collector()
        const wire = await PipeDial.dial(path, listener)
        await whole
        wire?.send("late\n")
        wire?.send("x".repeat(1_000_000))
        await new Promise((resolve) => setImmediate(resolve))
        assert.strictEqual(closings(), 1)
      }
    )
  })

  it("is refused if nothing listens, or the socket's path is none", async () => {
    const { listener } = collector()
    assert.isUndefined(await PipeDial.dial("/nonexistent/socket", listener))
    assert.isUndefined(await PipeDial.dial("/dev/null", listener))
    assert.isUndefined(await PipeDial.dial("x".repeat(300), listener))
  })

  it("does not change whether Node prints warnings about deprecated parts", async () => {
    const { noDeprecation } = process
    await PipeDial.dial("/nonexistent/socket", collector().listener)
    assert.strictEqual(process.noDeprecation ?? false, noDeprecation ?? false)
  })
})

it.each([
  ["is missing", undefined],
  [
    "fails",
    () => {
      throw new Error("No such module")
    }
  ],
  ["has other parts", () => ({})],
  ["has a class with other methods", () => ({ Pipe: Date, PipeConnectWrap: Date, WriteWrap: Date })]
])("the caller connects in another way if the interface %s", (_, binding) => {
  const own = Object.getOwnPropertyDescriptor(process, "binding")
  Object.defineProperty(process, "binding", { value: binding, configurable: true })
  try {
    assert.isUndefined(PipeDial.dial("/nonexistent/socket", collector().listener))
  } finally {
    if (own === undefined) Reflect.deleteProperty(process, "binding")
    else Object.defineProperty(process, "binding", own)
  }
})
