/**
 * The facts of a call, jump or return to an address that has no code.
 *
 * A processor of the x86-64 kind reports an address that is not canonical at the instruction that jumps there, and every other one at the
 * address itself. For a return the source line says nothing: the address comes from the stack.
 */
import type { Explanation } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as FaultAddress from "../../model/crashes/FaultAddress.ts"
import * as PointerText from "../../model/crashes/PointerText.ts"
import type { Instruction } from "../../ports/Faults.ts"
import { callOf, type Place } from "./FaultExpressions.ts"

type Fact = Explanation.Fact

/** Where an instruction jumps to. */
export interface Transfer {
  readonly target: bigint
  readonly isReturn: boolean
}

const wordSize = 8

/** Bytes below the stack pointer in which the calls of the function that returned are looked for. */
const searched = 1024

/** Most words that are looked up as addresses of code. */
const mostWords = 16

/** Difference up to which an address counts as one of the stack, in bytes. */
const stackSpan = 1n << 24n

/** Reads the word at an address; undefined if it cannot be read. */
const wordAt = Effect.fnUntraced(function* (place: Place, address: bigint) {
  const { bytes, unreadable } = yield* place.view.connection.inspection.memory(address, wordSize)
  if (unreadable.length > 0 || bytes.length < wordSize) return undefined
  return bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n)
})

/** Returns where an instruction jumps to; undefined if it does not jump, or to a place in its text. */
export const transferOf = Effect.fnUntraced(
  function* (place: Place, instruction: Instruction | undefined, registers: ReadonlyMap<string, bigint>) {
    if (instruction === undefined || !/^(?:call|jmp|ret)q?$/.test(instruction.mnemonic)) return undefined
    const isReturn = instruction.mnemonic.startsWith("ret")
    const sp = registers.get("rsp")
    const from = isReturn
      ? sp
      : instruction.operand === undefined
        ? undefined
        : FaultAddress.effective(instruction.operand, registers)?.address
    const register = instruction.target === undefined ? undefined : registers.get(instruction.target)
    const target = register ?? (from === undefined ? undefined : yield* wordAt(place, from))
    const found: Transfer | undefined = target === undefined ? undefined : { target, isReturn }
    return found
  },
  Effect.catchTag("AdapterError", () => Effect.succeed(undefined))
)

/**
 * True if the program came to an address by a return: the word that a return takes from the stack is left below the stack pointer. A call
 * leaves the address of code at the pointer.
 */
export const isReturned = Effect.fnUntraced(
  function* (place: Place, address: bigint, registers: ReadonlyMap<string, bigint>) {
    const sp = registers.get("rsp")
    if (sp === undefined || (yield* wordAt(place, sp - BigInt(wordSize))) !== address) return false
    const next = yield* wordAt(place, sp)
    return next === undefined || (yield* place.faults.region(next))?.executable !== true
  },
  Effect.catchTag("AdapterError", () => Effect.succeed(false))
)

/** Libraries of 64-bit systems are above this address. */
export const lowest = 0xffff_ffffn

/** Returns the fact of a return to an address that has no code. With `mayBeUnloaded` a library may have had code there. */
export const returnFact = (address: bigint, mayBeUnloaded: boolean): Fact => {
  const text = PointerText.ofCode(address)
  const unloaded = mayBeUnloaded && text === "" ? ", the library with its code was unloaded" : ""
  return {
    kind: "instruction",
    text: `return to 0x${address.toString(16)}${text}: the return address on the stack was overwritten${unloaded}, or the stack pointer is wrong`,
    by: "stack"
  }
}

/** Returns the facts of a jump to an address that is not canonical. */
export const notCanonical = Effect.fnUntraced(function* (place: Place, { isReturn, target }: Transfer) {
  const address = `0x${target.toString(16)}`
  const meaning = "no code: not a valid address (not canonical)"
  const fact: Fact = {
    kind: "address",
    text: `${address}${PointerText.ofCode(target)}: ${meaning}`,
    by: isReturn ? "stack" : "registers",
    address,
    access: "execute"
  }
  const call = isReturn ? undefined : yield* callOf(place, target)
  const first = isReturn
    ? returnFact(target, false)
    : call === undefined
      ? undefined
      : { ...call, text: `${PointerText.written(call.text, [target])}, ${meaning}` }
  return { facts: first === undefined ? [fact] : [first, fact], action: `executing ${address}` }
})

/**
 * Returns a function whose call left its return address below the stack pointer. It may be the one that returned: its frame was there,
 * and the calls that it made are below it.
 */
export const leftBelow = Effect.fnUntraced(
  function* (place: Place, sp: bigint) {
    const { bytes, unreadable } = yield* place.view.connection.inspection.memory(sp - BigInt(searched), searched)
    if (unreadable.length > 0) return undefined
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const words = Array.from({ length: searched / wordSize }, (_, index) => view.getBigUint64(index * wordSize, true))
      .toReversed()
      .filter((word) => word > 0xffffn && word < 1n << 47n && (word < sp - stackSpan || word > sp + stackSpan))
    for (const word of words.slice(0, mostWords)) {
      if ((yield* place.faults.called(word)) === undefined) continue
      const symbol = yield* place.faults.symbol(word - 1n)
      if (symbol === undefined) continue
      const fact: Fact = {
        kind: "instruction",
        text: `below the stack pointer is a return address into ${symbol.name}, which may be the function that returned`,
        by: "memory"
      }
      return fact
    }
    return undefined
  },
  Effect.catchTag("AdapterError", () => Effect.succeed(undefined))
)
