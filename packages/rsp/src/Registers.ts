/**
 * The registers of a target: from its description (target.xml) or from LLDB's `qRegisterInfo`.
 */
import * as Hex from "./Hex.ts"

/** One register. */
export interface Register {
  readonly name: string
  readonly number: number
  readonly bits: number
  /** Its offset in the answer to `g`, in bytes. */
  readonly offset: number
  readonly group?: string
  /** Its role: `pc`, `sp`, `fp`, `ra`, `flags`, `arg1`. */
  readonly role?: string
  /** True if it is a part of other registers. */
  readonly partial: boolean
}

/** Roles by names, for servers that do not say them: x86-64, AArch64, i386, RISC-V. */
const roles: ReadonlyMap<string, string> = new Map([
  ["rip", "pc"],
  ["rsp", "sp"],
  ["rbp", "fp"],
  ["eflags", "flags"],
  ["rdi", "arg1"],
  ["rsi", "arg2"],
  ["rdx", "arg3"],
  ["rcx", "arg4"],
  ["pc", "pc"],
  ["sp", "sp"],
  ["x29", "fp"],
  ["fp", "fp"],
  ["x30", "ra"],
  ["lr", "ra"],
  ["cpsr", "flags"],
  ["x0", "arg1"],
  ["x1", "arg2"],
  ["x2", "arg3"],
  ["x3", "arg4"],
  ["eip", "pc"],
  ["esp", "sp"],
  ["ebp", "fp"],
  ["ra", "ra"],
  ["a0", "arg1"],
  ["a1", "arg2"]
])

/** Returns the register with a role, or with a name. */
export const find = (registers: ReadonlyArray<Register>, name: string): Register | undefined =>
  registers.find((register) => register.role === name) ?? registers.find((register) => register.name === name)

const roleOf = (name: string, given: string | undefined): { readonly role?: string } => {
  const role = given ?? roles.get(name)
  return role === undefined ? {} : { role }
}

/** Parses an answer to `qRegisterInfo`; undefined if it has no name or size. */
export const parseInfo = (payload: string, number: number): Register | undefined => {
  const pairs = new Map(
    payload.split(";").flatMap((pair) => {
      const colon = pair.indexOf(":")
      return colon === -1 ? [] : [[pair.slice(0, colon), pair.slice(colon + 1)] as const]
    })
  )
  const name = pairs.get("name")
  const bits = Number(pairs.get("bitsize"))
  if (name === undefined || !Number.isSafeInteger(bits) || bits <= 0) return undefined
  const group = pairs.get("set")
  return {
    name,
    number,
    bits,
    offset: Number(pairs.get("offset")) || 0,
    ...(group === undefined ? {} : { group }),
    ...roleOf(name, pairs.get("generic")),
    partial: pairs.has("container-regs")
  }
}

/** One element of a target description. */
interface Element {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
}

const entities: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"]
])

/** Returns the start tags of an XML document, in order. Target descriptions need no more of XML. */
const elements = (xml: string): ReadonlyArray<Element> =>
  [
    ...xml
      .replace(/<!--[^]*?-->/g, "")
      .matchAll(/<([A-Za-z][\w:.-]*)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*\/?>/g)
  ].map(([, name = "", words = ""]) => ({
    name,
    attributes: new Map(
      [...words.matchAll(/([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)].map(([, key = "", double, single]) => [
        key,
        (double ?? single ?? "").replace(/&(\w+);/g, (all, entity: string) => entities.get(entity) ?? all)
      ])
    )
  }))

/** Returns the documents that a target description includes. */
export const includes = (xml: string): ReadonlyArray<string> =>
  elements(xml).flatMap(({ attributes, name }) => (name === "xi:include" ? [attributes.get("href") ?? ""] : []))

/**
 * Returns the registers of the documents of a target description, in their order. A register without number follows the one
 * before it; one without offset too.
 */
export const parseDescription = (documents: ReadonlyArray<string>): ReadonlyArray<Register> => {
  const found: Array<Register> = []
  let next = 0
  let end = 0
  for (const { attributes, name: element } of documents.flatMap(elements)) {
    if (element !== "reg") continue
    const name = attributes.get("name")
    const bits = Number(attributes.get("bitsize"))
    if (name === undefined || !Number.isSafeInteger(bits) || bits <= 0) continue
    const given = attributes.get("regnum")
    const number = given === undefined ? next : Number(given)
    const place = attributes.get("offset")
    const offset = place === undefined ? end : Number(place)
    if (!Number.isSafeInteger(number) || !Number.isSafeInteger(offset)) continue
    next = number + 1
    end = offset + bits / 8
    const group = attributes.get("group")
    found.push({
      name,
      number,
      bits,
      offset,
      ...(group === undefined ? {} : { group }),
      ...roleOf(name, attributes.get("generic")),
      partial: attributes.has("value_regnums")
    })
  }
  return found
}

/** Returns the value of a register whose bytes are in the order of memory. */
export const value = (bytes: Uint8Array, endian: Hex.Endian = "little"): bigint => Hex.toBigInt(bytes, endian)
