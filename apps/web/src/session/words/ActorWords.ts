/**
 * Who did something, in words and by shape: an agent, a person, the debugger or the program.
 */
import type { Actor } from "../../connection/Answers.ts"

/** The shapes of actors. `you` is the person in front of this page. */
export type Who = "agent" | "you" | "person" | "debugger" | "program"

/** Returns who an actor is, for the page with an id. */
export const whoIs = (actor: Actor | undefined, own: string): Who =>
  actor === undefined
    ? "debugger"
    : actor.id === own
      ? "you"
      : actor.role === "person"
        ? "person"
        : actor.role === "agent"
          ? "agent"
          : actor.role

/** Matches the names of terminals and of addresses. */
const place = /^(?:pts\/|ttys?\d|[\d.]+$)/

/** Returns what a person is called who has this name: that of the person, of a terminal or of an address. */
export const personWords = (name = "127.0.0.1"): string => (place.test(name) ? `person on ${name}` : `person ${name}`)

/** Returns the name of an actor. */
export const nameOf = (actor: Actor | undefined, own: string): string => {
  const who = whoIs(actor, own)
  return who === "person" ? personWords(actor?.name) : who
}
