/**
 * The source text of a stop report.
 */
import type { Errors, Frame, Stop } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { SourceFiles } from "../../model/sources/SourceFiles.ts"
import type { Session } from "../../session/Session.ts"
import * as RethrownErrors from "../crash/RethrownErrors.ts"

/** Returns why the text of an existing file is not shown. */
const refusalOf = ({ detail, refused: rule }: Errors.SourceNotFound): Pick<Stop.StopReport, "source_refused"> =>
  rule === undefined || rule === "absent" ? {} : { source_refused: { rule, detail: detail ?? "" } }

/**
 * The source text around a line, but not of sigtrap's own file, or why it is not shown, and whether it is newer than the program, once
 * for each client.
 */
export const at = Effect.fnUntraced(function* (session: Session, frame: Frame.Frame | undefined, around: number) {
  const { file, line } = frame ?? {}
  if (frame === undefined || file === undefined || line === undefined || RethrownErrors.isReport(frame)) {
    return { source: Option.none(), refused: {}, stale: false }
  }
  const sources = yield* SourceFiles
  const viewpoint = yield* session.viewpoint
  const text = yield* Effect.result(sources.window(file, line, around))
  if (Result.isFailure(text)) return { source: Option.none(), refused: refusalOf(text.failure), stale: false }
  const stale = viewpoint.isUnreportedStale(file) && (yield* sources.newer(file, session.launch.program))
  if (stale) viewpoint.reportStale(file)
  return { source: Option.some(text.success), refused: {}, stale }
})
