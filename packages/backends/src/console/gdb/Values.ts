/**
 * Texts of values of GDB's own adapter. A printer of GDB, such as those of libstdc++, names a container without its elements:
 * `std::vector of length 3, capacity 3`. The adapter writes `None` for a container
 * without such a name and for `std::pair`, and nothing for a structure.
 */

/**
 * Returns the text of a value with `members` members, undefined if the adapter does not say how many. The name of one that can be opened
 * gets `{...}` in place of its members. Arrays of Fortran and Ada are in parentheses.
 */
export const text = (shown: string, _type?: string, members?: number): string => {
  if (members === undefined) return shown
  if (shown === "" || shown === "None") return members === 0 ? "{}" : "{...}"
  return members === 0 || /^(?:@?0x|\()|[{"']/.test(shown) ? shown : `${shown} {...}`
}
