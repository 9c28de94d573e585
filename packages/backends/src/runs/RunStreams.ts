/**
 * The output of one run: kept within a limit, searched line by line, and given to the session that takes the run over.
 */
import type { ProgramRuns } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as ProgramStreams from "../process/Streams.ts"

/** Most bytes that are kept of a run: as many as a session keeps. */
const keptBytes = 10 * 1024 * 1024

/** Most characters of an unfinished line that are searched. */
const lineLimit = 4096

interface Piece {
  readonly channel: "stdout" | "stderr"
  readonly bytes: Uint8Array
}

/** Returns a function that takes bytes and calls `test` with each line, and with the unfinished last one. */
const searcher = (test: (line: string) => boolean, found: () => void) => {
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() }
  const rests = { stdout: "", stderr: "" }
  let isFound = false
  return ({ bytes, channel }: Piece) => {
    if (isFound) return
    const lines = (rests[channel] + decoders[channel].decode(bytes, { stream: true })).split("\n")
    rests[channel] = (lines.at(-1) ?? "").slice(-lineLimit)
    if (!lines.some((line) => test(line.slice(0, lineLimit)))) return
    isFound = true
    found()
  }
}

/** The lines with which a runtime reports a failure before it ends the program. */
const reports: ReadonlyArray<readonly [ProgramRuns.FailureReport, RegExp]> = [
  ["assert", /Assertion (?:failed: )?[`'(].+?['`)](?: failed\b|, function\b)/],
  ["panic", /^thread '.*' (?:\(\d+\) )?panicked at |^panic: |^fatal error: |^terminate called /m],
  // UndefinedBehaviorSanitizer of gcc writes no summary.
  ["sanitizer", /^SUMMARY: \w*Sanitizer: |^\S+:\d+:\d+: runtime error: /m]
]

/** Size of the newest output in which reports are searched, in bytes. */
const searchedBytes = 64 * 1024

/** The streams of a run. */
export interface RunStreams extends ProgramRuns.HeldStreams {
  /** Returns what a runtime has reported in the newest output of the program; undefined if it reports no failure. */
  readonly reported: () => Reported | undefined
}

/** What a runtime has reported, and the line that has it. */
interface Reported {
  readonly report: ProgramRuns.FailureReport
  readonly line: string
}

/** Opens the streams of a run. `matched` is called once, when a line of output satisfies `test`. */
export const open = Effect.fnUntraced(function* (
  place: ProgramStreams.ProgramStreams["Service"],
  test: ((line: string) => boolean) | undefined,
  matched: () => void
): Effect.fn.Return<RunStreams, ProgramStreams.StreamsFailed, Scope.Scope> {
  let pieces: Array<Piece> = []
  let size = 0
  let dropped = 0
  let receiver: ProgramRuns.OnBytes | undefined
  const search = test === undefined ? undefined : searcher(test, matched)
  const streams = yield* place.open((channel, bytes) => {
    if (receiver !== undefined) return receiver(channel, bytes)
    const piece = { channel, bytes: bytes.slice() }
    search?.(piece)
    pieces.push(piece)
    size += piece.bytes.length
    while (size > keptBytes) {
      const first = pieces.shift()
      if (first === undefined) break
      size -= first.bytes.length
      dropped += first.bytes.length
    }
  })
  const held: RunStreams = {
    ...streams,
    reported: () => {
      streams.drain()
      let first = pieces.length
      for (let left = searchedBytes; first > 0 && left > 0; left -= pieces[first]?.bytes.length ?? 0) first--
      const decoder = new TextDecoder()
      const text = pieces
        .slice(first)
        .filter(({ channel }) => channel === "stderr")
        .map(({ bytes }) => decoder.decode(bytes, { stream: true }))
        .join("")
      for (const [report, pattern] of reports) {
        const found = pattern.exec(text)
        if (found !== null) return { report, line: text.slice(found.index).split("\n", 1)[0] ?? "" }
      }
      return undefined
    },
    redirect: (onBytes) => {
      const kept = pieces
      pieces = []
      receiver = onBytes
      for (const { bytes, channel } of kept) onBytes(channel, bytes)
      return dropped
    }
  }
  return held
})
