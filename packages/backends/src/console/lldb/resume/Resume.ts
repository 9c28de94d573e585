/**
 * Resumes by LLDB commands what lldb-dap has no request for: one thread alone, one instruction, until another frame than the
 * innermost one returns, and steps into functions without debug information.
 */
import { Requests } from "@sigtrap/dap"
import { Instruction, Parse } from "@sigtrap/lldb"
import * as Effect from "effect/Effect"
import { adapterError } from "../../Failures.ts"
import type { CommandLine, Connection, Dialect, Resume } from "../../Dialect.ts"
import { failures } from "../Failures.ts"
import * as ReturnedValue from "../values/ReturnedValue.ts"

const alone: Readonly<Record<Exclude<Resume, "continue">, string>> = {
  next: "thread step-over -m this-thread",
  step: "thread step-in -m this-thread",
  finish: "thread step-out -m this-thread"
}

const avoidsNoDebug = "settings set target.process.thread.step-in-avoid-nodebug"

/** Selects a frame, which lldb-dap does not do for the `frameId` of a command. */
export const selectFrame: NonNullable<Dialect["select"]> = (client, frame) =>
  client.request(Requests.Scopes, { frameId: frame })

/** Makes the resume commands of a connection. */
export const make = ({
  client,
  failed,
  text
}: Pick<Connection, "client" | "failed" | "text">): Pick<
  CommandLine,
  "stepInstruction" | "resumeThread" | "finishFrame" | "resumeEntering" | "discardStep"
> => {
  const run = Effect.fnUntraced(function* (line: string, frame?: number) {
    const answer = yield* text(line, frame)
    const problem = Parse.failure(answer)
    if (problem !== undefined) return yield* adapterError(failures, line, problem.trim())
    return answer
  })

  /** Returns the innermost frame of a thread. A command sent with this frame acts on the thread. */
  const topFrame = (thread: number) =>
    client
      .request(Requests.StackTrace, { threadId: thread, startFrame: 0, levels: 1 })
      .pipe(Effect.mapBoth({ onFailure: failed, onSuccess: ({ stackFrames }) => stackFrames[0]?.id }))

  /** Leaves the function of a frame. Sent together, so that no other request selects another frame in between. */
  const finishFrame = (frame: number, only: boolean) =>
    Effect.all(
      [
        Effect.ignore(selectFrame(client, frame)),
        Effect.ignore(text(ReturnedValue.recordCommand, frame)),
        run(only ? alone.finish : "thread step-out", frame)
      ],
      { concurrency: "unbounded", discard: true }
    )

  return {
    stepInstruction: Effect.fnUntraced(function* (how, thread) {
      yield* run(Instruction.step[how], yield* topFrame(thread))
    }),
    resumeThread: Effect.fnUntraced(function* (how, thread) {
      const frame = yield* topFrame(thread)
      if (how === "finish" && frame !== undefined) return yield* finishFrame(frame, true)
      if (how !== "continue") return yield* Effect.asVoid(run(alone[how], frame))
      const number = /thread #(\d+)/.exec(yield* run("thread info", frame))?.[1]
      yield* run(`thread continue ${number ?? "1"}`, frame)
    }),
    finishFrame,
    resumeEntering: Effect.fnUntraced(function* (enter, resume) {
      if (!enter) return yield* resume
      // LLDB reads the setting when the step begins.
      yield* run(`${avoidsNoDebug} false`)
      yield* resume.pipe(Effect.ensuring(Effect.ignore(text(`${avoidsNoDebug} true`))))
    }),
    discardStep: Effect.ignore(text("thread plan discard 1"))
  }
}
