// The start of the built MCP server: the first messages are answered before the server is loaded, and none is lost, answered
// twice or reordered, however they arrive.
import { assert, describe, it } from "@effect/vitest"
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const words = [fileURLToPath(new URL("../../../apps/cli/dist/sigtrap.js", import.meta.url)), "mcp", "--isolated"]

interface Message {
  readonly id?: number | string | null
  readonly result?: { readonly [field: string]: unknown }
  readonly error?: { readonly code: number }
}

const hello = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "é漢🙂", version: "1" } }
}
const initialized = { jsonrpc: "2.0", method: "notifications/initialized" }
const request = (id: number | string, method: string, params: object = {}) => ({ jsonrpc: "2.0", id, method, params })
const text = (...messages: ReadonlyArray<object | string>) =>
  messages.map((message) => `${typeof message === "string" ? message : JSON.stringify(message)}\n`).join("")

/** Starts a server, gives its input to a test, and returns what it wrote and its exit code after its input has ended. */
const serve = async (test: (child: ChildProcess, lines: Array<Message>) => Promise<void>) => {
  const folder = mkdtempSync(join(tmpdir(), "sigtrap-mcp-"))
  const child = spawn(process.execPath, words, {
    stdio: ["pipe", "pipe", "inherit"],
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder, SIGTRAP_RUNTIME_DIR: join(folder, "run") }
  })
  const lines: Array<Message> = []
  let unread = ""
  child.stdout?.on("data", (piece) => {
    const parts = `${unread}${String(piece)}`.split("\n")
    unread = parts.pop() ?? ""
    for (const line of parts) lines.push(JSON.parse(line))
    child.emit("lines")
  })
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
  try {
    await test(child, lines)
    child.stdin?.end()
    return { code: await ended, lines, unread }
  } finally {
    child.kill("SIGKILL")
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Waits until a server has written this number of answers. */
const answers = async (child: ChildProcess, lines: ReadonlyArray<Message>, count: number) => {
  while (lines.length < count) await new Promise((resolve) => child.once("lines", resolve))
}

const slow = { timeout: 60_000 }

describe("sigtrap mcp", () => {
  it("answers a usual start, and calls afterwards", slow, async () => {
    const { code, lines } = await serve(async (child, lines) => {
      child.stdin?.write(text(hello))
      await answers(child, lines, 1)
      child.stdin?.write(text(initialized, request(2, "tools/list")))
      await answers(child, lines, 2)
      child.stdin?.write(
        text(request(3, "tools/call", { name: "status" }), request(4, "tools/list"), request(5, "ping"))
      )
      await answers(child, lines, 5)
    })
    assert.strictEqual(code, 0)
    assert.deepStrictEqual(lines.map(({ id }) => Number(id)).toSorted(), [1, 2, 3, 4, 5])
    const list = lines.filter(({ result }) => result?.["tools"] !== undefined)
    assert.deepStrictEqual(list[0]?.result, list[1]?.result)
    assert.match(JSON.stringify(lines.find(({ id }) => id === 3)?.result), /no session/i)
  })

  it("answers everything that comes in one piece, once", slow, async () => {
    const { code, lines } = await serve(async (child, lines) => {
      child.stdin?.write(
        text(
          hello,
          initialized,
          request("list", "tools/list"),
          "{",
          [request(7, "ping")],
          request(8, "tools/call", { name: "status" }),
          request(9, "prompts/list"),
          request(10, "nosuch"),
          hello
        )
      )
      await answers(child, lines, 8)
    })
    assert.strictEqual(code, 0)
    const ids = lines.map(({ id }) => String(id))
    assert.deepStrictEqual(ids.slice(0, 2), ["1", "list"])
    assert.deepStrictEqual(ids.filter((id) => id === "1").length, 2)
    assert.includeMembers(ids, ["8", "9", "10"])
    assert.strictEqual(lines.find(({ id }) => id === 10)?.error?.code, -32601)
    assert.isTrue(lines.some(({ error, id }) => id === null && error?.code === -32700))
  })

  it("reads messages that come in pieces", slow, async () => {
    const bytes = Buffer.from(text(hello, initialized, request(2, "tools/list"), request(3, "ping")))
    const { code, lines } = await serve(async (child, lines) => {
      for (let at = 0; at < bytes.length; at += 7) {
        child.stdin?.write(bytes.subarray(at, at + 7))
        await new Promise((resolve) => setImmediate(resolve))
      }
      await answers(child, lines, 3)
    })
    assert.strictEqual(code, 0)
    assert.deepStrictEqual(
      lines.map(({ id }) => id),
      [1, 2, 3]
    )
  })

  it.each([
    ["no message", "", 0],
    ["initialize", text(hello), 1],
    ["initialize and a notification", text(hello, initialized), 1],
    ["the first list", text(hello, initialized, request(2, "tools/list")), 2],
    ["an unknown revision", text({ ...hello, params: { ...hello.params, protocolVersion: "1999-01-01" } }), 1],
    ["a line without an end", `${text(hello)}{`, 1]
  ])("ends with 0 if the input ends after %s", slow, async (_, input, count) => {
    const { code, lines, unread } = await serve(async (child, lines) => {
      child.stdin?.write(input)
      await answers(child, lines, count)
    })
    assert.deepStrictEqual([code, lines.length, unread], [0, count, ""])
  })

  it.runIf(process.platform === "linux")("is one process", slow, async () => {
    await serve(async (child, lines) => {
      child.stdin?.write(text(hello, initialized, request(2, "tools/list"), request(3, "ping")))
      await answers(child, lines, 3)
      assert.strictEqual(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8"), "")
    })
  })
})
