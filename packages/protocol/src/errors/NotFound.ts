/**
 * Errors of something that was not found (exit code 6) or is not supported (7).
 */
import * as Schema from "effect/Schema"
import * as Hint from "../answers/Hint.ts"
import { SourceRule } from "../model/SourceRule.ts"
import * as Base from "./Base.ts"

// Exit code 6

/** No grant has this id: it was revoked, has expired, or never existed. */
export class GrantNotFound extends Base.error<GrantNotFound>()(
  "GrantNotFound",
  Base.where,
  { id: Schema.String, known: Base.Strings },
  Base.code("GrantNotFound", "GRANT_NOT_FOUND", 6, 404)
) {
  override get message() {
    return `no grant ${Base.quoted(this.id)}${this.known.length === 0 ? "; there are none" : `; there are: ${this.known.join(", ")}`}`
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [Hint.local("grant", ["list"])]
  }
}

/** No question has this number: it was answered, its time is over, its asker has left, or it never existed. */
export class RequestNotFound extends Base.error<RequestNotFound>()(
  "RequestNotFound",
  Base.where,
  { id: Schema.Int, known: Schema.Array(Schema.Int) },
  Base.code("RequestNotFound", "REQUEST_NOT_FOUND", 6, 404)
) {
  override get message() {
    return `no request ${this.id} waits for an answer${this.known.length === 0 ? "; none does" : `; there are: ${this.known.join(", ")}`}`
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [Hint.call("ask.list", {})]
  }
}

/** A test runner knows no test with this name, or several whose names contain it (`found`). `others` counts further names. */
export class TestNotFound extends Base.error<TestNotFound>()(
  "TestNotFound",
  Base.where,
  { runner: Schema.String, name: Schema.String, known: Base.Strings, others: Schema.Int, found: Schema.Int },
  Base.code("TestNotFound", "TEST_NOT_FOUND", 6, 404)
) {
  override get message() {
    const list = `${this.known.join(", ")}${this.others === 0 ? "" : `, and ${this.others} more`}`
    if (this.known.length === 0) return `${this.runner} knows no tests here`
    return this.found === 0
      ? `${this.runner} knows no test ${Base.quoted(this.name)}, but ${list}`
      : `${Base.quoted(this.name)} is part of ${this.found} tests: ${list}`
  }
  get hints(): Hint.Hints {
    const [first] = this.known
    return this.remedies ?? (first === undefined ? [Hint.help("start")] : [Hint.again("start", { test: first })])
  }
}

/** No breakpoint has one of these numbers. No breakpoint was changed. */
export class BreakpointNotFound extends Base.error<BreakpointNotFound>()(
  "BreakpointNotFound",
  Base.where,
  {
    ids: Schema.Array(Schema.Int),
    known: Schema.Array(Schema.Int),
    /** The selector as written, if it is not a number. */
    named: Schema.optionalKey(Schema.String)
  },
  Base.code("BreakpointNotFound", "BREAKPOINT_NOT_FOUND", 6, 404)
) {
  override get message() {
    return `no breakpoint ${this.named ?? this.ids.join(", ")}; ${this.known.length === 0 ? "none are set" : `there are: ${this.known.join(", ")}`}`
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [Hint.call("breakpoint.list", {})]
  }
}

/** The breakpoint does not resolve. Nothing was set. */
export class BreakpointUnresolved extends Base.error<BreakpointUnresolved>()(
  "BreakpointUnresolved",
  Base.where,
  { location: Schema.String, reason: Schema.String, near: Base.Strings },
  Base.code("BreakpointUnresolved", "BREAKPOINT_UNRESOLVED", 6, 422, ["reason", "near"])
) {
  override get message() {
    return `breakpoint not resolved: ${this.location} (${this.reason})${Base.nearest(this.near)}`
  }
  get hints(): Hint.Hints {
    if (this.remedies !== undefined) return this.remedies
    // Without a state there was no session yet, and there is none now.
    if (this.state === undefined) return [Hint.help("start")]
    // A library that is loaded later does not make an address of an expression that means nothing here.
    return this.location.startsWith("*")
      ? [Hint.call("disassemble", {}, "shows addresses")]
      : [Hint.again("break", { at: this.location, pending: true })]
  }
}

/** No thread has this id. */
export class ThreadNotFound extends Base.error<ThreadNotFound>()(
  "ThreadNotFound",
  Base.where,
  { id: Schema.Int, known: Schema.Array(Schema.Int) },
  Base.code("ThreadNotFound", "THREAD_NOT_FOUND", 6, 404)
) {
  override get message() {
    return this.known.length === 0
      ? "the debugger lists no threads"
      : `no thread ${this.id}; there are: ${this.known.join(", ")}`
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [Hint.call("threads", {})]
  }
}

/** The stack has no frame of this number. */
export class FrameNotFound extends Base.error<FrameNotFound>()(
  "FrameNotFound",
  Base.where,
  { index: Schema.Int, count: Schema.Int },
  Base.code("FrameNotFound", "FRAME_NOT_FOUND", 6, 404)
) {
  override get message() {
    return `no frame ${this.index}; the stack has ${this.count} ${this.count === 1 ? "frame" : "frames"}`
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [Hint.call("backtrace", {})]
  }
}

/** The session has no stop of this number, or it is no longer kept. `oldest` and `newest` are 0 if none is kept. */
export class StopNotFound extends Base.error<StopNotFound>()(
  "StopNotFound",
  Base.where,
  { stop: Schema.Int, oldest: Schema.Int, newest: Schema.Int },
  Base.code("StopNotFound", "STOP_NOT_FOUND", 6, 404)
) {
  override get message() {
    if (this.newest === 0) return "the program has not stopped so far"
    if (this.stop < 1) return "the first stop is #1"
    return this.stop > 0 && this.stop < this.oldest
      ? `stop #${this.stop} is no longer kept; the oldest one is #${this.oldest}`
      : `no stop #${this.stop}; there are #${this.oldest} to #${this.newest}`
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [Hint.call("stops", {})]
  }
}

/** No variable of this name is visible in the frame. `undescribed` is the function of the frame if it has no debug information. */
export class VariableNotFound extends Base.error<VariableNotFound>()(
  "VariableNotFound",
  Base.whereWithValues,
  { name: Schema.String, near: Base.Strings, undescribed: Schema.optionalKey(Schema.String) },
  Base.code("VariableNotFound", "VARIABLE_NOT_FOUND", 6, 404, ["near", "values", "undescribed"])
) {
  override get message() {
    const why = this.undescribed === undefined ? "" : `: ${this.undescribed} has no debug information (compile with -g)`
    return `no variable ${Base.quoted(this.name)} in this frame${why}${Base.nearest(this.near)}${Base.others(this)}`
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [this.undescribed === undefined ? Hint.call("locals", {}) : Hint.call("registers", {})]
  }
}

/** A reference belongs to an earlier stop. */
export class StaleReference extends Base.error<StaleReference>()(
  "StaleReference",
  Base.whereWithValues,
  { ref: Schema.String, expression: Schema.optionalKey(Schema.String) },
  Base.code("StaleReference", "STALE_REF", 6, 410, ["expression", "values"])
) {
  override get message() {
    const why =
      this.expression === undefined
        ? `${this.ref} is not a reference of this stop`
        : `${this.ref} belongs to an earlier stop; it was ${Base.quoted(this.expression)}`
    return why + Base.others(this)
  }
  get hints(): Hint.Hints {
    if (this.remedies !== undefined) return this.remedies
    return this.expression === undefined
      ? [Hint.call("locals", {})]
      : [Hint.call("print", { expressions: [this.expression] })]
  }
}

/** No function, type or address of this name was found. */
export class SymbolNotFound extends Base.error<SymbolNotFound>()(
  "SymbolNotFound",
  Base.where,
  { name: Schema.String, near: Base.Strings },
  Base.code("SymbolNotFound", "SYMBOL_NOT_FOUND", 6, 404, ["near"])
) {
  override get message() {
    return `no symbol ${Base.quoted(this.name)} found${Base.nearest(this.near)}`
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [Hint.call("modules", {})]
  }
}

/** The source file cannot be read at the path in the debug information, or no source file has this name. */
export class SourceNotFound extends Base.error<SourceNotFound>()(
  "SourceNotFound",
  Base.where,
  {
    file: Schema.String,
    near: Base.Strings,
    /** The rule that keeps the text from being shown, if that is known. */
    refused: Schema.optionalKey(SourceRule),
    /** The same as a clause: "it is in no source directory of the session". */
    detail: Schema.optionalKey(Schema.String),
    /** The function of the frame whose source was wanted, if it has no debug information. */
    undescribed: Schema.optionalKey(Schema.String)
  },
  Base.code("SourceNotFound", "SOURCE_NOT_FOUND", 6, 404, ["near", "detail", "undescribed"])
) {
  override get message() {
    if (this.undescribed !== undefined) {
      return `${this.undescribed} has no debug information, so its source is unknown (compile with -g)`
    }
    const reason = this.detail === undefined ? "" : `: ${this.detail}`
    return `cannot read the source file ${Base.quoted(this.file)}${reason}${Base.nearest(this.near)}`
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [Hint.call("files", {})]
  }
}

/** The program does not exist or is not a regular file. */
export class ProgramNotFound extends Base.error<ProgramNotFound>()(
  "ProgramNotFound",
  Base.where,
  { path: Schema.String, problem: Schema.String },
  Base.code("ProgramNotFound", "PROGRAM_NOT_FOUND", 6, 404)
) {
  override get message() {
    return `cannot debug ${this.path}: ${this.problem}`
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [Hint.help("start")]
  }
}

// Exit code 7

/** Neither the adapter nor the manager supports this. */
export class Unsupported extends Base.error<Unsupported>()(
  "Unsupported",
  Base.advised,
  { what: Schema.String, by: Schema.String },
  Base.code("Unsupported", "UNSUPPORTED", 7, 501)
) {
  override get message() {
    return `${this.by} does not support ${this.what}`
  }
  get hints(): Hint.Hints {
    return this.remedies
  }
}
