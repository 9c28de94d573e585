/**
 * Errors of attaching: the process was not found (exit code 6) or the debugger could not attach (1).
 */
import * as Schema from "effect/Schema"
import * as Model from "../internal/Model.ts"
import * as Hint from "../answers/Hint.ts"
import * as Base from "./Base.ts"

/** A process in the list of an error. */
export class Candidate extends Model.of<Candidate>()(Schema.Struct({ pid: Schema.Int, command: Schema.String })) {}

/** No process matches, or several do (`matches`). `detail` replaces the message. */
export class ProcessNotFound extends Base.error<ProcessNotFound>()(
  "ProcessNotFound",
  Base.where,
  {
    target: Schema.String,
    matches: Schema.Array(Candidate),
    detail: Schema.optionalKey(Schema.String)
  },
  Base.code("ProcessNotFound", "PROCESS_NOT_FOUND", 6, 404, ["matches", "detail"])
) {
  override get message() {
    if (this.detail !== undefined) return this.detail
    const shown = this.matches.slice(0, 5).map(({ command, pid }) => `${pid} (${command.slice(0, 60)})`)
    return this.matches.length === 0
      ? `no process ${Base.quoted(this.target)}`
      : `${this.matches.length} processes are named ${this.target}: ${shown.join(", ")}`
  }
  get hints(): Hint.Hints {
    if (this.remedies !== undefined) return this.remedies
    return this.matches.length === 0
      ? [Hint.remedy(`ps -e | grep ${Base.quoted(this.target)}`)]
      : this.matches.map(({ pid }) => Hint.call("attach", { pid }))
  }
}

/** The debugger could not attach to the process, core file or debug server (DAP `attach`). */
export class AttachFailed extends Base.error<AttachFailed>()(
  "AttachFailed",
  Base.where,
  {
    target: Schema.String,
    detail: Schema.String,
    /** Set if a retry can help: nothing listens at the address, or the server closed the connection. */
    reason: Schema.optionalKey(Schema.Literal("connection-refused"))
  },
  Base.code("AttachFailed", "ATTACH_FAILED", 1, 502, ["detail"])
) {
  override get message() {
    return `cannot attach to ${this.target}: ${this.detail}`
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [Hint.help("attach")]
  }
}
