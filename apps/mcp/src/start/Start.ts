/**
 * The start of the MCP server: answers the first messages of the client, then loads the server. A process that only waits for its
 * first message has loaded almost nothing, so it waits in a blocking read, and signals end it as they end any program.
 */
import type { Command } from "@sigtrap/host/daemon/start/Launcher"
import type { Run } from "@sigtrap/host/ServerEntry"
import * as AnswerFile from "@sigtrap/host/runtime/AnswerFile"
import * as CompileCache from "@sigtrap/host/runtime/CompileCache"
import * as NodeVersion from "@sigtrap/host/runtime/NodeVersion"
import { readSync, writeSync } from "node:fs"
import { type Begun, Handshake } from "./Handshake.ts"
import * as StartArguments from "./StartArguments.ts"

/** The server, or `install`. */
export interface Program {
  readonly run: (
    words: ReadonlyArray<string>,
    daemon: (() => Promise<Command | undefined>) | undefined,
    begun?: Begun
  ) => void
}

/** What the start needs: the file with the answers, if this program was built, and the server. */
export interface Parts {
  readonly answers: AnswerFile.Source | undefined
  readonly load: () => Promise<Program>
}

const SIZE = 65_536

/** Writes a text; if the output takes no more now, the stream object writes the rest. */
const write = (text: string): void => {
  let bytes = new TextEncoder().encode(text)
  try {
    while (bytes.length > 0) bytes = bytes.subarray(writeSync(1, bytes))
  } catch {
    process.stdout.write(bytes)
  }
}

/** Reads bytes; undefined if there are none now or the input cannot be read in this way. */
const read = (): Uint8Array | undefined => {
  const bytes = new Uint8Array(SIZE)
  try {
    return bytes.subarray(0, readSync(0, bytes))
  } catch {
    return undefined
  }
}

/** Answers the first messages; returns what the server must know. */
const greet = (handshake: Handshake): Begun => {
  let unread: Uint8Array = new Uint8Array(0)
  while (true) {
    const bytes = read()
    if (bytes === undefined || bytes.length === 0) return handshake.begun(unread, bytes !== undefined)
    unread = unread.length === 0 ? bytes : Buffer.concat([unread, bytes])
    for (let end = unread.indexOf(0x0a); end !== -1; end = unread.indexOf(0x0a)) {
      const { answer, ends, taken } = handshake.take(new TextDecoder().decode(unread.subarray(0, end)))
      if (taken) unread = unread.subarray(end + 1)
      if (answer !== undefined) write(answer)
      if (ends) return handshake.begun(unread, false)
    }
    // A long first message is none of a handshake.
    if (unread.length > SIZE) return handshake.begun(unread, false)
  }
}

/** Answers the first messages if the words ask for a server whose answers are known. */
const begin = (words: ReadonlyArray<string>, answers: AnswerFile.Source | undefined): Begun | undefined => {
  if (answers === undefined) return undefined
  const texts = AnswerFile.reader(answers)
  const grants: ReadonlyArray<string> = JSON.parse(texts(StartArguments.grantsKey) ?? "[]")
  const profiles: ReadonlyArray<string> = JSON.parse(texts(StartArguments.profilesKey) ?? "[]")
  const profile = StartArguments.profileOf(words, process.env, grants, profiles)
  return profile === undefined ? undefined : greet(new Handshake(profile, texts))
}

/** Returns what runs the server in this process; it is refused under a Node that is too old. */
export const make =
  ({ answers, load }: Parts): Run =>
  (words, daemon) => {
    if (NodeVersion.isTooOld()) return NodeVersion.refuse("sigtrap mcp")
    const begun = begin(words, answers)
    // Nothing is left to answer.
    if (begun?.ended === true && begun.left === 0) return
    CompileCache.enable()
    void load().then((program) => program.run(words, daemon, begun))
  }
