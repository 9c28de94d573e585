/**
 * Single instructions, and the value a function returned: by the protocol where the adapter advertises it, otherwise on
 * the LLDB command line inside the adapter.
 */
import { Capabilities, Requests, type Client, type Errors as Dap } from "@sigtrap/dap"
import { Instruction, Parse } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import { Errors } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"

/** What they are asked through. */
export interface Options {
  readonly client: Client.Client
  readonly commandText: (line: string, frame?: number) => Effect.Effect<string, Backend.Failure>
  readonly failed: (error: Dap.RequestError) => Backend.Failure
}

/** The requests. */
export interface Instructions {
  /** Steps one instruction. */
  readonly step: (how: "stepi" | "nexti", thread: number) => Effect.Effect<void, Backend.Failure>
  readonly at: Backend.Connection["instruction"]
  readonly returned: Backend.Connection["returned"]
}

const stepping = { stepi: Requests.StepIn, nexti: Requests.Next } as const

/** The requests of one adapter. */
export const make = ({ client, commandText, failed }: Options): Instructions => ({
  step: Effect.fnUntraced(function* (how, thread) {
    if (Capabilities.supports(client.capabilities(), "supportsSteppingGranularity")) {
      yield* client
        .request(stepping[how], { threadId: thread, granularity: "instruction" })
        .pipe(Effect.mapError(failed))
      return
    }
    // A command acts on the selected thread, which is that of the frame it is given.
    const page = yield* client
      .request(Requests.StackTrace, { threadId: thread, startFrame: 0, levels: 1 })
      .pipe(Effect.mapError(failed))
    const command = Instruction.step[how]
    const problem = Parse.failure(yield* commandText(command, page.stackFrames[0]?.id))
    if (problem !== undefined) return yield* new Errors.AdapterError({ command, detail: problem.trim() })
  }),

  at: (frame) =>
    Effect.map(commandText(Instruction.here, frame), (text) => {
      const found = Instruction.parse(text)
      return found === undefined ? undefined : `${found.address} ${found.text}`
    }),

  returned: (frame) =>
    Effect.map(commandText(Instruction.about, frame), (text) => {
      const found = Instruction.returned(text)
      return found === undefined ? undefined : { name: "return", kind: "return" as const, handle: 0, ...found }
    })
})
