/**
 * What a debugger does while a program starts.
 */
import type { EventLine } from "../../connection/Answers.ts"

/** Matches what LLDB calls the reading of symbols, with the file: `Parsing symbol table: libfoo.so`. */
const symbols = /\b(?:symbols?|DWARF\d*|debug info)\b.*?(?:: | for )(?<file>\S.*)$/i

/** Returns what a debugger does in a few words: `reading symbols of libfoo.so`. */
export const progressWords = (title: string): string => {
  const file = symbols.exec(title)?.groups?.["file"]
  if (file !== undefined)
    return `reading symbols of ${file.slice(Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\")) + 1)}`
  // A name in capitals stays as it is.
  return title.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase())
}

/** Returns when what a debugger does began to be known, in milliseconds since 1970; undefined if it does nothing long. */
export const progressSince = (events: ReadonlyArray<EventLine>): number | undefined => {
  const last = events.findLast(({ event }) => event._tag === "Progress")
  return last?.event._tag === "Progress" && last.event.title !== undefined ? last.time : undefined
}
