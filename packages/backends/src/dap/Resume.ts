/**
 * Resumes the program: all threads or one, steps that enter functions without debug information or skip them, steps by
 * instruction. Requests of the protocol are used if the adapter supports them, otherwise the debugger's command line.
 */
import { Capabilities, Requests, type Client, type Errors as Dap } from "@sigtrap/dap"
import type { Backend } from "@sigtrap/manager"
import { Errors, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { CommandLine, Resume } from "../console/Dialect.ts"

/** The parts of a connection that this module uses. */
export interface Options {
  readonly client: Client.Client
  readonly failed: (error: Dap.RequestError) => Backend.Failure
  readonly commandLine: CommandLine | undefined
  /** The adapter's name in messages. */
  readonly name: string
}

const requests = { next: Requests.Next, step: Requests.StepIn, finish: Requests.StepOut } as const

const instructionRequests = { stepi: Requests.StepIn, nexti: Requests.Next } as const

/** Makes the function that resumes the program of one connection. */
export const make = ({ client, commandLine, failed, name }: Options) => {
  const supports = (capability: Capabilities.Capability) => Capabilities.supports(client.capabilities(), capability)

  const unsupported = (what: string, how: Backend.Resume) =>
    new Errors.Unsupported({ what, by: name, remedies: [Hint.call(how, {})] })

  const request = (how: Resume, thread: number, singleThread: boolean) => {
    const body = { threadId: thread, ...(singleThread ? { singleThread: true } : {}) }
    const sent: Effect.Effect<unknown, Dap.RequestError> =
      how === "continue" ? client.request(Requests.Continue, body) : client.request(requests[how], body)
    return Effect.asVoid(Effect.mapError(sent, failed))
  }

  const stepInstruction = Effect.fnUntraced(function* (how: "stepi" | "nexti", thread: number) {
    if (supports("supportsSteppingGranularity")) {
      yield* client
        .request(instructionRequests[how], { threadId: thread, granularity: "instruction" })
        .pipe(Effect.mapError(failed))
      return
    }
    if (commandLine?.stepInstruction === undefined) return yield* unsupported("stepping by instruction", "step")
    yield* commandLine.stepInstruction(how, thread)
  })

  return Effect.fnUntraced(function* (how: Backend.Resume, thread: number, manner: Backend.ResumeOptions) {
    if (how === "stepi" || how === "nexti") return yield* stepInstruction(how, thread)
    const alone = manner.only === true
    const finishFrame = how === "finish" && manner.frame !== undefined ? commandLine?.finishFrame : undefined
    if (finishFrame !== undefined && manner.frame !== undefined) return yield* finishFrame(manner.frame, alone)
    const enter = manner.system === true
    if (enter && commandLine === undefined) {
      return yield* unsupported("stepping into functions without debug information", how)
    }
    const byCommand = alone && !supports("supportsSingleThreadExecutionRequests")
    if (byCommand && commandLine?.resumeThread === undefined) return yield* unsupported("running one thread alone", how)
    const resume =
      byCommand && commandLine?.resumeThread !== undefined
        ? commandLine.resumeThread(how, thread)
        : request(how, thread, alone)
    yield* commandLine === undefined ? resume : commandLine.resumeEntering(enter, resume)
  })
}
