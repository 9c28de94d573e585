/**
 * The commands by their spellings, from the generated copy.
 */
import { spellings } from "@sigtrap/protocol/grammar/Spellings.generated"

/** Returns the name of the command that these words spell, all of them; undefined if there is none. */
export const commandOf = (words: ReadonlyArray<string>): string | undefined => {
  const spelling = words.join(" ")
  return Object.hasOwn(spellings.commands, spelling) ? spellings.commands[spelling] : undefined
}

/** True for the first word of commands of several words, such as `breakpoint`. */
export const isGroup = (word: string): boolean =>
  Object.values(spellings.commands).some((name) => name.startsWith(`${word} `))
