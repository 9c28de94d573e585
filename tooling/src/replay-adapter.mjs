#!/usr/bin/env node
// An adapter that replays a recording, for the demo on machines without a debugger. Argument: the recording. Requests are
// matched by command and order; each is followed by the recorded messages of the adapter and output of the program. The
// program's directory and its output pipe come from the launch request.
import { closeSync, openSync, readFileSync, writeSync } from "node:fs"
import { dirname } from "node:path"
import { encode, reader } from "./wire.mjs"

const entries = readFileSync(process.argv[2], "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line))
let next = 0
let directory = "/demo"
let pipe

const numbers = new Map()

const play = () => {
  for (; next < entries.length && entries[next].dir !== "client"; next++) {
    const { dir, msg, text } = entries[next]
    if (dir === "program") {
      if (pipe !== undefined) writeSync(pipe, text)
      continue
    }
    const message = JSON.parse(JSON.stringify(msg).replaceAll("/demo", directory))
    if (message.type === "response") message.request_seq = numbers.get(message.request_seq) ?? message.request_seq
    process.stdout.write(encode(message))
  }
}

const begin = (request) => {
  directory = dirname(request.arguments.program)
  const line = request.arguments.initCommands.find((command) => command.includes("target.output-path"))
  const path = /output-path "?([^"]*)"?$/.exec(line ?? "")?.[1]
  if (path !== undefined) pipe = openSync(path, "w")
}

process.stdin.on(
  "data",
  reader((request) => {
    if (request.command === "launch") begin(request)
    const recorded = entries.findIndex(
      ({ dir, msg }, index) => index >= next && dir === "client" && msg.command === request.command
    )
    if (recorded < 0) {
      const body = { type: "response", seq: 0, request_seq: request.seq, command: request.command }
      process.stdout.write(encode({ ...body, success: false, message: "this is not in the recording" }))
      return
    }
    numbers.set(entries[recorded].msg.seq, request.seq)
    next = recorded + 1
    play()
  })
)
process.stdin.on("end", () => {
  if (pipe !== undefined) closeSync(pipe)
})
