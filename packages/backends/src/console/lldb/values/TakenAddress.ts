/**
 * Finds variables whose address an expression takes although they have none. LLDB copies the value of such a variable to memory of its
 * own, and returns the address of the copy.
 */
import type { Locations } from "@sigtrap/lldb"

/** An `&` before a variable, its members, and what follows: `&(point.x)`. */
const operator = /&\s*\(*\s*([A-Za-z_]\w*)((?:\s*\.\s*\w+)*)\s*(->|\[)?/g

/** A text after which `&` has two operands. */
const operand = /[\w)\]&]\s*$/

/** A cast to a type of the language or to a pointer at the end of a text: `(unsigned long)`, `(char *)`. */
const cast = /\((?:[\w:\s]*\b(?:char|short|int|long|float|double|bool|void|\w+_t)|[\w:\s]+\*)[\s*]*\)\s*$/

/** Returns why the address of a variable in an expression cannot be taken; undefined if each one can be. */
export const problem = (
  expression: string,
  variables: ReadonlyMap<string, Locations.WithoutAddress>
): string | undefined => {
  if (variables.size === 0) return undefined
  for (const { 1: name = "", 2: members = "", 3: next, index } of expression.matchAll(operator)) {
    const before = expression.slice(0, index)
    const found = operand.test(before) && !cast.test(before) ? undefined : variables.get(name)
    if (found === undefined) continue
    // The target of a pointer has an address, and an element of an array in a register has none.
    const isOwn = next === undefined || (next === "[" && members === "" && found.type.endsWith("]"))
    if (isOwn) return `${name} has no address: it is ${found.where}`
  }
  return undefined
}
