/**
 * Names an object in memory by an expression in the source line of a frame, such as `job->lock`. The line gives candidates only: an
 * expression is the name if the debugger finds the object at its address.
 */
import * as Effect from "effect/Effect"
import { SourceFiles } from "../../model/sources/SourceFiles.ts"
import type { Located, StopView } from "../../session/values/StopView.ts"
import * as UnlistedFrame from "../frames/UnlistedFrame.ts"
import * as RustObjects from "./RustObjects.ts"

/** Reads expressions as numbers in a frame; undefined if the debugger cannot. */
export const numbersIn = (view: StopView, { frame, handle }: Located) => {
  const { lookup } = view.connection.inspection
  if (lookup === undefined) return undefined
  return (expression: string) =>
    frame.unlisted === true ? UnlistedFrame.number(view, expression, handle) : lookup.number(expression, handle)
}

/** An object: an address in it, and its largest size in bytes. */
export interface Place {
  readonly address: bigint
  readonly size: number
}

/** Most expressions of a line that are compared. */
const most = 8

/** A name with members: `lock`, `job->lock`, `this->shop.lock`, `forks[left]`. A call follows the last name of a method. */
const chain = /[A-Za-z_]\w*(?:::\w+)*(?:(?:->|\.)[A-Za-z_]\w*|\[\w+\])*(\s*\()?/g

const withoutTexts = (line: string) => line.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""').replace(/\/\/.*$/, "")

/** Returns the expressions of a line that may name an object. None of them has a call. */
export const candidates = (line: string): ReadonlyArray<string> => {
  const found = [...withoutTexts(line).matchAll(chain)].flatMap(([text, call]) => {
    if (call === undefined) return [text]
    const object = /^(.+?)(?:->|\.)\w+\s*\($/.exec(text)?.[1]
    return object === undefined ? [] : [object]
  })
  return [...new Set(found)].slice(0, most)
}

/** The last member behind a pointer in an expression. */
const behind = /^(.+)->([A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[\w+\])*)$/

/**
 * Returns an expression of the debugger for one of the source. A member behind a `std::shared_ptr` or `std::unique_ptr` is read without
 * its operator, which is code of the program: the pointer is the first word of both. An object elsewhere has another address.
 */
const withoutOperator = (one: string): string | undefined => {
  const [, pointer, member] = behind.exec(one) ?? []
  return pointer === undefined ? undefined : `(*(decltype(${pointer})::element_type**)&(${pointer}))->${member}`
}

/** An expression that names an object, and where the object begins. */
interface Named {
  readonly expression: string
  readonly start: bigint
}

/** Objects that have an address of memory elsewhere. */
export interface Holders {
  /** The address for which a name is searched. */
  readonly address: bigint
  /** Returns an expression for the address that an object has, from one for the object. */
  readonly addressIn: (object: string) => string
  /** Objects that a line may mean without their name. */
  readonly implied: ReadonlyArray<string>
  /** How well an object with a type is the one that is meant: 0 is the best, and undefined is another object with the same address. */
  readonly rank?: (type: string, size: bigint | undefined) => number | undefined
}

/** An expression for an object that has an address, and the rank of its type. */
export interface Holder {
  readonly expression: string
  readonly rank: number
}

/** Returns the object in the line of a frame that has an address, the best of several; undefined if none is known. */
export const holding = Effect.fnUntraced(
  function* (view: StopView, thread: number, index: number, { address, addressIn, implied, rank: rankOf }: Holders) {
    const located = yield* view.frame(thread, index)
    const { frame, handle } = located
    const number = numbersIn(view, located)
    if (number === undefined || frame.file === undefined || frame.line === undefined) return undefined
    const sources = yield* SourceFiles
    const [line = ""] = (yield* sources.window(frame.file, frame.line, 0)).lines
    let best: Holder | undefined
    for (const one of [...candidates(line), ...implied]) {
      if ((yield* number(addressIn(one))) !== address) continue
      if (rankOf === undefined) return { expression: one, rank: 0 } satisfies Holder
      const { type = "" } = yield* view.connection.evaluate(one, handle, "read")
      const rank = rankOf(type, yield* number(`sizeof(${one})`))
      if (rank === undefined || (best !== undefined && best.rank <= rank)) continue
      best = { expression: one, rank }
      if (rank === 0) break
    }
    return best
  },
  Effect.orElseSucceed(() => undefined)
)

/** Returns the expression for an object in the line of a frame; undefined if none is known. */
export const at = Effect.fnUntraced(
  function* (view: StopView, thread: number, index: number, { address, size }: Place) {
    const located = yield* view.frame(thread, index)
    const { frame } = located
    const number = numbersIn(view, located)
    if (number === undefined || frame.file === undefined || frame.line === undefined) return undefined
    const sources = yield* SourceFiles
    const [line = ""] = (yield* sources.window(frame.file, frame.line, 0)).lines
    if (frame.file.endsWith(".rs")) {
      for (const one of RustObjects.candidates(line)) {
        const start = yield* RustObjects.startOf(number, one, address)
        if (start !== undefined) return { expression: one, start } satisfies Named
      }
      return undefined
    }
    for (const one of candidates(line)) {
      let read = one
      let start = yield* number(`&(${one})`)
      const other = start === undefined ? withoutOperator(one) : undefined
      if (other !== undefined) {
        read = other
        start = yield* number(`&(${other})`)
      }
      if (start === undefined) continue
      const bytes = yield* number(`sizeof(${read})`)
      const isObject = bytes !== undefined && bytes <= BigInt(size)
      if (isObject && start <= address && address < start + bytes) return { expression: one, start } satisfies Named
      if (bytes === 8n && (yield* number(read)) === address) {
        return { expression: `*${one}`, start: address } satisfies Named
      }
    }
    return undefined
  },
  Effect.orElseSucceed(() => undefined)
)
