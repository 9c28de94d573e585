/**
 * Selects breakpoints by number, range of numbers, name, `all`, or place.
 */
import { type Breakpoint, Errors, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Launch } from "../../launch/Launch.ts"
import type { Session } from "../../session/Session.ts"

type Programs = Launch["Service"]

/** Maximum length of a range. */
const maxRange = 100_000

const missing = (session: Session, numbers: ReadonlyArray<number>, named?: string) =>
  new Errors.BreakpointNotFound({
    ids: numbers,
    known: session.breakpoints.list().map(({ id }) => id),
    ...(named === undefined ? {} : { named })
  })

/** Returns the numbers that one part of a selector names. */
const numbersOf = Effect.fnUntraced(function* (
  session: Session,
  text: string,
  program: Programs,
  directory: string | undefined
) {
  const all = session.breakpoints.list()
  if (text === "all") return all.map(({ id }) => id)
  if (/^\d{1,7}$/.test(text)) return [Number(text)]
  const range = /^(\d{1,7})-(\d{1,7})$/.exec(text)
  if (range !== null) {
    const [from, to] = [Number(range[1]), Number(range[2])]
    if (from > to) {
      return yield* new Errors.Usage({
        problem: `${text} is not a range`,
        near: [],
        remedies: [Hint.call("breakpoint.info", { id: to })]
      })
    }
    const inside = all.map(({ id }) => id).filter((id) => id >= from && id <= to)
    return inside.length > 0 && to - from < maxRange ? inside : yield* missing(session, [], text)
  }
  const labelled = all.filter(({ name }) => name === text)
  if (labelled.length > 0) return labelled.map(({ id }) => id)
  const request = yield* program
    .breakpoint({ text, pending: true, ...(directory === undefined ? {} : { directory }) })
    .pipe(Effect.catchTag(["InvalidLocation", "Unsupported", "Usage"], () => Effect.succeed(undefined)))
  const atPlace = request === undefined ? [] : session.breakpoints.at(request.place)
  const requestedAs = all.filter(({ requested }) => requested.text === text).map(({ id }) => id)
  const found = [...new Set([...atPlace, ...requestedAs])]
  return found.length > 0 ? found : yield* missing(session, [], text)
})

/** Returns the selected numbers, each once. Unknown numbers are included; the change that is made to them fails. */
export const ids = Effect.fnUntraced(function* (
  session: Session,
  selectors: ReadonlyArray<Breakpoint.Selector>,
  program: Programs,
  directory: string | undefined
) {
  const parts = selectors
    .flatMap((selector) => (/^[\d,-]+$/.test(`${selector}`) ? `${selector}`.split(",") : [`${selector}`]))
    .filter((part) => part !== "")
  const found = yield* Effect.forEach(parts, (part) => numbersOf(session, part, program, directory))
  return [...new Set(found.flat())]
})

/** Returns the one selected number. */
export const one = Effect.fnUntraced(function* (
  session: Session,
  selector: Breakpoint.Selector,
  program: Programs,
  directory: string | undefined
) {
  const [id, second] = yield* ids(session, [selector], program, directory)
  if (id === undefined) return yield* missing(session, [], `${selector}`)
  if (second === undefined) return id
  return yield* new Errors.Usage({
    problem: `${selector} selects several breakpoints`,
    near: [],
    remedies: [Hint.call("breakpoint.list", {})]
  })
})
