/**
 * What can go wrong between us and an LLDB, as values: one class for each situation that a caller can act on. LLDB's own
 * words are kept verbatim in their own field.
 */
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"

/** LLDB could not be started, or does not behave as one that can be driven. */
export class LldbError extends Data.TaggedError("LldbError")<{
  /** `notFound` and `permissionDenied`: the file; `failed`: it ended or cannot be run; `unusable`: the probe failed. */
  readonly reason: "notFound" | "permissionDenied" | "failed" | "unusable"
  readonly executable: string
  /** What happened and what to do. */
  readonly detail: string
}> {
  override get message() {
    return `Cannot use ${this.executable}: ${this.detail}`
  }
}

/** LLDB wrote a line `error:` while it carried out the command. */
export class CommandFailed extends Data.TaggedError("CommandFailed")<{
  readonly command: string
  /** Everything that LLDB wrote to stderr for this command, verbatim, without the last newline. */
  readonly text: string
  /** What it had written to stdout until then. */
  readonly output: string
}> {
  override get message() {
    return this.text
  }
}

/** The command did not end in time. It was interrupted and has ended since: the next one gets its own answer. */
export class CommandTimedOut extends Data.TaggedError("CommandTimedOut")<{
  readonly command: string
  readonly after: Duration.Duration
}> {
  override get message() {
    return `LLDB did not finish ${this.command} within ${Duration.format(this.after)}; it was interrupted. Give it more time, or ask for less.`
  }
}

/** How an LLDB was lost: its process ended, or it did not come back from a command. */
export class LldbLost extends Data.TaggedError("LldbLost")<{
  /** `ended`: the process is gone; `stuck`: it lives and answers no more; `closed`: we ended it. */
  readonly reason: "ended" | "stuck" | "closed"
  readonly code?: number
  /** The signal that ended it, such as `SIGKILL`. */
  readonly signal?: string
  /** The command that was running. */
  readonly command?: string
  /** The last of what it wrote to stderr. */
  readonly stderr?: string
}> {
  override get message() {
    const during = this.command === undefined ? "" : ` during ${this.command}`
    if (this.reason === "closed") return "LLDB was closed. Start a new session."
    if (this.reason === "stuck") return `LLDB does not come back${during}, not even when interrupted. End the session.`
    const how = this.signal ?? (this.code === undefined ? "for an unknown reason" : `with code ${this.code}`)
    const said = this.stderr === undefined || this.stderr === "" ? "" : ` It said: ${this.stderr}`
    return `LLDB ended (${how})${during}. Start a new session.${said}`
  }
}

/** The command was not sent: it has a control character, would read lines of its own or end LLDB, or change how it is read. */
export class CommandRefused extends Data.TaggedError("CommandRefused")<{
  readonly command: string
  readonly reason: "interactive" | "control-character" | "settings"
}> {
  override get message() {
    if (this.reason === "settings") {
      return `The command ${JSON.stringify(this.command)} changes a setting by which LLDB's answers are read. Leave it as it is.`
    }
    return this.reason === "interactive"
      ? `The command ${JSON.stringify(this.command)} would wait for a terminal or end LLDB. Give its argument on the same line.`
      : `The command ${JSON.stringify(this.command)} has a control character, which would make it two commands. Leave it out.`
  }
}
