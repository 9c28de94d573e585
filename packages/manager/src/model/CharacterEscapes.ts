/**
 * The escape sequences of C that are a backslash and one character, with the byte that each means (C17, 6.4.4.4), and `\e`, which
 * compilers accept.
 */

/** The byte of each sequence, by the character after the backslash. */
export const bytes: { readonly [letter: string]: number } = {
  0: 0,
  a: 7,
  b: 8,
  t: 9,
  n: 10,
  v: 11,
  f: 12,
  r: 13,
  e: 27,
  '"': 34,
  "'": 39,
  "?": 63,
  "\\": 92
}
