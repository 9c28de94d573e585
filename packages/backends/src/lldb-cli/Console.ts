/**
 * The command line of one LLDB as the rest of the backend asks it: groups of commands that nobody else comes between, in
 * a thread and frame of choice, failures in the words of the contract.
 *
 * A frame's handle is made of LLDB's number of its thread and the frame's own. LLDB's selection moves only when another
 * frame is asked about; every stop makes it unknown.
 */
import type { Frames, Lldb } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import { Errors, Hint } from "@sigtrap/protocol"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import * as LldbStacks from "../console/lldb/Stacks.ts"

/** What a command said; `problem` is why it failed, without `error: `. */
export interface Said {
  readonly output: string
  readonly problem?: string
}

/** The command line of one LLDB. */
export interface Console {
  readonly major: number
  /** The text of a command as it is, failures included, which begin with `error: `. */
  readonly text: (line: string, frame?: number) => Effect.Effect<string, Backend.Failure>
  /** The text of a command that must succeed, within so many milliseconds. */
  readonly command: (line: string, frame?: number, millis?: number) => Effect.Effect<string, Backend.Failure>
  /** The answer to a question between a setting that is made for it and taken back. */
  readonly surrounded: (
    commands: Frames.Formatted,
    frame?: number,
    millis?: number
  ) => Effect.Effect<Said, Backend.Failure>
  /** The answer to a question with a format of ours. */
  readonly formatted: (commands: Frames.Formatted) => Effect.Effect<string, Backend.Failure>
  /** The selection is not known any more: the program has stopped anew. */
  readonly moved: () => void
}

const longest = 400

/** What a failed command is called in messages: its words without options. */
const named = (line: string) => line.split(" -")[0] ?? line

/** Failures of the driver in the words of the contract; a command that failed has a text and is none. */
export const translate = (
  error: Lldb.CommandTimedOut | Lldb.LldbLost | Lldb.CommandRefused
): Errors.RequestTimeout | Errors.AdapterCrashed | Errors.Unsupported => {
  switch (error._tag) {
    case "CommandTimedOut":
      return new Errors.RequestTimeout({
        command: named(error.command),
        after_ms: Math.round(Duration.toMillis(error.after))
      })
    case "LldbLost":
      return new Errors.AdapterCrashed({ detail: `lldb: ${error.message}`.slice(0, longest) })
    case "CommandRefused":
      return new Errors.Unsupported({
        what: `the command ${error.command.trim() === "" ? "''" : error.command.trim()}, which would ${
          error.reason === "settings" ? "change how it is read" : "wait for a terminal or end the debugger"
        },`,
        by: "lldb",
        remedies: [Hint.call("raw", { command: "help" })]
      })
  }
}

/** How an LLDB came to its end, for a sentence that begins with its name. */
export const endOf = ({ code, reason, signal }: Lldb.LldbLost): string =>
  reason === "stuck"
    ? "does not come back from a command"
    : signal !== undefined
      ? `was killed by ${signal}`
      : code === undefined
        ? "has gone away"
        : `exited with code ${code}`

/** The failure that an answer tells of. */
export const failure = (line: string, { problem }: Said): Errors.AdapterError | undefined =>
  problem === undefined
    ? undefined
    : new Errors.AdapterError({ command: named(line), detail: problem.trim().slice(0, longest) })

// LLDB says so of debug information that it reads on the way, whatever the command.
const complaint = /^error: .*\b0x[0-9a-f]{6,}: .*\bDW_/

/** An answer on stderr: a failure, unless all of it is about the debug information. */
const problemIn = (text: string): string | undefined => {
  const lines = text.split("\n")
  return lines.every((line) => line.trim() === "" || complaint.test(line))
    ? undefined
    : lines
        .filter((line) => !complaint.test(line))
        .join("\n")
        .replace(/^error: /, "")
}

const answerOf = (output: string, errors: string): Said => {
  const problem = problemIn(errors)
  return problem === undefined ? { output } : { output, problem }
}

const textOf = ({ output, problem }: Said) => (problem === undefined ? output : `error: ${problem}`)

/** The console over a driver. */
export const make = (lldb: Lldb.Lldb): Console => {
  const alone = Semaphore.makeUnsafe(1)
  let selected: { readonly thread: number; readonly frame: number } | undefined

  const said = (line: string, options?: Lldb.RunOptions): Effect.Effect<Said, Backend.Failure> =>
    lldb.run(line, options).pipe(
      // Warnings belong to the answer.
      Effect.map(({ errors, output }): Said => ({ output: errors === "" ? output : `${output}\n${errors}` })),
      Effect.catchTag("CommandFailed", ({ output, text }) => Effect.succeed(answerOf(output, text))),
      Effect.mapError(translate)
    )

  const must = (line: string) =>
    Effect.flatMap(said(line), (answer) => {
      const failed = failure(line, answer)
      return failed === undefined ? Effect.void : Effect.fail(failed)
    })

  const select = Effect.fnUntraced(function* (handle: number) {
    const { frame, thread } = LldbStacks.placeOf(handle)
    const before = selected
    selected = undefined
    if (before?.thread !== thread) yield* must(`thread select ${thread}`)
    if (before?.thread !== thread || before.frame !== frame) yield* must(`frame select ${frame}`)
    selected = { thread, frame }
  })

  const one = (line: string, frame?: number, options?: Lldb.RunOptions) =>
    Effect.andThen(frame === undefined ? Effect.void : select(frame), said(line, options)).pipe(
      // A selection that was begun must be known.
      Effect.uninterruptible,
      alone.withPermit
    )

  const limit = (millis: number | undefined) => (millis === undefined ? {} : { timeout: millis })

  const surrounded: Console["surrounded"] = ([before, line, after], frame, millis) =>
    one(line, frame, { around: [before, after], ...limit(millis) })

  const succeeded = (line: string, answer: Said): Effect.Effect<string, Errors.AdapterError> => {
    const failed = failure(line, answer)
    return failed === undefined ? Effect.succeed(answer.output) : Effect.fail(failed)
  }

  return {
    major: lldb.version.major,
    text: (line, frame) => Effect.map(one(line, frame), textOf),
    surrounded,
    command: (line, frame, millis) =>
      Effect.flatMap(one(line, frame, limit(millis)), (answer) => succeeded(line, answer)),
    formatted: (commands) => Effect.flatMap(surrounded(commands), (answer) => succeeded(commands[1], answer)),
    moved: () => {
      selected = undefined
    }
  }
}
