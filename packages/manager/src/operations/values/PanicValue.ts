/**
 * The value of a Go panic for which the debugger has no message: one that is not a text, such as a structure, and one of a test, where the
 * debugger stops in package testing. The runtime has it in the argument of `runtime.fatalpanic` or `runtime.gopanic` (runtime/panic.go of Go).
 */
import type { Frame } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { StopView } from "../../session/values/StopView.ts"

/** Matches the words of a debugger that have no message, or a number, which may be an address. */
const withoutMessage = /^(?:panic: )?(?:panic|\d+)?$/

/** The type of the argument, which each value has. */
const interfaceType = /^(?:interface \{\}|any)(?=\()/

/** The functions that have the value, and the expression for it. */
const places: ReadonlyArray<readonly [name: string, expression: string]> = [
  ["runtime.fatalpanic", "(*msgs).arg"],
  ["runtime.gopanic", "e"]
]

/** The innermost frames of a stopped thread. */
export interface Place {
  readonly view: StopView
  readonly thread: number
  readonly page: { readonly frames: ReadonlyArray<Frame.Frame> }
}

/** Returns the value of a panic with its type; undefined if the debugger has a message, or the value cannot be read. */
export const of = Effect.fnUntraced(
  function* ({ page, thread, view }: Place, described: string | undefined) {
    const [found] = places.flatMap(([name, expression]) => {
      const frame = page.frames.find((one) => one.function === name)
      return frame === undefined ? [] : [{ frame, expression }]
    })
    if (found === undefined || !withoutMessage.test(described ?? "")) return undefined
    const { value } = yield* view.evaluate(found.expression, yield* view.frame(thread, found.frame.index), "read")
    const text = value.replace(interfaceType, "")
    return text === value || text === "" ? undefined : text
  },
  Effect.orElseSucceed(() => undefined)
)
