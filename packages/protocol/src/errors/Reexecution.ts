/**
 * Errors of running a program again to a moment of an earlier run: `back` and `last-write`. Nothing is claimed about that run.
 */
import * as Schema from "effect/Schema"
import * as Hint from "../answers/Hint.ts"
import * as Base from "./Base.ts"

// Exit code 1

/**
 * The new run differs from the earlier one, or may differ: `at` is where, `expected` what the earlier run had there, `got` what the
 * new one has. `reads` is set if the program reads what another run may not repeat, such as the time; no further attempt helps then.
 */
export class NotReproduced extends Base.error<NotReproduced>()(
  "NotReproduced",
  Base.where,
  {
    at: Schema.String,
    expected: Schema.String,
    got: Schema.String,
    reads: Schema.optionalKey(Schema.String)
  },
  Base.code("NotReproduced", "NOT_REPRODUCED", 1, 422, ["at", "expected", "got"])
) {
  override get message() {
    return this.reads === undefined
      ? `not reproduced: at ${this.at} expected ${this.expected}, but the new run has ${this.got}; no answer is certain`
      : `not reproduced: ${this.at} reads ${this.reads} (${this.got}), so another run may differ; no answer is certain`
  }
  get hints(): Hint.Hints {
    if (this.remedies !== undefined) return this.remedies
    // Without a state there is no session, so its stops cannot be read.
    return this.state === undefined
      ? [Hint.remedy("before each run, undo what a run changes, such as a file that it reads")]
      : [Hint.call("stops", {})]
  }
}

// Exit code 6

/**
 * No instruction wrote the value of `expression` up to the stop. `segment` is set if the bytes were loaded with the program.
 * `unchanged` is the number of writes to its address, if none of them changed the value. With `nth`, it was written fewer than `nth`
 * times. `detail` says what else is known of writes to the address.
 */
export class NeverWritten extends Base.error<NeverWritten>()(
  "NeverWritten",
  Base.where,
  {
    expression: Schema.String,
    address: Schema.String,
    segment: Schema.optionalKey(Schema.String),
    unchanged: Schema.optionalKey(Schema.Int),
    nth: Schema.optionalKey(Schema.Int),
    detail: Schema.optionalKey(Schema.String)
  },
  Base.code("NeverWritten", "NEVER_WRITTEN", 6, 404, ["detail"])
) {
  override get message() {
    const loaded =
      this.segment === undefined ? "" : `; it has the value that was loaded with the program (${this.segment})`
    const detail = this.detail === undefined ? loaded : `; ${this.detail}`
    if (this.unchanged !== undefined) {
      const writes = this.unchanged === 1 ? "1 write" : `${this.unchanged} writes`
      return `no write changed ${Base.quoted(this.expression)} at ${this.address} before the stop; ${writes} to its address left it as it was`
    }
    const written = this.nth === undefined ? "was not written" : `was written fewer than ${this.nth} times`
    return `${Base.quoted(this.expression)} at ${this.address} ${written} before the stop${detail}`
  }
  get hints(): Hint.Hints {
    if (this.remedies !== undefined) return this.remedies
    return this.unchanged === undefined
      ? [Hint.call("print", { expressions: [this.expression] })]
      : [Hint.again("last-write", { same_values: true })]
  }
}

// Exit code 7

const reasons = {
  size: "the value is too large for a watchpoint",
  slots: "no watchpoint is free",
  address: "the debugger cannot watch that address",
  "kernel-write":
    "the program's own writes did not give these bytes: the kernel wrote them (for example by read), another process did, or they come from a mapped file",
  machine: "watchpoints report no writes on this machine",
  shared: "its memory is shared, so it may be written at another address or by another process"
} as const

/**
 * No watchpoint can tell what wrote the value. `kernel-write`: the kernel wrote it, and no instruction of the program; `detail` names the
 * system call, if that is known. `machine`: a watchpoint reported no write at the start of the program, where there is one.
 */
export class WatchUnavailable extends Base.error<WatchUnavailable>()(
  "WatchUnavailable",
  Base.where,
  {
    expression: Schema.String,
    why: Schema.Literals(["size", "slots", "address", "kernel-write", "machine", "shared"]),
    detail: Schema.optionalKey(Schema.String)
  },
  Base.code("WatchUnavailable", "WATCH_UNAVAILABLE", 7, 501, ["detail"])
) {
  override get message() {
    if (this.why === "kernel-write" && this.detail !== undefined) {
      return `no instruction of the program wrote ${Base.quoted(this.expression)} last: the kernel did, in ${this.detail}`
    }
    const detail = this.detail === undefined ? "" : `: ${this.detail}`
    return `who wrote ${Base.quoted(this.expression)} is unknown: ${reasons[this.why]}${detail}`
  }
  get hints(): Hint.Hints {
    if (this.remedies !== undefined) return this.remedies
    if (this.why === "size") return [Hint.again("last-write", { size: 8 })]
    // A watchpoint would report nothing either.
    return this.why === "slots"
      ? [Hint.call("breakpoint.list", { kind: ["watch"] }, "a debug register is free after one is removed")]
      : [Hint.call("print", { expressions: [this.expression] })]
  }
}
