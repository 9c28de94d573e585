/**
 * Sends a command line to a running daemon without loading the rest of the client, which is the fastest way. It takes command lines
 * without options of the client. `ThinClient` runs all others, and reports an answer of the daemon that has no exit code.
 */
import * as RuntimePath from "@sigtrap/host/runtime/RuntimePath"
import { builtinWords } from "@sigtrap/protocol/grammar/Spellings.generated"
import * as DaemonCall from "./DaemonCall.ts"
import * as PipeDial from "./PipeDial.ts"
import * as StandardStreams from "./StandardStreams.ts"
import * as TypedLine from "./TypedLine.ts"
import type { Outcome } from "./Wire.ts"

/** The rest of the client, which is loaded on demand. */
export interface Rest {
  /** Runs a command line. `isAlone` is true if no daemon listened just now. */
  readonly run: (words: ReadonlyArray<string>, isAlone?: boolean) => Promise<void>
  /** Reports that the daemon sent no exit code. */
  readonly end: (words: ReadonlyArray<string>, outcome: Outcome) => void
  /** Ends a command line after Ctrl-C. */
  readonly interrupt: (words: ReadonlyArray<string>, partial: string) => void
}

/** Words that may be an option of the client, or the dash that stands for its standard input. A value of another option may match too. */
const forClient = /^-$|^(?:-h|-V|--(?:help|version|runtime-dir|no-daemon-start|foreground))(?:=|$)/

/** Returns whether a command line has no words for the client. */
export const isPlain = (words: ReadonlyArray<string>): boolean => {
  const first = words.find((word) => word !== "--json") ?? "-"
  return !first.startsWith("-") && !builtinWords.includes(first) && !words.some((word) => forClient.test(word))
}

/** Runs a plain command line in the daemon. Returns false, and has done nothing, if it has to be run in another way. */
export const run = (words: ReadonlyArray<string>, rest: () => Promise<Rest>): boolean => {
  if (!isPlain(words)) return false
  const place = RuntimePath.resolve({ environment: process.env, uid: process.geteuid?.() ?? -1 })
  if (place._tag === "Refusal") return false
  const call = DaemonCall.make((outcome) => {
    if (outcome._tag === "Exit") StandardStreams.exit(outcome.code)
    else void rest().then(({ end }) => end(words, outcome))
  })
  const dialing = PipeDial.dial(place.socket, call.listener)
  if (dialing === undefined) return false
  const line = TypedLine.make(words)
  void dialing.then((wire) => {
    if (wire === undefined) return rest().then((client) => client.run(words, true))
    call.start(wire, line, true)
    process.once("SIGINT", () => {
      const partial = call.interrupt()
      void rest().then(({ interrupt }) => interrupt(words, partial))
    })
    return undefined
  })
  return true
}
