/**
 * Reads lines from a terminal or a pipe with Node's readline. On a terminal it prints a prompt, edits the line, and prints other
 * text above the line that is being typed.
 */
import { type Cause, Effect, Queue } from "effect"
import { type Interface, clearScreenDown, createInterface, cursorTo, moveCursor } from "node:readline"
import * as StreamWriter from "../render/StreamWriter.ts"
import { typed } from "../runner/Candidates.ts"
import * as History from "./History.ts"

/** Returns what may replace the last word of a line. */
export type Complete = (line: string) => Promise<ReadonlyArray<string>>

/** What a terminal needs. */
export interface Options {
  /** True if a person types; false for a pipe or file, which gets no prompt. */
  readonly interactive: boolean
  readonly environment: { readonly [name: string]: string | undefined }
  readonly complete: Complete
}

/** The lines that were typed, and the text above them. */
export interface Terminal {
  readonly interactive: boolean
  /** Prints the prompt and returns the next line; fails at the end of the input. */
  readonly next: Effect.Effect<string, Cause.Done>
  /** Each press of Ctrl-C. */
  readonly interrupts: Queue.Dequeue<void, Cause.Done>
  /** Prints text; the line that is being typed stays as it is, below. */
  readonly print: (stream: "Stdout" | "Stderr", text: string) => Effect.Effect<void>
}

const prompt = "(sigtrap) "

/** The end of the last word of a line, which readline replaces: what follows the last blank or quote. */
const lastPart = (line: string): string => /[^\s'"]*$/.exec(line)?.[0] ?? ""

const completer =
  (complete: Complete) => (line: string, done: (error: null, result: [Array<string>, string]) => void) => {
    const part = lastPart(line)
    const before = typed(line).word.length - part.length
    const shown = (found: ReadonlyArray<string>) =>
      found.map((one) => `${one.slice(before)}${found.length === 1 && !/[:./]$/.test(one) ? " " : ""}`)
    complete(line).then(
      (found) => done(null, [shown(found), part]),
      () => done(null, [[], part])
    )
  }

/** Writes to a standard stream; completes when it is written. */
const write = (stream: "Stdout" | "Stderr", text: string) =>
  StreamWriter.write(stream === "Stdout" ? process.stdout : process.stderr, text)

/** Prints text where the typed line is, and that line again below it. */
const above = (lines: Interface, text: string) => {
  const { rows } = lines.getCursorPos()
  if (rows > 0) moveCursor(process.stdout, 0, -rows)
  cursorTo(process.stdout, 0)
  clearScreenDown(process.stdout)
  // Readline moves up by the rows of the typed line before it prints it again.
  process.stdout.write(`${text}${text.endsWith("\n") ? "" : "\n"}${"\n".repeat(rows)}`)
  lines.prompt(true)
}

/** Opens the terminal. The scope closes it. */
export const make = Effect.fnUntraced(function* ({ complete, environment, interactive }: Options) {
  const entered = yield* Queue.unbounded<string, Cause.Done>()
  const interrupts = yield* Queue.unbounded<void, Cause.Done>()
  const file = interactive ? History.fileOf(environment) : undefined
  const lines = createInterface({
    input: process.stdin,
    terminal: interactive,
    ...(interactive
      ? {
          output: process.stdout,
          prompt,
          completer: completer(complete),
          history: [...History.read(file)].toReversed(),
          historySize: History.limit,
          removeHistoryDuplicates: true
        }
      : {})
  })
  let isWaiting = false
  lines.on("line", (line) => {
    History.add(file, line)
    Queue.offerUnsafe(entered, line)
  })
  lines.on("SIGINT", () => {
    const { line } = lines
    if (!isWaiting || line === "") return void Queue.offerUnsafe(interrupts, undefined)
    // Ctrl-C clears a typed line.
    process.stdout.write("^C\n")
    lines.write(null, { ctrl: true, name: "e" })
    lines.write(null, { ctrl: true, name: "u" })
  })
  lines.once("close", () => Queue.endUnsafe(entered))
  yield* Effect.addFinalizer(() => Effect.sync(() => lines.close()))

  const terminal: Terminal = {
    interactive,
    interrupts,
    next: Effect.suspend(() => {
      isWaiting = true
      if (interactive) lines.prompt(true)
      return Effect.ensuring(
        Queue.take(entered),
        Effect.sync(() => (isWaiting = false))
      )
    }),
    print: (stream, text) =>
      text === "" ? Effect.void : interactive && isWaiting ? Effect.sync(() => above(lines, text)) : write(stream, text)
  }
  return terminal
})
