/**
 * Failures of an LLDB: one class for each situation that a caller can act on. LLDB's text is kept verbatim in a field.
 */
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"

/** LLDB could not be started, or does not behave as the driver needs. */
export class LldbError extends Data.TaggedError("LldbError")<{
  /** `notFound` and `permissionDenied` concern the file; `failed`: it exited or cannot be run; `unusable`: a first command failed. */
  readonly reason: "notFound" | "permissionDenied" | "failed" | "unusable"
  readonly executable: string
  /** What happened and what to do. */
  readonly detail: string
}> {
  override get message() {
    return `Cannot use ${this.executable}: ${this.detail}`
  }
}

/** LLDB printed a line `error:` for the command. */
export class CommandFailed extends Data.TaggedError("CommandFailed")<{
  readonly command: string
  /** All stderr output of the command, verbatim, without the last newline. */
  readonly text: string
  /** The stdout output of the command. */
  readonly output: string
}> {
  override get message() {
    return this.text
  }
}

/** The command timed out. It was interrupted and has ended, so the next command can run. */
export class CommandTimedOut extends Data.TaggedError("CommandTimedOut")<{
  readonly command: string
  readonly after: Duration.Duration
}> {
  override get message() {
    return `LLDB did not finish ${this.command} within ${Duration.format(this.after)}; it was interrupted. Give it more time, or ask for less.`
  }
}

/** An LLDB cannot be used any more: its process has exited, or it does not end a command. */
export class LldbLost extends Data.TaggedError("LldbLost")<{
  /** `ended`: the process has exited; `stuck`: it runs but does not answer; `closed`: the scope has ended it. */
  readonly reason: "ended" | "stuck" | "closed"
  readonly code?: number
  /** The signal that ended it, such as `SIGKILL`. */
  readonly signal?: string
  /** The running command. */
  readonly command?: string
  /** The end of its stderr output. */
  readonly stderr?: string
}> {
  override get message() {
    const during = this.command === undefined ? "" : ` during ${this.command}`
    if (this.reason === "closed") return "LLDB was closed. Start a new session."
    if (this.reason === "stuck") return `LLDB does not answer${during}, not even after an interrupt. End the session.`
    const how = this.signal ?? (this.code === undefined ? "for an unknown reason" : `with code ${this.code}`)
    const printed = this.stderr === undefined || this.stderr === "" ? "" : ` It printed: ${this.stderr}`
    return `LLDB ended (${how})${during}. Start a new session.${printed}`
  }
}

/** The command was not sent: it has a control character, would read further lines or end LLDB, or changes a reserved setting. */
export class CommandRefused extends Data.TaggedError("CommandRefused")<{
  readonly command: string
  readonly reason: "interactive" | "control-character" | "settings"
}> {
  override get message() {
    if (this.reason === "settings") {
      return `The command ${JSON.stringify(this.command)} changes a setting that is needed to read LLDB's output. Do not change it.`
    }
    return this.reason === "interactive"
      ? `The command ${JSON.stringify(this.command)} would wait for a terminal or end LLDB. Give its argument on the same line.`
      : `The command ${JSON.stringify(this.command)} has a control character, which would make it two commands. Leave it out.`
  }
}
