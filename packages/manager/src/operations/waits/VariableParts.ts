/**
 * Names the part of a variable that is at an address: `shop.lock`, `forks[2]`. Each step is compared with the addresses and the sizes that
 * the debugger knows, so a name is the true one or is missing.
 */
import * as Effect from "effect/Effect"
import type { StopView } from "../../session/values/StopView.ts"
import * as NamedObjects from "./NamedObjects.ts"

/** A variable with its address, and the address of an object in it. */
export interface Place {
  readonly name: string
  readonly start: bigint
  readonly address: bigint
  /** The largest size of the object, in bytes. A larger variable without such a member has no part with a name. */
  readonly size: number
}

/** Most members of one object that are compared. */
const mostMembers = 64

/** Most steps into an object. */
const deepest = 8

/** A member that a user wrote; those of the C++ libraries have other names. */
const written = /^(?!_M_|__)[A-Za-z_]\w*$/

/** The type `std::array`, whose elements are the elements of its only member. */
const array = /^(?:const )?std::(?:__\w+::)?array</

/** The types of `std::sync` of Rust that make a thread wait by a word inside. */
const rustLock =
  /^(?:const )?std::sync::(?:\w+::)*(?:Mutex|ReentrantLock|RwLock|Condvar|Once|OnceLock|LazyLock|Barrier)(?:<|$)/

/** The member of such a type with the value of the user, which may have a lock of its own. */
const guarded = ["data", "value"]

/** Returns a path as the user writes it: without the member of `std::array`. */
const shown = (path: string): string => path.replaceAll(/\.(?:_M_elems|__elems_)(?=\[)/g, "")

/** The value of an object whose type is not in the debug information. */
const incomplete = "<incomplete type>"

/** A frame of a thread. */
export interface Frame {
  readonly thread: number
  /** 0 is the innermost one. */
  readonly index: number
}

/**
 * Returns the name of the part and its address; undefined if it is not known. The frame is one of the user's code: from a library's, LLDB
 * copies the whole variable into an expression.
 */
export const at = Effect.fnUntraced(
  function* (view: StopView, frame: Frame, { address, name, size, start }: Place) {
    const { connection } = view
    const located = yield* view.frame(frame.thread, frame.index)
    const { handle } = located
    const number = NamedObjects.numbersIn(view, located)
    if (number === undefined) return undefined
    const holds = (from: bigint | undefined, bytes: bigint | undefined) =>
      from !== undefined && bytes !== undefined && from <= address && address < from + bytes

    /** The member of an object that holds the address. A value without members has the handle 0. */
    const member = Effect.fnUntraced(function* (path: string, object: number) {
      if (object === 0) return undefined
      let unknown: string | undefined
      for (const { name: own, value } of yield* connection.children(object, 0, mostMembers)) {
        if (!written.test(own)) continue
        const one = `${path}.${own}`
        const from = yield* number(`&(${one})`)
        if (holds(from, yield* number(`sizeof(${one})`))) return one
        // clang leaves out the types of libc++ that have their functions in its library: such a member ends where the next one begins.
        if (from !== undefined && from <= address) unknown = value === incomplete ? one : undefined
      }
      return unknown
    })

    // Two files may have variables of one name.
    if ((yield* number(`&(${name})`)) !== start) return undefined
    let path = name
    for (let depth = 0; depth < deepest; depth++) {
      const from = yield* number(`&(${path})`)
      const whole = yield* number(`sizeof(${path})`)
      if (whole === undefined || from === undefined) return undefined
      const { handle: object, type = "" } = yield* connection.evaluate(path, handle, "read")
      if (rustLock.test(type)) {
        const parts = yield* Effect.forEach(guarded, (own) =>
          Effect.all([number(`&(${path}.${own})`), number(`sizeof(${path}.${own})`)])
        )
        // Rust chooses the order of the members, so the word may be anywhere in the lock.
        if (!parts.some(([part, bytes]) => holds(part, bytes))) return { name: shown(path), start: address }
      }
      const elements = array.test(type) ? `${path}.${type.includes("std::__1::") ? "__elems_" : "_M_elems"}` : path
      const isArray = elements !== path || type.endsWith("]")
      const element = isArray ? yield* number(`sizeof((${elements})[0])`) : undefined
      const next: string | undefined =
        element === undefined || element === 0n
          ? yield* member(path, object)
          : `${elements}[${(address - from) / element}]`
      // A class of a library has no members for users.
      if (next === undefined) {
        return path === name && whole > BigInt(size) ? undefined : { name: shown(path), start: from }
      }
      path = next
    }
    return undefined
  },
  Effect.orElseSucceed(() => undefined)
)
