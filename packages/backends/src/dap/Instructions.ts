/**
 * Single instructions, and the value a function returned: by the protocol where the adapter advertises it, otherwise on
 * the LLDB command line inside the adapter.
 */
import { Capabilities, Requests, type Client, type Errors as Dap, type Models } from "@sigtrap/dap"
import { Instruction, Parse } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import { Errors } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"

/** What they are asked through. */
export interface Options {
  readonly client: Client.Client
  readonly commandText: (line: string, frame?: number) => Effect.Effect<string, Backend.Failure>
  readonly failed: (error: Dap.RequestError) => Backend.Failure
  readonly valueOf: (variable: Models.Variable) => Backend.Value
  /** The instruction of a frame, from a debugger that is no LLDB. */
  readonly at?: Backend.Connection["instruction"]
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
export const make = ({ at, client, commandText, failed, valueOf }: Options): Instructions => {
  /** The value that an adapter shows as a scope of its own. */
  const inScope = Effect.fnUntraced(function* (frame: number) {
    const { scopes } = yield* client.request(Requests.Scopes, { frameId: frame }).pipe(Effect.mapError(failed))
    const scope = scopes.find(({ presentationHint }) => presentationHint === "returnValue")
    if (scope === undefined) return undefined
    const { variables } = yield* client
      .request(Requests.Variables, { variablesReference: scope.variablesReference })
      .pipe(Effect.mapError(failed))
    const [value] = variables
    return value === undefined ? undefined : { ...valueOf(value), name: "return", kind: "return" as const }
  })

  return {
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

    at:
      at ??
      ((frame) =>
        Effect.map(commandText(Instruction.here, frame), (text) => {
          const found = Instruction.parse(text)
          return found === undefined ? undefined : `${found.address} ${found.text}`
        })),

    returned: (frame) =>
      at === undefined
        ? Effect.map(commandText(Instruction.about, frame), (text) => {
            const found = Instruction.returned(text)
            return found === undefined ? undefined : { name: "return", kind: "return" as const, handle: 0, ...found }
          })
        : inScope(frame)
  }
}
