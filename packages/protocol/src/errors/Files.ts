/**
 * Errors of writing a file that the caller named: it exists (exit code 6), or it cannot be written (10).
 */
import * as Schema from "effect/Schema"
import type * as Hint from "../answers/Hint.ts"
import * as Base from "./Base.ts"

/** The file exists, and the call did not allow replacing it. Nothing was written. */
export class FileExists extends Base.error<FileExists>()(
  "FileExists",
  Base.advised,
  { path: Schema.String },
  Base.code("FileExists", "FILE_EXISTS", 6, 409)
) {
  override get message() {
    return `${this.path} exists and was not replaced`
  }
  get hints(): Hint.Hints {
    return this.remedies
  }
}

const rules = ["absent", "kind", "link", "denied", "full", "unwritable"] as const

/** The schema of the rule that a file breaks. */
export interface FileRuleSchema extends Schema.Literals<typeof rules> {}

/**
 * Why a file cannot be written. `absent`: its directory does not exist. `kind`: a directory, pipe, socket or device. `link`: a
 * symbolic link. `denied`: no permission. `full`: no space or quota is left. `unwritable`: any other failure.
 */
export const FileRule: FileRuleSchema = Schema.Literals(rules)
/** Why a file cannot be written. */
export type FileRule = typeof FileRule.Type

/** A file cannot be written. What it had before is unchanged. `detail` is a clause: "it is a directory". */
export class FileNotWritten extends Base.error<FileNotWritten>()(
  "FileNotWritten",
  Base.advised,
  { path: Schema.String, rule: FileRule, detail: Schema.String },
  Base.code("FileNotWritten", "FILE_NOT_WRITTEN", 10, 403)
) {
  override get message() {
    return `${this.path} was not written: ${this.detail}`
  }
  get hints(): Hint.Hints {
    return this.remedies
  }
}
