#!/usr/bin/env node
// An adapter that forwards all messages to a real one and records them, for `demo.ts --record`. Arguments: the real adapter,
// the file to write, the directory to replace by /demo in it. The program writes to a file instead of the pipe, so that its
// output is recorded and forwarded before the next message of the adapter.
import { spawn } from "node:child_process"
import {
  appendFileSync,
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { encode, reader } from "./wire.mjs"

const [real, file, directory] = process.argv.slice(2)
const own = mkdtempSync(join(tmpdir(), "sigtrap-record-"))
const output = join(own, "stdout")
let pipe
let seen = 0

writeFileSync(file, "")
writeFileSync(output, "")
const record = (entry) => appendFileSync(file, `${JSON.stringify(entry).replaceAll(directory, "/demo")}\n`)

const forwardOutput = () => {
  const text = readFileSync(output, "utf8")
  if (text.length === seen || pipe === undefined) return
  record({ dir: "program", text: text.slice(seen) })
  writeSync(pipe, text.slice(seen))
  seen = text.length
}

const child = spawn(real, [], { stdio: ["pipe", "pipe", "inherit"] })
const settings = /^(.*\btarget\.output-path) "?([^"]*)"?$/

process.stdin.on(
  "data",
  reader((message) => {
    // Paths of named pipes differ in each run; the replayer reads them from its own launch request.
    record({ dir: "client", msg: message.command === "launch" ? { ...message, arguments: {} } : message })
    if (message.command === "launch") {
      message.arguments.initCommands = message.arguments.initCommands.map((line) => {
        const [, setting, path] = settings.exec(line) ?? []
        if (path === undefined) return line
        pipe = openSync(path, "w")
        return `${setting} "${output}"`
      })
    }
    child.stdin.write(encode(message))
  })
)
process.stdin.on("end", () => child.stdin.end())
child.stdout.on(
  "data",
  reader((message) => {
    forwardOutput()
    record({ dir: "adapter", msg: message })
    process.stdout.write(encode(message))
  })
)
child.on("exit", () => {
  if (pipe !== undefined) closeSync(pipe)
  rmSync(own, { recursive: true, force: true })
})
