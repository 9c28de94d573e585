/**
 * The rules that keep the text of a source file from being shown.
 */
import * as Schema from "effect/Schema"

const sourceRules = [
  "outside",
  "secret",
  "system",
  "absent",
  "kind",
  "link",
  "owner",
  "size",
  "denied",
  "deadline",
  "unreadable"
] as const

/** The schema of a rule. */
export interface SourceRuleSchema extends Schema.Literals<typeof sourceRules> {}

/**
 * A rule. `outside`: no root of the session holds the file. `secret`: a file of this name may hold keys or credentials. `system`: a file
 * of the kernel or a device. The others are those of reading a file: absent, not regular, a link, too large, not permitted.
 */
export const SourceRule: SourceRuleSchema = Schema.Literals(sourceRules)
/** A rule that keeps the text of a source file from being shown. */
export type SourceRule = typeof SourceRule.Type
