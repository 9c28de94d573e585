/**
 * Stop replies: why the program stopped, or how it ended.
 */
import * as Hex from "./Hex.ts"

/** A thread, and the process that has it if the server names it. */
export interface ThreadId {
  readonly process?: number
  readonly thread: number
}

/** Why a program stopped, or how it ended. */
export type StopReply =
  | {
      readonly kind: "stopped"
      /** The number of the signal; GDB's own numbers unless the server has `native-signals`. */
      readonly signal: number
      readonly thread?: number
      readonly process?: number
      /** The server's word: `breakpoint`, `watchpoint`, `signal`, `trace`, `exec`, `fork`. */
      readonly reason?: string
      readonly description?: string
      /** All threads, if the server lists them. */
      readonly threads: ReadonlyArray<number>
      /** Where each of `threads` stopped, in the same order. */
      readonly addresses: ReadonlyArray<bigint>
      /** Registers that were sent with the reply: by number, in the order of memory. */
      readonly registers: ReadonlyMap<number, Uint8Array>
      /** The address that a watchpoint saw. */
      readonly watched?: bigint
      /** Other pairs of the reply, verbatim. */
      readonly extra: ReadonlyMap<string, string>
    }
  | { readonly kind: "exited"; readonly code: number; readonly process?: number }
  | { readonly kind: "signaled"; readonly signal: number; readonly process?: number }
  /** Output that the program wrote through the server. */
  | { readonly kind: "output"; readonly bytes: Uint8Array }
  /** No thread is left to resume. */
  | { readonly kind: "none" }

/** A stop of the program. */
export type Stopped = Extract<StopReply, { kind: "stopped" }>

/** The end of the program. */
export type Ended = Extract<StopReply, { kind: "exited" | "signaled" }>

/** Parses `2a`, `p1f.2a` and `p1f`; undefined for `-1`, `0` and malformed text. */
export const threadId = (text: string): ThreadId | undefined => {
  const match = /^(?:p([0-9a-fA-F]{1,12})(?:\.|$))?([0-9a-fA-F]{1,12})?$/.exec(text)
  if (match === null || text === "") return undefined
  const process = match[1] === undefined ? undefined : Number.parseInt(match[1], 16)
  const thread = match[2] === undefined ? process : Number.parseInt(match[2], 16)
  if (thread === undefined || thread === 0) return undefined
  return process === undefined ? { thread } : { process, thread }
}

const processOf = (pairs: ReadonlyArray<string>): { readonly process?: number } => {
  const digits = pairs.find((pair) => pair.startsWith("process:"))?.slice(8)
  const process = digits === undefined ? undefined : Hex.number(digits)
  return process === undefined ? {} : { process }
}

const watchKeys = new Set(["watch", "rwatch", "awatch"])

const stopped = (signal: number, pairs: ReadonlyArray<string>): Stopped => {
  const registers = new Map<number, Uint8Array>()
  const extra = new Map<string, string>()
  let thread: ThreadId | undefined
  let reason: string | undefined
  let description: string | undefined
  let watched: bigint | undefined
  let threads: ReadonlyArray<number> = []
  let addresses: ReadonlyArray<bigint> = []
  const list = <A>(text: string, parse: (item: string) => A | undefined) =>
    text.split(",").flatMap((item) => {
      const value = parse(item)
      return value === undefined ? [] : [value]
    })
  for (const pair of pairs) {
    const colon = pair.indexOf(":")
    const [key, value] = [pair.slice(0, colon), pair.slice(colon + 1)]
    if (colon === -1) continue
    // The name `a` of a pair would be a register, so names with other letters are tried first.
    if (key === "thread") thread = threadId(value)
    else if (key === "reason") reason = value
    else if (key === "description") description = Hex.text(value)
    else if (key === "threads") threads = list(value, (item) => threadId(item)?.thread)
    else if (key === "thread-pcs") addresses = list(value, Hex.address)
    else if (watchKeys.has(key)) {
      reason = "watchpoint"
      watched = Hex.address(value)
    } else if (key === "swbreak" || key === "hwbreak") reason = "breakpoint"
    else if (/^[0-9a-fA-F]{1,4}$/.test(key)) {
      const bytes = Hex.decode(value)
      if (bytes !== undefined) registers.set(Number.parseInt(key, 16), bytes)
    } else extra.set(key, value)
  }
  return {
    kind: "stopped",
    signal,
    ...thread,
    ...(reason === undefined ? {} : { reason }),
    ...(description === undefined ? {} : { description }),
    threads,
    addresses,
    registers,
    ...(watched === undefined ? {} : { watched }),
    extra
  }
}

/** Parses a stop reply; undefined if the payload is not one. */
export const parse = (payload: string): StopReply | undefined => {
  const kind = payload[0]
  const code = Hex.number(payload.slice(1, 3))
  const pairs = payload.slice(3).split(";")
  switch (kind) {
    case "S":
    case "T":
      return code === undefined ? undefined : stopped(code, kind === "S" ? [] : pairs)
    case "W":
      return code === undefined ? undefined : { kind: "exited", code, ...processOf(pairs) }
    case "X":
      return code === undefined ? undefined : { kind: "signaled", signal: code, ...processOf(pairs) }
    case "N":
      return payload === "N" ? { kind: "none" } : undefined
    case "O": {
      const bytes = payload === "OK" ? undefined : Hex.decode(payload.slice(1))
      return bytes === undefined ? undefined : { kind: "output", bytes }
    }
    default:
      return undefined
  }
}
