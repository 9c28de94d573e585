/**
 * One command line in the daemon: what is received goes to the standard streams, and a daemon that stays silent ends the call.
 */
import * as StandardStreams from "./StandardStreams.ts"
import { Conversation, type CommandLine, type Outcome } from "./Wire.ts"

/** An open connection. */
export interface Wire {
  readonly send: (text: string) => void
}

/** Receives the text and the end of a connection. */
export interface Listener {
  readonly text: (text: string) => void
  readonly closed: () => void
}

/** A call that is sent when its connection is open. */
export interface DaemonCall {
  /** For the connection. */
  readonly listener: Listener
  /** Sends the command line. With `replaces`, a daemon of another version that has nothing to do ends instead. */
  readonly start: (wire: Wire, line: CommandLine, replaces: boolean) => void
  /** Asks the daemon to interrupt the command. Returns what to print of its answer. */
  readonly interrupt: () => string
}

/** Timeout of the daemon's first answer, in milliseconds. */
const SILENCE = 5000

/** Returns a call; `end` gets its outcome. The exit of the process closes the connection; closing it first would take a millisecond longer. */
export const make = (end: (outcome: Outcome) => void): DaemonCall => {
  let wire: Wire | undefined
  const conversation = new Conversation({ send: (text) => wire?.send(text), write: StandardStreams.write, end })
  return {
    listener: { text: (text) => conversation.receive(text), closed: () => conversation.closed() },
    start: (connected, line, replaces) => {
      wire = connected
      conversation.start(line, replaces)
      const silence = setTimeout(() => {
        if (conversation.heard) return
        end({ _tag: "Broken", problem: `the daemon did not answer within ${SILENCE / 1000} s`, silent: true })
      }, SILENCE)
      silence.unref()
    },
    interrupt: () => {
      conversation.interrupt()
      return conversation.partial
    }
  }
}
