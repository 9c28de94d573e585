/**
 * What a runtime said before it ended the program: the text that glibc keeps in `__abort_msg`, a failed assertion, a panic, or the
 * last line of the output.
 */
import type { Explanation } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Lookup } from "../../ports/Faults.ts"
import type { StopPlace } from "./StopFindings.ts"

/** Longest message that is read, in bytes. */
const longest = 512

/** The expression in the message of a failed assertion, which has the name of the program and the place before it. */
const assertion = /: Assertion `(.*)' failed\.$/s

/** Returns the message of glibc before `abort`: `double free or corruption (out)`, `*** stack smashing detected ***: terminated`. */
export const glibc = Effect.fnUntraced(
  function* ({ top, view }: StopPlace, lookup: Lookup) {
    // struct abort_msg_s { unsigned int size; char msg[]; } of glibc.
    const message = yield* lookup.number("*(void**)&__abort_msg", top.handle)
    if (message === undefined || message === 0n) return undefined
    const { bytes, unreadable } = yield* view.connection.inspection.memory(message + 4n, longest)
    const end = unreadable[0]?.[0] ?? bytes.length
    const zero = bytes.indexOf(0)
    const text = new TextDecoder().decode(bytes.subarray(0, Math.min(end, zero === -1 ? end : zero))).trim()
    const told = assertion.exec(text)?.[1] ?? text
    const fact: Explanation.Fact | undefined = told === "" ? undefined : { kind: "message", text: told, by: "memory" }
    return fact
  },
  Effect.orElseSucceed(() => undefined)
)
