/**
 * Finds the object of Rust on which a line of source waits, such as `shop.stock` in `shop.stock.lock()`. LLDB reads Rust as C++: it has no
 * `.` for references, and none for `Arc`.
 */
import * as Effect from "effect/Effect"
import type { Failure } from "../../ports/Backend.ts"

/** Returns the value of an expression of the debugger in the frame of the line; undefined if it has none. */
type ReadNumber = (expression: string) => Effect.Effect<bigint | undefined, Failure>

/** A name with members before a method that waits for a lock, a condition or a barrier: `self.state.lock(`, `pair.0.lock(`. */
const waited = /\b([A-Za-z_]\w*(?:\.\w+)*)\s*\.\s*(?:lock|read|write|wait|wait_while|wait_timeout\w*)\s*\(/g

/** Returns the objects of a line that may be waited for. */
export const candidates = (line: string): ReadonlyArray<string> => [
  ...new Set([...line.replace(/\/\/.*$/, "").matchAll(waited)].flatMap(([, object]) => object ?? []))
]

/** How LLDB reads what is behind a value, a reference, an `Arc`, and a reference to an `Arc`. */
const behind: ReadonlyArray<(value: string) => string> = [
  (value) => value,
  (value) => `(*${value})`,
  (value) => `${value}.ptr.pointer->data`,
  (value) => `${value}->ptr.pointer->data`
]

/** Returns the first expression that LLDB can read. */
const readable = Effect.fnUntraced(function* (read: ReadNumber, expressions: ReadonlyArray<string>) {
  for (const one of expressions) if ((yield* read(`&(${one})`)) !== undefined) return one
  return undefined
})

/** Returns where the object of a candidate that has an address begins; undefined if the candidate does not have the address. */
export const startOf = Effect.fnUntraced(function* (read: ReadNumber, candidate: string, address: bigint) {
  const [first = "", ...members] = candidate.split(".").map((name) => (/^\d/.test(name) ? `__${name}` : name))
  let object: string | undefined = first
  for (const member of members) {
    const value: string = object
    object = yield* readable(
      read,
      behind.map((at) => `${at(value)}.${member}`)
    )
    if (object === undefined) return undefined
  }
  for (const at of behind) {
    const start = yield* read(`&(${at(object)})`)
    if (start === undefined || address < start) continue
    const bytes = yield* read(`sizeof(${at(object)})`)
    if (bytes !== undefined && address < start + bytes) return start
  }
  return undefined
})
