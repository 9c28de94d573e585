/**
 * The handler of `context`: what the program did last, and where it is.
 */
import type { Errors, Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { SourceFiles } from "../../model/sources/SourceFiles.ts"
import type { Failure } from "../../ports/Backend.ts"
import type { FileReader } from "../../ports/FileReader.ts"
import type { Session } from "../../session/Session.ts"
import * as Selection from "../frames/Selection.ts"
import * as OutputReader from "../OutputReader.ts"
import type { Reply } from "../Reply.ts"
import * as StopReport from "../stops/StopReport.ts"
import { withMembers } from "../values/ValueMembers.ts"

/** Maximum number of members of a local that are read. */
const maxMembers = 20

/** Size of the recent output in bytes. */
const maxRecent = 4096

/** Handles `context`. */
export const context = Effect.fnUntraced(function* (
  session: Session,
  payload: Operations.Payload<"context">
): Effect.fn.Return<
  Reply<Operations.Data<"context">>,
  Failure | Errors.FrameNotFound | Errors.StaleReference,
  SourceFiles | FileReader
> {
  const recent = OutputReader.newest(payload.reveal ? session.log.journal : session.maskedOutput, maxRecent).slice(-5)
  const stopped = session.log.snapshot.state === "stopped"
  const includes = (section: (typeof payload.sections)[number], byDefault: boolean) =>
    payload.sections.length === 0 ? byDefault : payload.sections.includes(section)
  const chosen = stopped
    ? yield* session.view.pipe(
        Effect.flatMap((view) =>
          Effect.gen(function* () {
            const { at, thread } = yield* Selection.locate(session, view, payload)
            if (!includes("registers", false)) return { thread: thread.id, frame: at.frame.index }
            const [general] = yield* view.registers(at)
            return { thread: thread.id, frame: at.frame.index, registers: general?.registers ?? [] }
          })
        ),
        Effect.catchTag(["NotStopped", "ThreadNotFound", "ProcessEnded", "NotRunning"], () => Effect.succeed(undefined))
      )
    : undefined
  const { data, truncated } = yield* StopReport.compose(session, {
    context: "full",
    lines: payload.lines,
    ...(chosen === undefined ? {} : { frame: chosen.frame, thread: chosen.thread })
  })
  const { source, frames, hidden_frames, ...rest } = data
  const { locals: flat, ...place } = rest
  const { depth = 0 } = payload
  const locals =
    flat === undefined || depth < 1 || !includes("locals", true)
      ? flat
      : yield* Effect.flatMap(session.view, (view) =>
          Effect.forEach(flat, (local) => withMembers(session, view, local, { depth, items: maxMembers }))
        ).pipe(
          // The program was resumed or has ended meanwhile. The values that were read are kept.
          Effect.catchTag(["NotStopped", "StaleReference", "ProcessEnded", "NotRunning", "SessionLost"], () =>
            Effect.succeed(flat)
          )
        )
  const all: Operations.Data<"context"> = {
    ...place,
    ...(includes("stack", true) && frames !== undefined ? { frames } : {}),
    ...(includes("stack", true) && hidden_frames !== undefined ? { hidden_frames } : {}),
    ...(includes("source", true) && source !== undefined ? { source } : {}),
    ...(includes("locals", true) && locals !== undefined ? { locals } : {}),
    ...(chosen?.registers === undefined ? {} : { registers: chosen.registers }),
    ...(includes("breakpoints", false) ? { set_breakpoints: session.breakpoints.list() } : {}),
    recent_output: includes("output", true) ? recent : []
  }
  return { data: all, truncated: includes("locals", true) ? truncated : [] }
})
