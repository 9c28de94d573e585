/**
 * The warnings of answers as sentences, and those of the breakpoints that this page has set or edited.
 */
import { signal } from "@preact/signals"
import type { Breakpoint, Warning } from "../connection/Answers.ts"
import type { Session } from "./Session.ts"
import { sentence } from "./words/Words.ts"

/** Codes of warnings that have a place of their own: the header and the card of the source, and the card of a request. */
const shownElsewhere = ["SOURCE_NEWER", "SOURCE_REFUSED", "CONSENT_WANTED"]

/** Code of the warning that a condition could not be evaluated, so that the program stopped. It is a note of the stop. */
export const conditionError = "CONDITION_ERROR"

/** Returns the warnings that are notes of a stop. */
export const warningsOfStop = (warnings: ReadonlyArray<Warning> = []): ReadonlyArray<Warning> =>
  warnings.filter(({ code }) => !shownElsewhere.includes(code))

/** Returns the warnings of the answer to an action as sentences. */
export const warningWords = (warnings: ReadonlyArray<Warning> = []): ReadonlyArray<string> =>
  warningsOfStop(warnings)
    .filter(({ code }) => code !== conditionError)
    .map(({ message }) => sentence(message))

/** The sentences about breakpoints, by session, number, condition and message. */
const ofBreakpoints = signal<ReadonlyMap<string, ReadonlyArray<string>>>(new Map())

/** Most breakpoints whose warnings are kept. */
const mostKept = 500

/** Warnings are about the condition and the message that a breakpoint had then. */
const keyOf = ({ id: session }: Pick<Session, "id">, { condition, id, log }: Breakpoint): string =>
  JSON.stringify([session, id, condition, log])

/** Records the warnings of an answer about a breakpoint. */
export const recordWarnings = (
  session: Pick<Session, "id">,
  breakpoint: Breakpoint,
  warnings: ReadonlyArray<Warning> = []
): void => {
  const key = keyOf(session, breakpoint)
  const words = warningWords(warnings)
  const others = [...ofBreakpoints.peek()].filter(([other]) => other !== key)
  ofBreakpoints.value = new Map([...others, ...(words.length === 0 ? [] : [[key, words] as const])].slice(-mostKept))
}

/** Returns the warnings about a breakpoint as sentences. */
export const warningsOfBreakpoint = (session: Pick<Session, "id">, breakpoint: Breakpoint): ReadonlyArray<string> =>
  ofBreakpoints.value.get(keyOf(session, breakpoint)) ?? []
