/**
 * Runs commands on the command line of one LLDB, in a given thread and frame. A group of commands runs without other
 * commands between them. Failures become errors of the protocol package.
 *
 * A frame's handle consists of LLDB's thread number and the frame number. The thread and frame are selected only if a
 * command needs others than the selected ones. After a stop the selection is unknown.
 */
import { type Frames, Lldb } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import { CallRequests, Errors, Hint } from "@sigtrap/protocol"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { adapterError } from "../console/Failures.ts"
import { failures } from "../console/lldb/Failures.ts"
import * as FrameHandles from "../console/lldb/frames/FrameHandles.ts"
import type { UnansweredRequests } from "../process/UnansweredRequests.ts"

/** The output of a command; `problem` is why it failed, without `error: `. */
export interface Output {
  readonly output: string
  readonly problem?: string
}

/** The command line of one LLDB. */
export interface Console {
  readonly major: number
  /** The output of a command; a failure begins with `error: `. */
  readonly text: (line: string, frame?: number) => Effect.Effect<string, Backend.Failure>
  /** The output of a command that must succeed, within `millis`. */
  readonly command: (line: string, frame?: number, millis?: number) => Effect.Effect<string, Backend.Failure>
  /** The output of the middle one of three commands; the others change a setting and restore it. */
  readonly surrounded: (
    commands: Frames.Formatted,
    frame?: number,
    millis?: number
  ) => Effect.Effect<Output, Backend.Failure>
  /** The same for a command that must succeed. */
  readonly formatted: (commands: Frames.Formatted) => Effect.Effect<string, Backend.Failure>
  /** Forgets which frame LLDB has selected; called after each stop. */
  readonly forgetSelection: () => void
}

const longest = 4000

/** The name of a failed command in messages: its words before the options. */
const named = (line: string) => line.split(" -")[0] ?? line

/** Translates failures of the driver to errors of the contract. */
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

/** How LLDB ended, for a sentence that begins with its name. */
export const endOf = ({ code, reason, signal }: Lldb.LldbLost): string =>
  reason === "stuck"
    ? "does not return from a command"
    : signal !== undefined
      ? `was killed by ${signal}`
      : code === undefined
        ? "has gone away"
        : `exited with code ${code}`

/** The failure in the output of a command. */
export const failure = (line: string, { problem }: Output): Errors.AdapterError | undefined =>
  problem === undefined ? undefined : adapterError(failures, named(line), problem.trim().slice(0, longest))

/** Matches LLDB's messages about defects of debug information, which can follow any command. */
const debugInfoDefect = /^error: .*\b0x[0-9a-f]{6,}: .*\bDW_/

/** Returns the failure in a text of stderr; undefined if every line is about debug information. */
const problemIn = (text: string): string | undefined => {
  const lines = text.split("\n")
  return lines.every((line) => line.trim() === "" || debugInfoDefect.test(line))
    ? undefined
    : lines
        .filter((line) => !debugInfoDefect.test(line))
        .join("\n")
        .replace(/^error: /, "")
}

const answerOf = (output: string, errors: string): Output => {
  const problem = problemIn(errors)
  return problem === undefined ? { output } : { output, problem }
}

/** Returns the answer of a command that another command has run. */
export const outputOf = (output: string, errors: string): Output =>
  /^error:/m.test(errors) ? answerOf(output, errors) : { output: errors === "" ? output : `${output}\n${errors}` }

const textOf = ({ output, problem }: Output) => (problem === undefined ? output : `error: ${problem}`)

const isLate = ({ _tag }: Lldb.RunError): boolean => _tag === "CommandTimedOut"

const overdue = (command: string) => (millis: number) =>
  new Lldb.CommandTimedOut({ command, after: Duration.millis(millis) })

/** Makes the console over a driver, whose commands have a time limit of `millis`. */
export const make = (lldb: Lldb.Lldb, unanswered: UnansweredRequests, millis: number): Console => {
  const heard = Effect.sync(unanswered.heard)
  const alone = Semaphore.makeUnsafe(1)
  let selected: { readonly thread: number; readonly frame: number } | undefined

  const run = (line: string, options?: Lldb.RunOptions): Effect.Effect<Output, Backend.Failure> => {
    const name = named(line)
    const send = (timeout: number) => lldb.run(line, { ...options, timeout })
    const limit = { connection: lldb, name, millis, isLate, late: overdue(line) }
    const limited =
      options?.timeout === undefined
        ? CallRequests.limited(limit, send)
        : CallRequests.noted(name, lldb.run(line, options))
    const sent = Effect.tapError(Effect.tap(limited, heard), (error) => (isLate(error) ? Effect.void : heard))
    // A command with a timeout of its own may run code of the program.
    return (options?.timeout === undefined ? unanswered.during(name, sent) : sent).pipe(
      // Warnings are part of the output.
      Effect.map(({ errors, output }): Output => ({ output: errors === "" ? output : `${output}\n${errors}` })),
      Effect.catchTag("CommandFailed", ({ output, text }) => Effect.succeed(answerOf(output, text))),
      Effect.mapError(translate)
    )
  }

  const must = (line: string) =>
    Effect.flatMap(run(line), (answer) => {
      const failed = failure(line, answer)
      return failed === undefined ? Effect.void : Effect.fail(failed)
    })

  const select = Effect.fnUntraced(function* (handle: number) {
    const { frame, thread } = FrameHandles.placeOf(handle)
    const before = selected
    selected = undefined
    if (before?.thread !== thread) yield* must(`thread select ${thread}`)
    if (before?.thread !== thread || before.frame !== frame) yield* must(`frame select ${frame}`)
    selected = { thread, frame }
  })

  const one = (line: string, frame?: number, options?: Lldb.RunOptions) =>
    Effect.andThen(frame === undefined ? Effect.void : select(frame), run(line, options)).pipe(
      // An interrupted selection would leave the selected frame unknown.
      Effect.uninterruptible,
      alone.withPermit
    )

  const limit = (millis: number | undefined) => (millis === undefined ? {} : { timeout: millis })

  const surrounded: Console["surrounded"] = ([before, line, after], frame, millis) =>
    one(line, frame, { around: [before, after], ...limit(millis) })

  const succeeded = (line: string, answer: Output): Effect.Effect<string, Errors.AdapterError> => {
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
    forgetSelection: () => {
      selected = undefined
    }
  }
}
