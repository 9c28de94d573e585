/**
 * Answers requests about a stopped program by LLDB commands: modules, registers, globals and those of `console/lldb`.
 */
import { Modules, Registers } from "@sigtrap/lldb"
import type { Inspection } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import type { Console } from "./Console.ts"
import type { Values } from "./Values.ts"
import type { CallFrames } from "../console/lldb/frames/CallFrames.ts"
import * as LldbInspection from "../console/lldb/Inspection.ts"

/** Makes the inspection over one console. */
export const make = (console: Console, values: Values, calls: CallFrames): Inspection.Inspection => {
  const modules = Effect.gen(function* () {
    const listed = yield* Modules.parseInSteps(yield* console.command(Modules.list))
    const files = yield* Modules.filesInSteps(yield* console.command(Modules.symbolFiles))
    return listed.map((module, index): Inspection.Module => {
      const file = files[index]
      const symbols =
        file === undefined || file === ""
          ? { symbols: "none" as const }
          : { symbols: "loaded" as const, symbol_file: file }
      return { ...module, ...symbols }
    })
  })
  return {
    ...LldbInspection.make({
      major: console.major,
      dumps: true,
      command: console.command,
      commandText: (line) => console.text(line),
      formatted: console.formatted,
      modules,
      calls
    }),
    globals: values.globals,
    registers: (frame) => Effect.map(console.command(Registers.all, frame), Registers.groups),
    modules
  }
}
