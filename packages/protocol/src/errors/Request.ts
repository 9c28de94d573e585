/**
 * Errors of a failed operation (exit code 1) and of a wrong request (2).
 */
import * as Schema from "effect/Schema"
import * as Expression from "../text/Expression.ts"
import * as Hint from "../answers/Hint.ts"
import * as Base from "./Base.ts"

// Exit code 1

const reasons = [
  "unknown-name",
  "unknown-type",
  "unknown-function",
  "interrupted",
  "not-running",
  "unreadable",
  "not-assignable",
  "wrong-type",
  "bit-field",
  "not-run"
] as const

/** The schema of the reason of a refusal. */
export interface AdapterReasonSchema extends Schema.Literals<typeof reasons> {}

/**
 * The meaning of a debugger's message, recognized by the backend; absent if it has none of these. `not-run`: the debugger rejected the
 * expression or command before it evaluated or changed anything.
 */
export const AdapterReason: AdapterReasonSchema = Schema.Literals(reasons)
/** The meaning of a debugger's message. */
export type AdapterReason = typeof AdapterReason.Type

/**
 * The adapter refused a request (DAP response with `success: false`). `detail` is its message and `reason` what that
 * message means. `by` names another tool.
 */
export class AdapterError extends Base.error<AdapterError>()(
  "AdapterError",
  Base.where,
  {
    command: Schema.String,
    detail: Schema.String,
    by: Schema.optionalKey(Schema.String),
    reason: Schema.optionalKey(AdapterReason),
    /** The name of the reason `unknown-name`. */
    unknown: Schema.optionalKey(Schema.String)
  },
  Base.code("AdapterError", "ADAPTER_ERROR", 1, 502, ["detail"])
) {
  override get message() {
    return `${this.by ?? "the debugger"} refused ${this.command}: ${this.detail}`
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [Hint.call("status", {})]
  }
}

/** An expression could not be evaluated in the selected frame (DAP `evaluate`). `reason` is that of the debugger. */
export class EvaluationFailed extends Base.error<EvaluationFailed>()(
  "EvaluationFailed",
  Base.whereWithValues,
  {
    expression: Schema.String,
    detail: Schema.String,
    reason: Schema.optionalKey(AdapterReason),
    /** The name of the reason `unknown-name`. */
    unknown: Schema.optionalKey(Schema.String)
  },
  Base.code("EvaluationFailed", "EVALUATION_FAILED", 1, 422, ["detail", "values"])
) {
  override get message() {
    return `cannot evaluate ${Base.quoted(this.expression)}: ${this.detail}${Base.others(this)}`
  }
  get hints(): Hint.Hints {
    if (this.remedies !== undefined) return this.remedies
    // What a shell leaves of `a->b`.
    return this.expression.endsWith("-")
      ? [Hint.remedy("write the expression in quotes, because a shell takes > for a redirection")]
      : [Hint.call("locals", {})]
  }
}

/** The expression of `print` may change the program. */
export class SideEffects extends Base.error<SideEffects>()(
  "SideEffects",
  Base.whereWithValues,
  { expression: Schema.String },
  Base.code("SideEffects", "EVALUATION_FAILED", 1, 422, ["detail", "values"])
) {
  override get message() {
    const { length } = this.expression
    return length > Expression.longest
      ? `the expression has ${length} characters; print reads one of at most ${Expression.longest}${Base.others(this)}`
      : `${Base.quoted(this.expression)} was not evaluated, because it may change the program${Base.others(this)}`
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [Hint.call("eval", { expression: this.expression })]
  }
}

/**
 * The program could not be started (DAP `launch`), or the build command `build` failed before. `does` says what that command does,
 * if it builds nothing. `log` has the last lines of the adapter or of the build. `reason` is set if the system does not allow the
 * debugger to start or trace it.
 */
export class LaunchFailed extends Base.error<LaunchFailed>()(
  "LaunchFailed",
  Base.where,
  {
    program: Schema.String,
    detail: Schema.String,
    build: Schema.optionalKey(Schema.String),
    does: Schema.optionalKey(Schema.Literals(["list tests", "run tests"])),
    log: Schema.optionalKey(Schema.String),
    reason: Schema.optionalKey(Schema.Literal("forbidden"))
  },
  Base.code("LaunchFailed", "LAUNCH_FAILED", 1, 502, ["detail", "log"])
) {
  override get message() {
    if (this.build === undefined) return `cannot start ${this.program}: ${this.detail}`
    if (this.does === "run tests") return `the tests could not be run: ${this.detail}`
    return this.does === undefined
      ? `the build failed and the program was not started: ${this.detail}`
      : `the tests could not be listed and none was run: ${this.detail}`
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [Hint.remedy(this.build ?? `file ${Base.quoted(this.program)}`)]
  }
}

/** An `expect` of a script is not met. `actual` is the value in the answer before it, absent if there is none. */
export class AssertionFailed extends Base.error<AssertionFailed>()(
  "AssertionFailed",
  Base.where,
  {
    path: Schema.String,
    expected: Schema.String,
    actual: Schema.optionalKey(Schema.String)
  },
  Base.code("AssertionFailed", "ASSERTION_FAILED", 1, 422, ["actual"])
) {
  override get message() {
    return `expected ${this.path}=${this.expected}, but ${this.actual === undefined ? "it is absent" : `it is ${this.actual}`}`
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [Hint.call("status", {})]
  }
}

/** The answer is larger than the limit of a message to a client. The operation has run; only its answer is lost. */
export class AnswerTooLarge extends Base.error<AnswerTooLarge>()(
  "AnswerTooLarge",
  Base.where,
  { bytes: Schema.Int, limit: Schema.Int },
  Base.code("AnswerTooLarge", "ANSWER_TOO_LARGE", 1, 413)
) {
  override get message() {
    return `the operation has run, but its answer has ${this.bytes} bytes; the limit is ${this.limit}`
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [Hint.remedy("ask for less: a page, a filter or fewer lines")]
  }
}

// Exit code 2

/** The request is wrong: an unknown command or option, a missing or malformed value. */
export class Usage extends Base.error<Usage>()(
  "Usage",
  Base.advised,
  { problem: Schema.String, near: Base.Strings },
  Base.code("Usage", "USAGE", 2, 400, ["problem", "near"])
) {
  override get message() {
    return `${this.problem}${Base.nearest(this.near)}`
  }
  get hints(): Hint.Hints {
    return this.remedies
  }
}

/** A configuration or scenario file has a mistake. */
export class InvalidConfig extends Base.error<InvalidConfig>()(
  "InvalidConfig",
  Base.where,
  { file: Schema.String, problems: Base.Strings },
  Base.code("InvalidConfig", "INVALID_CONFIG", 2, 400, ["file", "problems"])
) {
  override get message() {
    return `${this.file}: ${this.problems.join("; ")}`
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [Hint.local("config.validate")]
  }
}

/** The text is not a location, such as `app.c:14` or a function. */
export class InvalidLocation extends Base.error<InvalidLocation>()(
  "InvalidLocation",
  Base.where,
  { text: Schema.String, problem: Schema.String },
  Base.code("InvalidLocation", "INVALID_LOCATION", 2, 400)
) {
  override get message() {
    return `${Base.quoted(this.text)} is not a location: ${this.problem}`
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [Hint.help("break")]
  }
}
