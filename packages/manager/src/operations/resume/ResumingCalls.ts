/**
 * Runs the handlers that resume the program.
 */
import type { Errors } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { FileReader } from "../../ports/FileReader.ts"
import type { SourceFiles } from "../../model/sources/SourceFiles.ts"
import type { SessionSelector } from "../../session/Manager.ts"
import type { Session } from "../../session/Session.ts"
import type { Calls } from "../Calls.ts"
import * as ResumeOptions from "./ResumeOptions.ts"
import * as TimeLimit from "./TimeLimit.ts"
import type * as StopReport from "../stops/StopReport.ts"

/** Returns the way to run a handler that resumes the program, with the breakpoints and expressions of its payload, within its time. */
export const make =
  ({ launch, on }: Calls) =>
  <R extends StopReport.Report, E extends Errors.SigtrapError>(
    payload: SessionSelector & ResumeOptions.ResumeOptions & { readonly timeout: string },
    command: string,
    resume: (session: Session) => Effect.Effect<R, E, SourceFiles | FileReader>,
    isStep = false
  ) =>
    on(payload, (session) => {
      const resumed = session.answers
        .during(ResumeOptions.withOptions(session, payload, launch, resume(session)), isStep)
        .pipe(Effect.tap(({ at, data }) => Effect.sync(() => session.past.at(at?.stop ?? 0)?.amendReport(data))))
      return TimeLimit.within(resumed, payload, command)
    })
