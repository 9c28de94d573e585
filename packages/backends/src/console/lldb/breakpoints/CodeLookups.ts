/**
 * What LLDB prints about the code at an address. A loop stops at the same addresses again and again, and the answer is the same until
 * modules are loaded or unloaded.
 */
import { Locations } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"

/** The parts of a connection that this module uses. */
export interface Options {
  readonly command: (line: string) => Effect.Effect<string, Backend.Failure>
  /** True if `forget` is called whenever modules were loaded or unloaded. */
  readonly isKept: () => boolean
}

/** Maximum number of addresses. An answer has some KiB. */
const maxAddresses = 64

/** The answers of one connection. */
export interface CodeLookups {
  /** Returns the answer to `Locations.lookupAt`. */
  readonly text: (address: string) => Effect.Effect<string, Backend.Failure>
  readonly forget: () => void
}

/** Makes the answers of one connection. */
export const make = ({ command, isKept }: Options): CodeLookups => {
  let known = new Map<string, string>()
  return {
    text: (address) =>
      Effect.suspend(() => {
        const found = isKept() ? known.get(address) : undefined
        if (found !== undefined) return Effect.succeed(found)
        const started = known
        return Effect.tap(command(Locations.lookupAt(address)), (text) =>
          Effect.sync(() => {
            if (started.size >= maxAddresses) started.clear()
            if (!text.startsWith("error:")) started.set(address, text)
          })
        )
      }),
    forget: () => {
      known = new Map()
    }
  }
}
