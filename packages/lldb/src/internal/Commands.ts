/**
 * Commands, carried out one after another, each with its deadline.
 *
 * A command that is overdue is interrupted, and again when that did not help: LLDB ends a function that an expression
 * called at the second time only. Its end is still waited for, so that the next command gets its own answer. When the
 * end does not come either, LLDB is stuck. One fiber watches the deadline of whatever is running; a fiber for each
 * command would double what a command costs. It sleeps until the earliest deadline that it has seen and ends with the
 * scope.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Latch from "effect/Latch"
import { CommandFailed, CommandTimedOut, type LldbLost } from "../Errors.ts"
import type { Asked, Dialogue, Ended } from "./Dialogue.ts"

/** How a command that was sent can fail. */
export type Failure = CommandFailed | CommandTimedOut | LldbLost

/** A command's end, for its caller. */
type OnExit = (exit: Exit.Exit<Ended, Failure>) => void

/** What the queue needs of its LLDB. */
export interface Options {
  readonly dialogue: Pick<Dialogue, "begin" | "selecting">
  /** A word that was never used before. */
  readonly mark: () => string
  readonly send: (text: string) => void
  readonly interrupt: Effect.Effect<void>
  /** How long the end of an interrupted command is waited for. */
  readonly drain: Duration.Duration
  readonly onStuck: (command: string) => void
}

/** The queue of one LLDB. */
export interface Commands {
  /** Takes a command; gives what is called when nobody wants its answer any more. */
  readonly submit: (asked: Asked, limit: Duration.Duration, interruptible: boolean, onExit: OnExit) => () => void
  /** A selection was confirmed. */
  readonly confirmed: () => void
  /** Fails everything, now and from now on. */
  readonly fail: (error: LldbLost) => void
  /** The command that is running. */
  readonly running: () => string | undefined
}

interface Entry extends Asked {
  readonly limit: Duration.Duration
  readonly onExit: OnExit
  phase: "waiting" | "running" | "draining" | "confirming" | "done"
  /** On the monotonic clock, in milliseconds. */
  deadline: number
  /** When an interrupted command must have ended. */
  drained: number
  ended?: Ended
}

/** Waking later than this many milliseconds means that our process was paused, not that LLDB was slow. */
const pause = 250

/** What is given, in milliseconds, to read what came during a pause. */
const grace = 1_000

/** How many milliseconds a selection may take to be confirmed; it is an event that follows its command. */
const confirmation = 100

/** How many milliseconds an interrupted command has before it is interrupted again. */
const again = 300

const exitOf = (command: string, ended: Ended): Exit.Exit<Ended, Failure> =>
  /^error:/m.test(ended.errors)
    ? Exit.fail(new CommandFailed({ command, text: ended.errors, output: ended.output }))
    : Exit.succeed(ended)

/** Starts the queue. */
export const make = Effect.fnUntraced(function* (options: Options) {
  const clock = yield* Clock.Clock
  const now = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
  const waiting: Array<Entry> = []
  const changed = Latch.makeUnsafe()
  let current: Entry | undefined
  let lost: LldbLost | undefined
  let wakeAt = Infinity

  const due = (entry: Entry, millis: number) => {
    entry.deadline = now() + millis
    if (entry.deadline < wakeAt) changed.openUnsafe()
  }

  const finish = (entry: Entry, exit: Exit.Exit<Ended, Failure>) => {
    if (entry.phase === "done") return
    entry.phase = "done"
    current = undefined
    entry.onExit(exit)
    next()
  }

  const onEnd = (entry: Entry, ended: Ended) => {
    if (entry.phase === "draining") {
      finish(entry, Exit.fail(new CommandTimedOut({ command: entry.command, after: entry.limit })))
    } else if (options.dialogue.selecting()) {
      entry.phase = "confirming"
      entry.ended = ended
      due(entry, confirmation)
    } else {
      finish(entry, exitOf(entry.command, ended))
    }
  }

  const next = () => {
    const entry = current === undefined ? waiting.shift() : undefined
    if (entry === undefined) return
    current = entry
    entry.phase = "running"
    due(entry, Duration.toMillis(entry.limit))
    options.send(options.dialogue.begin(entry, options.mark(), (ended) => onEnd(entry, ended)))
  }

  const expire = Effect.fnUntraced(function* (entry: Entry) {
    if (entry.phase === "confirming" && entry.ended !== undefined) {
      finish(entry, exitOf(entry.command, entry.ended))
      return
    }
    if (entry.phase === "running") {
      entry.phase = "draining"
      entry.drained = now() + Duration.toMillis(options.drain)
    }
    const left = entry.drained - now()
    if (left <= 0) return options.onStuck(entry.command)
    due(entry, Math.min(left, again))
    yield* options.interrupt
  })

  yield* Effect.suspend(() => {
    changed.closeUnsafe()
    wakeAt = current?.deadline ?? Infinity
    const planned = wakeAt
    if (planned === Infinity) return changed.await
    const wait = planned - now()
    if (wait > 0) return Effect.raceFirst(clock.sleep(Duration.millis(wait)), changed.await)
    if (wait < -pause && current !== undefined) {
      current.deadline = now() + grace
      return Effect.void
    }
    return current === undefined ? Effect.void : expire(current)
  }).pipe(Effect.forever, Effect.forkScoped)

  const commands: Commands = {
    submit: (asked, limit, interruptible, onExit) => {
      const entry: Entry = { ...asked, limit, onExit, phase: "waiting", deadline: Infinity, drained: Infinity }
      if (lost !== undefined) onExit(Exit.fail(lost))
      else {
        waiting.push(entry)
        next()
      }
      return () => {
        const at = waiting.indexOf(entry)
        if (at >= 0) waiting.splice(at, 1)
        if (interruptible && entry.phase === "running") due(entry, 0)
      }
    },
    confirmed: () => {
      if (current?.phase === "confirming" && current.ended !== undefined) {
        finish(current, exitOf(current.command, current.ended))
      }
    },
    fail: (error) => {
      lost = error
      const entries = current === undefined ? waiting.splice(0) : [current, ...waiting.splice(0)]
      for (const entry of entries) finish(entry, Exit.fail(error))
    },
    running: () => current?.command
  }
  return commands
})
