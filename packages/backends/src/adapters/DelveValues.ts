/**
 * The texts and the types of values in Delve. (Delve: `convertVariable` in service/dap/server.go.)
 */

/** Matches an unsigned number, or a constant with its number, before Delve's hexadecimal form, which is 0 for each constant. */
const hexadecimal = /^(-?\d+|[\w.]+ \(\d+\)) = 0x[\da-f]+$/

/** Matches a text, and the comma that Delve writes after the last entry of a map. */
const textOrLastComma = /"(?:[^"\\]|\\.)*"|, \]/g

/** Matches the types of integers: `u` if unsigned, and the width in bits. Go programs that Delve debugs have 64 bits. */
const integer = /^(u?)int(8|16|32|64|ptr)?$/

/**
 * Returns an integer as its type has it. Delve negates and complements without the type: `^u` of a `uint8` with the value 200 is -201,
 * which is 55 in Go.
 */
const wrapped = (number: string, type: string): string => {
  const [, unsigned, width] = integer.exec(type) ?? []
  if (unsigned === undefined || !/^-?\d{1,40}$/.test(number)) return number
  const bits = Number(width === undefined || width === "ptr" ? 64 : width)
  return String(unsigned === "u" ? BigInt.asUintN(bits, BigInt(number)) : BigInt.asIntN(bits, BigInt(number)))
}

/** Returns the text of a value of a type as Go has it. */
export const text = (shown: string, type = ""): string =>
  wrapped(
    shown.replace(hexadecimal, "$1").replace(textOrLastComma, (part) => (part === ", ]" ? "]" : part)),
    type
  )

/** The only child of a pointer has no name, and that of an interface the expression `i.(data)`. */
export const target = {
  of: "all",
  isTarget: ({ expression, name }: { readonly expression?: string; readonly name: string }): boolean =>
    name === "" || (name === "data" && expression?.endsWith(".(data)") === true)
} as const
