/**
 * The text of a source file, or why there is none.
 */
import type { Failure } from "../../connection/Answers.ts"

/** The text of a source file. Lines begin with line 1. */
export interface SourceText {
  readonly file: string
  readonly lines: ReadonlyArray<string>
  readonly stale: boolean
}

/** Why there is no source. `file` is absent if the place has none; with `absent` the file is not on this machine. */
export interface NoSource {
  readonly file?: string
  readonly absent: boolean
  /** True if the file is larger than the server shows. */
  readonly large?: boolean
  readonly message: string
}

/** Returns a clause as a sentence: "it is larger than 2 MiB". */
const sentenceOf = (clause: unknown): string | undefined =>
  typeof clause === "string" && clause !== "" ? `${clause.slice(0, 1).toUpperCase()}${clause.slice(1)}.` : undefined

/** Returns why a file has no source, as the failure of its reading says it. */
export const absentOf = (file: string, { details, message }: Pick<Failure, "details" | "message">): NoSource => ({
  file,
  absent: (details["refused"] ?? "absent") === "absent",
  large: details["refused"] === "size",
  message: sentenceOf(details["detail"]) ?? message
})
