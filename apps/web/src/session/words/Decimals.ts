/**
 * Floating-point numbers as the page shows them: the shortest decimal that reads back as the same value. Debuggers of C write a `double`
 * with 17 digits (`0.10000000000000001`) and a `float` with 9, which is often more than the value needs.
 */

/** Types whose values are 32 bits wide. `float` is not one of them: in Python it has 64 bits. */
const floats = /^(?:f32|float32)$/

/** Types with numbers that are wider than 64 bits, or that are not binary. */
const wider = /\blong double\b|float(?:80|128)|\bf128\b|decimal/i

/** Matches a text in quotes, also one that was cut, or a decimal number with a fraction. */
const parts = /"(?:[^"\\]|\\.)*(?:"|$)|'(?:[^'\\]|\\.)*(?:'|$)|(?<![\w.])-?\d+\.\d+(?:e[+-]?\d+)?(?![\w.])/gi

/** Returns the number of digits of a decimal, without zeros before the first one and without the exponent. */
const digitsOf = (decimal: string): number =>
  decimal
    .replace(/e.*$/i, "")
    .replace(/^[-0.]*/, "")
    .replace(".", "").length

/** Returns the shortest decimal of a `float`. */
const shortFloat = (decimal: string): string => {
  const value = Math.fround(Number(decimal))
  for (let digits = 1; digits < 9; digits++) {
    const shorter = Number(value.toPrecision(digits))
    if (Math.fround(shorter) === value) return String(shorter)
  }
  return decimal
}

/**
 * Returns a value with short decimals. Inside a value of another type, as in `{x:0.10000000000000001}`, only numbers of 16 and 17
 * digits are shortened: no `float` has them. Texts in quotes and numbers that are wider than a `double` are left as they are.
 */
export const withShortDecimals = (value: string, type?: string): string => {
  if (!value.includes(".") || (type !== undefined && wider.test(type))) return value
  return value.replace(parts, (found) => {
    if (/^["']/.test(found)) return found
    if (type !== undefined && floats.test(type)) return shortFloat(found)
    const digits = digitsOf(found)
    if (digits < 16 || digits > 17) return found
    const short = String(Number(found))
    return digitsOf(short) < digits ? short : found
  })
}
