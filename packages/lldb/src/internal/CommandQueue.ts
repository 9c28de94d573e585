/**
 * Runs commands one after another, each with a timeout.
 *
 * A command that times out is interrupted, repeatedly, because LLDB ends a function call in an expression only at the
 * second interrupt. Its end is awaited, so that the next command gets its own output; if it does not come, LLDB is stuck.
 * One fiber watches the deadline of the running command, since one fiber per command would double the cost of a command.
 * It sleeps until the earliest deadline it has seen and ends with the scope.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Latch from "effect/Latch"
import { CommandFailed, CommandTimedOut, type LldbLost } from "../Errors.ts"
import type { Request, StreamSplitter, Ended } from "./StreamSplitter.ts"

/** The failures of a sent command. */
export type Failure = CommandFailed | CommandTimedOut | LldbLost

/** Called at the end of a command. */
type OnExit = (exit: Exit.Exit<Ended, Failure>) => void

/** The functions of the LLDB that the queue uses. */
export interface Options {
  readonly streams: Pick<StreamSplitter, "begin" | "selecting">
  /** Returns a new end mark. */
  readonly mark: () => string
  readonly send: (text: string) => void
  readonly interrupt: Effect.Effect<void>
  /** Timeout from the interruption of a command to its end. */
  readonly drain: Duration.Duration
  readonly onStuck: (command: string) => void
}

/** The queue of one LLDB. */
export interface CommandQueue {
  /** Adds a command; returns the function to call if its caller is interrupted. */
  readonly submit: (request: Request, limit: Duration.Duration, interruptible: boolean, onExit: OnExit) => () => void
  /** Called when a `thread select` was confirmed. */
  readonly confirmed: () => void
  /** Fails all commands, and all later ones. */
  readonly fail: (error: LldbLost) => void
  /** Returns the running command. */
  readonly running: () => string | undefined
}

interface Entry extends Request {
  readonly limit: Duration.Duration
  readonly onExit: OnExit
  phase: "waiting" | "running" | "draining" | "confirming" | "done"
  /** On the monotonic clock, in milliseconds. */
  deadline: number
  /** When an interrupted command must have ended, in milliseconds. */
  drained: number
  ended?: Ended
}

/** If the watcher wakes later than this, in milliseconds, this process was paused; LLDB was not slow. */
const pause = 250

/** Additional time after a pause, in milliseconds, to read what arrived during it. */
const grace = 1_000

/** Time for the confirmation of a selection, in milliseconds: an event that follows the command. */
const confirmation = 100

/** Interval between interrupts of a command, in milliseconds. */
const interruptInterval = 300

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
    } else if (options.streams.selecting()) {
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
    options.send(options.streams.begin(entry, options.mark(), (ended) => onEnd(entry, ended)))
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
    due(entry, Math.min(left, interruptInterval))
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

  const queue: CommandQueue = {
    submit: (request, limit, interruptible, onExit) => {
      const entry: Entry = { ...request, limit, onExit, phase: "waiting", deadline: Infinity, drained: Infinity }
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
  return queue
})
