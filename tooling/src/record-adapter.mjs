#!/usr/bin/env node
// An adapter that passes everything on to a real one and writes the conversation down, for `demo.ts --record`.
// Arguments: the real adapter, the file to write, the directory to be called /demo in it. The program writes into a
// file of ours instead of the pipe, so that its output is noted, and passed on, before the message that follows it.
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
const note = (entry) => appendFileSync(file, `${JSON.stringify(entry).replaceAll(directory, "/demo")}\n`)

const passOutput = () => {
  const text = readFileSync(output, "utf8")
  if (text.length === seen || pipe === undefined) return
  note({ dir: "program", text: text.slice(seen) })
  writeSync(pipe, text.slice(seen))
  seen = text.length
}

const child = spawn(real, [], { stdio: ["pipe", "pipe", "inherit"] })
const settings = /^(.*\btarget\.output-path) "?([^"]*)"?$/

process.stdin.on(
  "data",
  reader((message) => {
    // Paths of named pipes are of one run; the replayer reads them from the launch request it gets.
    note({ dir: "client", msg: message.command === "launch" ? { ...message, arguments: {} } : message })
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
    passOutput()
    note({ dir: "adapter", msg: message })
    process.stdout.write(encode(message))
  })
)
child.on("exit", () => {
  if (pipe !== undefined) closeSync(pipe)
  rmSync(own, { recursive: true, force: true })
})
