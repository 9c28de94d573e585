/**
 * The memory operand of an instruction: which registers address the memory, how many bytes, whether they are read or written.
 *
 * Knows the moves, comparisons and arithmetic of x86-64 in Intel's syntax, and the loads and stores of arm64. An instruction
 * with two memory operands, or with one that its text does not show, has none here.
 */

import type { Faults } from "@sigtrap/manager"

type MemoryOperand = Faults.MemoryOperand

const sizes: { readonly [word: string]: number } = {
  byte: 1,
  word: 2,
  dword: 4,
  qword: 8,
  xmmword: 16,
  ymmword: 32,
  zmmword: 64
}

const integer = (text: string): bigint => BigInt(text)

const x86Memory = /(?:(\w+) ptr )?\[([^\]]+)\]/g

const x86Terms = (inside: string): Pick<MemoryOperand, "base" | "index" | "scale" | "displacement"> | undefined => {
  let base: string | undefined
  let index: string | undefined
  let scale = 1
  let displacement = 0n
  for (const [, sign = "+", term = ""] of inside.matchAll(/([+-]?)\s*([^+\s-]+)/g)) {
    const [, scaled, factor] = /^(?:(\w+)\*(\d))$/.exec(term) ?? /^(?:(\d)\*(\w+))$/.exec(term) ?? []
    if (/^(?:0x[0-9a-f]+|\d+)$/i.test(term)) displacement += (sign === "-" ? -1n : 1n) * integer(term)
    else if (scaled !== undefined && factor !== undefined) {
      const isFirst = /^\d$/.test(factor)
      index = isFirst ? scaled : factor
      scale = Number(isFirst ? factor : scaled)
    } else if (!/^r[0-9a-z]+$/.test(term)) return undefined
    else if (base === undefined) base = term
    else if (index === undefined) index = term
    else return undefined
  }
  return { ...(base === undefined ? {} : { base }), ...(index === undefined ? {} : { index }), scale, displacement }
}

/** Moves, whose first operand is the destination. */
const moves = /^(?:mov(?:abs|sx|sxd|zx|nti|s[sd]|[ua]p[sd]|[lh]p[sd]|dq[ua]|d|q|ntdq|ntp[sd])?|vmov\w*|lddqu|set\w+)$/
const reads =
  /^(?:cmp|test|mul|imul|div|idiv|ucomis[sd]|comis[sd]|cvt\w+|call|jmp|push|add[sp][sd]|sub[sp][sd]|mul[sp][sd]|div[sp][sd]|cmov\w+|bt)$/
const both = /^(?:add|sub|and|or|xor|adc|sbb|inc|dec|neg|not|shl|shr|sar)$/
/** Vector operations of integers. Their destination is a register, so they only read memory. */
const vectors = /^v?p(?:cmp|min|max|test|or|andn?|xor|add|sub|shufb|alignr|unpck|broadcast)\w*$/
const exchanges = /^(?:xchg|xadd|cmpxchg)$/
const needsAlignment = /^v?mov(?:aps|apd|dqa|dqa32|dqa64|ntdq|ntps|ntpd|ntdqa)$/

/** The terms without the instruction pointer, whose value is the address of the next instruction. */
const withoutPointer = (
  { base, displacement, ...terms }: ReturnType<typeof x86Terms> & {},
  next: bigint | undefined
) => {
  if (base !== "rip") return { ...terms, ...(base === undefined ? {} : { base }), displacement }
  return next === undefined || terms.index !== undefined ? undefined : { ...terms, displacement: next + displacement }
}

const x86 = (mnemonic: string, operands: string, next: bigint | undefined): MemoryOperand | undefined => {
  const found = [...operands.matchAll(x86Memory)]
  const [one] = found
  // A segment register has a base that is not among the general registers.
  if (one === undefined || found.length > 1 || /\b[defgs]s:/.test(operands)) return undefined
  const [, word, inside = ""] = one
  const parsed = x86Terms(inside)
  const terms = parsed === undefined ? undefined : withoutPointer(parsed, next)
  if (terms === undefined) return undefined
  const isFirst = operands.indexOf("[") < (operands.includes(",") ? operands.indexOf(",") : operands.length)
  const access = moves.test(mnemonic)
    ? isFirst
      ? "write"
      : "read"
    : reads.test(mnemonic) || ((both.test(mnemonic) || vectors.test(mnemonic)) && !isFirst)
      ? "read"
      : undefined
  if (access === undefined && !both.test(mnemonic) && !exchanges.test(mnemonic)) return undefined
  // A mask of AVX-512 leaves out a part of the bytes.
  const isMasked = /\{%?k[0-7]\}/.test(operands)
  const size = word === undefined || isMasked ? undefined : sizes[word]
  return {
    ...terms,
    ...(size === undefined ? {} : { size }),
    ...(access === undefined ? {} : { access }),
    ...(needsAlignment.test(mnemonic) || (word === "xmmword" && mnemonic.startsWith("p") && vectors.test(mnemonic))
      ? { aligned: true as const }
      : {})
  }
}

const armSize = (mnemonic: string, register: string): number | undefined => {
  if (mnemonic.endsWith("b")) return 1
  if (mnemonic.endsWith("h")) return 2
  if (mnemonic.endsWith("sw")) return 4
  return { w: 4, x: 8, s: 4, d: 8, q: 16, b: 1, h: 2 }[register[0] ?? ""]
}

const arm = (mnemonic: string, operands: string): MemoryOperand | undefined => {
  const [, register = "", inside = "", after = ""] = /^(\w+), (?:\w+, )?\[([^\]]+)\](.*)$/.exec(operands) ?? []
  const kind = /^(?:ld|st)(?:u?r|ar|lr|xr|axr)(?:s?[bhw])?$/.exec(mnemonic)
  // Writing back changes the base before or after the access.
  if (kind === null || inside === "" || after !== "") return undefined
  const [, base, rest = ""] = /^(x\d+|sp)(?:, (.*))?$/.exec(inside) ?? []
  if (base === undefined) return undefined
  const size = armSize(mnemonic, register)
  const shared = {
    base,
    ...(size === undefined ? {} : { size }),
    access: mnemonic.startsWith("ld") ? "read" : "write"
  } as const
  if (rest === "") return { ...shared, scale: 1, displacement: 0n }
  const offset = /^#(-?)(0x[0-9a-f]+|\d+)$/i.exec(rest)
  if (offset?.[2] !== undefined) {
    return { ...shared, scale: 1, displacement: (offset[1] === "-" ? -1n : 1n) * integer(offset[2]) }
  }
  const [, index, shift] = /^(x\d+)(?:, lsl #(\d))?$/.exec(rest) ?? []
  return index === undefined ? undefined : { ...shared, index, scale: 2 ** Number(shift ?? 0), displacement: 0n }
}

/** The number that a trap carries: `ud1 eax, dword ptr [eax + 0x13]` of x86-64, `brk #0x5513` of arm64. */
const trapOf = (mnemonic: string, operands: string): number | undefined => {
  if (mnemonic !== "ud1" && mnemonic !== "brk") return undefined
  const found = /(?:\[e?r?ax \+ |#)(0x[0-9a-f]+|\d+)\]?$/.exec(operands)?.[1]
  if (found !== undefined) return Number(found)
  return mnemonic === "ud1" && /\[e?r?ax\]$/.test(operands) ? 0 : undefined
}

/**
 * Describes an instruction by its text, in Intel's syntax for x86-64.
 *
 * @param next Address of the next instruction, which an operand relative to the instruction pointer needs.
 */
export const parse = (text: string, next?: bigint): Faults.Instruction | undefined => {
  const [, mnemonic, operands = ""] =
    /^(?:(?:lock|rep\w*|bnd|notrack) )?([a-z][\w.]*)\s*(.*?)(?:\s*(?:;|#[\s#]).*)?$/.exec(text.trim()) ?? []
  if (mnemonic === undefined) return undefined
  const isString = text.trim().startsWith("rep")
  const operand = isString ? undefined : (x86(mnemonic, operands, next) ?? arm(mnemonic, operands))
  const divisor =
    /^i?div$/.test(mnemonic) && !operands.includes("[") && !operands.includes(",") ? operands.trim() : undefined
  const target = /^(?:call|jmp)q?$/.test(mnemonic) && /^r[0-9a-z]+$/.test(operands) ? operands : undefined
  const trap = trapOf(mnemonic, operands)
  return {
    mnemonic,
    text: text.trim().replaceAll(/\s+/g, " "),
    ...(operand === undefined ? {} : { operand }),
    ...(divisor === undefined || divisor === "" ? {} : { divisor }),
    ...(target === undefined ? {} : { target }),
    ...(trap === undefined ? {} : { trap })
  }
}

/** The place of the pc of the selected frame. */
export const here = "--pc"

/** The place of an address. */
export const at = (address: bigint): string => `--start-address 0x${address.toString(16)}`

/** Prints the instruction at a place and the next one in Intel's syntax. */
export const inIntelSyntax = (place: string): string => `disassemble -F intel ${place} --count 2`

/** Prints the same in the syntax of the processor. */
export const asItIs = (place: string): string => `disassemble ${place} --count 2`
