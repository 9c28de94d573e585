/**
 * The value of a Go panic that is not a text, such as a structure: the debugger has no message for it. The runtime has it in the argument of
 * `runtime.fatalpanic` (runtime/panic.go of Go).
 */
import * as Effect from "effect/Effect"
import type { StopPlace } from "./StopFindings.ts"

/** Matches the words of a debugger that have no message, or a number, which may be an address. */
const withoutMessage = /^(?:panic: )?(?:panic|\d+)?$/

/** The type of the argument, which each value has. */
const interfaceType = /^(?:interface \{\}|any)(?=\()/

/** Returns the value of a panic with its type; undefined if the debugger has a message, or the value cannot be read. */
export const of = Effect.fnUntraced(
  function* ({ page, thread, view }: StopPlace, described: string | undefined) {
    const runtime = page.frames.find(({ function: name }) => name === "runtime.fatalpanic")
    if (runtime === undefined || !withoutMessage.test(described ?? "")) return undefined
    const { value } = yield* view.evaluate("(*msgs).arg", yield* view.frame(thread, runtime.index), "read")
    const text = value.replace(interfaceType, "")
    return text === value || text === "" ? undefined : text
  },
  Effect.orElseSucceed(() => undefined)
)
