/**
 * The text of a value as sigtrap shows it, from the text that LLDB or lldb-dap prints: without an address before a summary, and
 * with the reason in place of a value that LLDB does not have.
 */
import * as OptimizedOut from "../../OptimizedOut.ts"

/** Matches a container of which LLDB 19 reports no elements, whatever it has. */
const unreliable = /^(?:const )?std::(?:__1::|__cxx1998::)?unordered_/

/** Matches the address before the summary of a reference, and the same address twice before that of a pointer. */
const referenceAddress = /^0x[0-9a-f]+ (?=\d+ \{|")/
const pointerTwice = /^0x0*([0-9a-f]+) (?=0x\1 \{)/

/** The preview of a pointer to a pointer, such as `0x10 {**argv:'/'}`: one character behind two pointers. */
const behindTwoPointers = /^(0x[0-9a-f]+) \{\*\*[^:{}]+:.*\}$/s

/** Matches LLDB's error for an argument that only the caller may have kept. LLDB does not find every caller. */
const atEntry = /^<(?:error: )?.*\bDW_OP_entry_value\b.*>$/s

/** Matches LLDB's errors for a location or a constant of the debug information that it cannot read. The variable has a value. */
const unread = /^<(?:error: )?[^<>]*(?:\b(DW_OP_\w+)|empty constant data)[^<>]*>$/

/** What a variable is of which LLDB has neither a value nor an error, as in the frame of a function that ended by a tail call. */
export const noValue = "<unknown: LLDB has no value>"

/** Matches what LLDB writes in place of a pointer that has no value. */
const withoutValue = /^<(?:error: )?no value available>$/

/** Matches how LLDB writes a character below 0x80 that has no letter, in an array of `unsigned char`. */
const controlCharacter = /(?<!\\)((?:\\\\)*)\\U000000([0-7][0-9a-f])/g

/** Matches the type of a pointer to a member of a C++ class: `int S::*`, `int (S::*)(int) const`. */
const memberPointer = /::\*(?: ?(?:const|volatile))*(?:\)\(.*)?$/s

/** True if a type is that of a pointer to a member of a C++ class. */
export const isMemberPointer = (type: string | undefined): boolean => type !== undefined && memberPointer.test(type)

/** Returns the text of a pointer to a member: what the formatters say, else the offset of a data member. */
const memberOf = (text: string, type: string): string => {
  const said = /^0x[0-9a-f]+ ([^(].*)$/s.exec(text)?.[1]
  if (said !== undefined) return said
  if (type.includes("::*)") || !/^0x[0-9a-f]+$/.test(text)) return text
  return /^0xf{8,16}$/.test(text) ? "nullptr" : `offset ${BigInt(text)} of the class`
}

/**
 * Returns the text of a value as the formatters mean it: without the address that adapters put before the summary, without a
 * size of 0 that LLDB's own formatter may have invented, and without a preview of what is behind two pointers. A value that
 * the compiler removed is `<optimized out>`, and one that LLDB cannot read `<unknown: …>`.
 */
export const shown = (whole: string, type = ""): string => {
  const text = whole.includes("\\U000000") ? whole.replaceAll(controlCharacter, "$1\\x$2") : whole
  if (OptimizedOut.matches(text)) return OptimizedOut.shown
  // Rust's unit.
  if (type === "void" && text.includes("Unable to determine byte size")) return "()"
  if (atEntry.test(text)) return "<unknown: only the caller may know the value at entry>"
  const failed = unread.exec(text)
  if (failed !== null) return `<unknown: LLDB cannot read ${failed[1] ?? "its constant"}>`
  // lldb-dap writes the type.
  if (withoutValue.test(text) || (text === type && text !== "")) return noValue
  if (isMemberPointer(type)) return memberOf(text, type)
  if (type.endsWith("**")) return text.replace(behindTwoPointers, "$1")
  if (/^size=0\b/.test(text) && unreliable.test(type)) return "<unknown size>"
  if (!type.startsWith("std::") && !type.startsWith("const std::")) return text
  if (type.endsWith("&")) return text.replace(referenceAddress, "").replace(/(?<=\}):$/, "")
  return text.replace(pointerTwice, "")
}
