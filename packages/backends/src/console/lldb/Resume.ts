/**
 * Resumes on the command line of the LLDB inside an adapter that lacks the request: one thread alone, one instruction,
 * into functions without debug information.
 */
import { Requests } from "@sigtrap/dap"
import { Instruction, Parse } from "@sigtrap/lldb"
import * as Effect from "effect/Effect"
import { adapterError } from "../Failures.ts"
import type { CommandLine, Connection, Resume } from "../Dialect.ts"
import { failures } from "./Failures.ts"

const alone: Readonly<Record<Exclude<Resume, "continue">, string>> = {
  next: "thread step-over -m this-thread",
  step: "thread step-in -m this-thread",
  finish: "thread step-out -m this-thread"
}

const avoidsNoDebug = "settings set target.process.thread.step-in-avoid-nodebug"

/** Makes the resumes of a connection. */
export const make = ({
  client,
  failed,
  text
}: Pick<Connection, "client" | "failed" | "text">): Pick<
  CommandLine,
  "stepInstruction" | "resumeThread" | "resumeEntering" | "discardStep"
> => {
  const run = Effect.fnUntraced(function* (line: string, frame?: number) {
    const answer = yield* text(line, frame)
    const problem = Parse.failure(answer)
    if (problem !== undefined) return yield* adapterError(failures, line, problem.trim())
    return answer
  })

  /** A command acts on the selected thread, which is the thread of the frame it is sent with. */
  const topFrame = (thread: number) =>
    client
      .request(Requests.StackTrace, { threadId: thread, startFrame: 0, levels: 1 })
      .pipe(Effect.mapBoth({ onFailure: failed, onSuccess: ({ stackFrames }) => stackFrames[0]?.id }))

  return {
    stepInstruction: Effect.fnUntraced(function* (how, thread) {
      yield* run(Instruction.step[how], yield* topFrame(thread))
    }),
    resumeThread: Effect.fnUntraced(function* (how, thread) {
      const frame = yield* topFrame(thread)
      if (how !== "continue") return yield* Effect.asVoid(run(alone[how], frame))
      const number = /thread #(\d+)/.exec(yield* run("thread info", frame))?.[1]
      yield* run(`thread continue ${number ?? "1"}`, frame)
    }),
    resumeEntering: Effect.fnUntraced(function* (enter, resume) {
      if (!enter) return yield* resume
      // LLDB reads the setting when the step begins.
      yield* run(`${avoidsNoDebug} false`)
      yield* resume.pipe(Effect.ensuring(Effect.ignore(text(`${avoidsNoDebug} true`))))
    }),
    discardStep: Effect.ignore(text("thread plan discard 1"))
  }
}
