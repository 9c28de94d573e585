// Hints as a command line, which is what one surface makes of them.
import type { Hint } from "@sigtrap/protocol"

const flag = ([field, value]: readonly [string, unknown]): string => {
  const name = `--${field.replaceAll("_", "-")}`
  return value === true ? name : `${name} ${String(value)}`
}

/** Writes a hint as a command line; the field `at` is written as its first argument. */
export const write = (hint: Hint.Hint): string => {
  if (!("operation" in hint)) return hint.note
  const { at, ...rest } = hint.input
  const place = at === undefined ? [] : [`'${String(at)}'`]
  return ["sigtrap", hint.operation.replaceAll(".", " "), ...place, ...Object.entries(rest).map(flag)].join(" ")
}
