/**
 * Changes of breakpoints in words.
 */
import type { Breakpoint, EventLine } from "../../connection/Answers.ts"
import { limitsOf } from "./BreakpointFields.ts"
import { fileName, placeOf } from "../words/StopWords.ts"

/** Returns the numbers of the events that turned a breakpoint on or off. Its event has the change `set`. */
export const switchesOf = (events: ReadonlyArray<EventLine>): ReadonlySet<number> => {
  const [enabled, found] = [new Map<number, boolean>(), new Set<number>()]
  for (const { event, seq } of events) {
    if (event._tag !== "BreakpointChanged") continue
    const { breakpoint, change } = event
    const before = enabled.get(breakpoint.id) ?? true
    if (change === "set" && before !== breakpoint.enabled) found.add(seq)
    if (change === "removed") enabled.delete(breakpoint.id)
    else enabled.set(breakpoint.id, breakpoint.enabled)
  }
  return found
}

/** Returns where a breakpoint is, as `app.c:14`; of a catchpoint what it waits for, as `catch panic`. */
export const breakpointPlace = ({ kind, locations, requested }: Breakpoint): string =>
  kind === "catch" ? `catch ${requested.text}` : (placeOf(locations[0] ?? requested) ?? requested.text)

/** Returns what was done with a breakpoint, in words. `isSwitched` is true if it was turned on or off. */
export const breakpointText = (
  { breakpoint, change }: Extract<EventLine["event"], { readonly _tag: "BreakpointChanged" }>,
  isSwitched: boolean
) => {
  const isCatch = breakpoint.kind === "catch"
  const place = isCatch ? breakpoint.requested.text : fileName(breakpointPlace(breakpoint))
  const kind = breakpoint.kind === "watch" ? "watchpoint" : isCatch ? "catchpoint" : "breakpoint"
  const named = `${kind} ${breakpoint.id}${isCatch ? `, ${place}` : ` at ${place}`}`
  if (change === "removed") return { text: `removed ${named}` }
  if (change === "moved") return { text: `${kind} ${breakpoint.id} is at ${place}` }
  if (isSwitched) return { text: `turned ${breakpoint.enabled ? "on" : "off"} ${named}` }
  const text = `set ${named}`
  const limits = limitsOf(breakpoint)
  const coded = limits.find(({ code }) => code !== undefined)
  const others = limits
    .filter((limit) => limit !== coded)
    .map(({ code, words }) => (code === undefined ? words : `${words} ${code}`))
  if (coded?.code === undefined) return { text: [text, ...others].join(", ") }
  const rest = others.length === 0 ? {} : { rest: `· ${others.join(" · ")}` }
  return { text: `${text} ${coded.words}`, code: coded.code, codeLast: true, ...rest }
}
