/**
 * The stops row: every stop of the session, the newest as pills, older ones as ticks. Choosing one shows it again.
 */
import { useLayoutEffect, useRef } from "preact/hooks"
import type { PastStop, Snapshot } from "../../connection/Answers.ts"
import {
  endOf,
  isAlive,
  isFailure,
  placeOf,
  reasonOf,
  resumedBy,
  shortReasonOf
} from "../../session/words/StopWords.ts"
import { nameOf, whoIs } from "../../session/words/ActorWords.ts"
import { Icon } from "../parts/Icons.tsx"
import { NoticeBox, useRowNotice } from "./Notices.tsx"
import { useFocusInside } from "../parts/KeptFocus.ts"
import { usePage, useView } from "../parts/PageContext.ts"
import { Button } from "../parts/Parts.tsx"
import { useNarrow, usePhone } from "../layout/WindowWidths.ts"

/** Most stops that are pills. */
const mostPills = 5

/** Most ticks that a window has room for. `single` older stops have a tick of their own, however many there are. */
interface Room {
  readonly ticks: number
  readonly single: number
}
const wideRoom: Room = { ticks: 60, single: 40 }
const narrowRoom: Room = { ticks: 40, single: 28 }
const phoneRoom: Room = { ticks: 16, single: 12 }

/** Most older stops beside which the pills have room for the commands between them. */
const mostWithCommands = 12

const isTall = ({ reason }: PastStop): boolean => reason !== "step" && reason !== "finish" && reason !== "until"

/** Returns what a stop is, with who caused it: the colour of the command between two stops is not the only sign of that. */
const titleOf = (stop: PastStop, own: string): string => {
  const command = stop.command?.split(" ")[0]
  const cause = command === undefined ? undefined : `after “${command}” by ${nameOf(stop.actor, own)}`
  const changed = stop.changed.slice(0, 3).map(({ name, new: value, old }) => `${name} ${value} was ${old}`)
  return [`Stop ${stop.stop}`, reasonOf(stop), placeOf(stop.location), cause, ...changed]
    .filter((part) => part !== undefined)
    .join(" · ")
}

/** Returns what is drawn for stops: one tick each; if they are too many, the oldest are joined, some to a tick. */
const joined = (
  stops: ReadonlyArray<PastStop>,
  room: Room
): ReadonlyArray<{ readonly stop: PastStop; readonly count: number }> => {
  const single = stops.slice(-room.single)
  const rest = stops.slice(0, -room.single)
  const size = Math.ceil(rest.length / (room.ticks - room.single))
  const groups = Array.from({ length: Math.ceil(rest.length / Math.max(1, size)) }, (_, at) =>
    rest.slice(at * size, (at + 1) * size)
  ).flatMap((group) => {
    // A failure is not hidden by the steps beside it.
    const shown = group.find(isFailure) ?? group.find(isTall) ?? group[0]
    return shown === undefined ? [] : [{ stop: shown, count: group.length }]
  })
  return [...groups, ...single.map((stop) => ({ stop, count: 1 }))]
}

const Tick = ({ count, stop }: { readonly stop: PastStop; readonly count: number }) => {
  const view = useView()
  const own = usePage().credentials.actor.id
  const tone = isFailure(stop) ? " failed" : ""
  const looked = view.looked.value === stop.stop ? " looked" : ""
  const words = count === 1 ? titleOf(stop, own) : `${titleOf(stop, own)} · one of ${count} stops`
  return (
    <button
      type="button"
      class={`tick ${isTall(stop) ? "tall" : "short"} ${whoIs(stop.actor, own)}${tone}${looked}`}
      title={words}
      aria-label={words}
      tabIndex={view.looked.value === stop.stop ? 0 : -1}
      onClick={() => void view.look(stop.stop)}
    />
  )
}

const Pill = ({ first, last, stop }: { readonly stop: PastStop; readonly first: boolean; readonly last: boolean }) => {
  const view = useView()
  const own = usePage().credentials.actor.id
  const { state, stop: newest } = view.session.snapshot.value
  const now = stop.stop === newest && state === "stopped"
  const looked = view.looked.value === stop.stop
  const command = stop.command?.split(" ")[0]
  return (
    <span class="pillGroup">
      {first || command === undefined ? null : <span class={`between ${whoIs(stop.actor, own)}`}>{command}</span>}
      <button
        type="button"
        class={`pill${now ? " now" : ""}${looked ? " looked" : ""}${isFailure(stop) ? " failed" : ""}`}
        title={titleOf(stop, own)}
        tabIndex={looked || (last && !view.past.value) ? 0 : -1}
        aria-current={looked || (now && !view.past.value) ? "true" : undefined}
        onClick={() => void view.look(stop.stop)}
      >
        <b>{stop.stop}</b> {shortReasonOf(stop)}
      </button>
    </span>
  )
}

/** Returns how a session ended, in as few words as a pill has. */
const endPill = (snapshot: Snapshot): string => {
  const { exit_code, state } = snapshot
  if (state === "terminated") return "ended"
  if (state === "detached") return "detached"
  return isAlive(snapshot) ? "" : exit_code === undefined ? endOf(snapshot) : `exit ${exit_code}`
}

/** What follows the newest stop: the program runs, or it has ended. */
const AfterStops = () => {
  const { events, snapshot } = useView().session
  const own = usePage().credentials.actor.id
  const { state } = snapshot.value
  if (state === "stopped" || state === "starting") return null
  const resumed = resumedBy(events.value)
  return (
    <span class="pillGroup" key={resumed?.command}>
      {resumed === undefined ? null : <span class={`between ${whoIs(resumed.actor, own)}`}>{resumed.command}</span>}
      {state === "running" ? (
        <span class="pill running">
          <Icon name="play" />
          running
        </span>
      ) : (
        <span class="pill">
          <Icon name="box" />
          {endPill(snapshot.value)}
        </span>
      )}
    </span>
  )
}

/** The place of notices: one at a time, at the right end, or below the row, where all of it can be read. */
const NoticeArea = () => {
  const notice = useRowNotice()
  const view = useView()
  const phone = usePhone()
  return (
    <>
      {view.past.value && (phone || notice === undefined) ? (
        <Button label="Back to now" keys="Esc" kind="main" onClick={() => void view.look(undefined)} />
      ) : null}
      {notice === undefined ? null : <NoticeBox notice={notice} />}
    </>
  )
}

/** Goes one stop back or on, to the first or the last, or to now. */
export const moveStop = (view: ReturnType<typeof useView>, to: "back" | "on" | "first" | "last" | "now"): void => {
  const stops = view.stops.value
  if (to === "now") return void view.look(undefined)
  const shown = view.looked.value ?? view.session.snapshot.value.stop
  const at = stops.findIndex(({ stop }) => stop === shown)
  const from = at === -1 ? stops.length : at
  const target =
    to === "first" ? stops[0] : to === "last" ? stops.at(-1) : to === "back" ? stops[from - 1] : stops[from + 1]
  if (target !== undefined) void view.look(target.stop)
}

const stopKeys = new Map<string, Parameters<typeof moveStop>[1]>([
  ["ArrowLeft", "back"],
  ["ArrowRight", "on"],
  ["Home", "first"],
  ["End", "last"]
])

/** Width of the ellipsis before the first pill in view, in pixels. */
const ellipsisWidth = 20

/** Least width of a notice behind the stops, in pixels. */
const leastNotice = 240

/** True if the text of a notice is cut. */
const isCut = (notice: Element): boolean => {
  const text = notice.querySelector(".noticeText")
  return text !== null && (text.scrollWidth > text.clientWidth || text.scrollHeight > text.clientHeight + 1)
}

/**
 * Puts a notice behind the stops, in one line or in two. If it has no room there, and on a phone, it is below the row, where a button shows
 * the rest of a very long text. It covers no stop.
 */
const placeNotice = (row: HTMLElement, pills: HTMLElement, phone: boolean): void => {
  const notice = row.querySelector<HTMLElement>(".notice")
  if (notice === null) return
  const end = [...pills.children].at(-1)?.getBoundingClientRect().right ?? pills.getBoundingClientRect().left
  const room = row.getBoundingClientRect().right - end - 24
  row.style.setProperty("--room", `${Math.max(0, room)}px`)
  const hasRoom = !phone && room >= leastNotice
  notice.classList.remove("twoLines", "outside", "cut")
  if (hasRoom && isCut(notice)) notice.classList.add("twoLines")
  if (!hasRoom || isCut(notice)) {
    notice.classList.remove("twoLines")
    notice.classList.add("outside")
  }
  notice.classList.toggle("cut", isCut(notice))
}

/**
 * Hides the pills and commands of which only a part is in view. The pill that is kept is always shown. An ellipsis is between a pill that is
 * hidden and one that is shown, in the place of the command.
 */
const hideCut = (pills: HTMLElement): void => {
  const { left, right } = pills.getBoundingClientRect()
  const isPart = (part: HTMLElement | null): boolean => {
    const box = part?.getBoundingClientRect()
    return box !== undefined && (box.left < left - 1 || box.right > right + 1)
  }
  const kept = pills.querySelector(".looked") ?? pills.querySelector(".now")
  let isAfterHidden = false
  for (const group of pills.querySelectorAll<HTMLElement>(".pillGroup")) {
    const pill = group.querySelector<HTMLElement>(".pill")
    const command = group.querySelector<HTMLElement>(".between")
    // Before the first one that is shown, its ellipsis has room.
    const begins = (pill?.getBoundingClientRect().left ?? left) - left
    const isHidden: boolean = pill !== kept && (isPart(pill) || (isAfterHidden && begins < ellipsisWidth))
    pill?.toggleAttribute("data-cut", isHidden)
    // A command leads to its stop.
    command?.toggleAttribute("data-cut", isHidden || isAfterHidden || isPart(command))
    pill?.toggleAttribute("data-more", isAfterHidden && !isHidden)
    isAfterHidden = isHidden
  }
}

/** The stops row. */
export const StopsRow = () => {
  const view = useView()
  const pills = useRef<HTMLDivElement>(null)
  const ticks = useRef<HTMLDivElement>(null)
  const nav = useRef<HTMLElement>(null)
  // A stop that is among the older ones now has its place there.
  useFocusInside(
    nav,
    (row) => [...row.querySelectorAll<HTMLElement>(".tick")].at(-1) ?? row.querySelector<HTMLElement>(".pill.now")
  )
  const notice = useRowNotice()
  const stops = view.stops.value
  const newest = stops.slice(-mostPills)
  const older = stops.slice(0, -mostPills)
  const total = view.session.snapshot.value.stop
  const [narrow, phone] = [useNarrow(), usePhone()]
  const room = phone ? phoneRoom : narrow ? narrowRoom : wideRoom
  const looked = view.looked.value
  const digits = String(total).length
  /** The pills are drawn anew where an older stop has taken room before them, unless one of them has the focus. */
  const place = useRef("")
  if (pills.current?.contains(document.activeElement) !== true) place.current = `${older.length} ${digits}`
  const showNewest = () => {
    const element = pills.current
    if (element === null) return
    const pill = element.querySelector<HTMLElement>(".looked")
    // A button behind the pills takes room of the other pills only.
    const kept = pill ?? [...element.querySelectorAll<HTMLElement>(".pill")].at(-1)
    const before = newest.length > 1 ? ellipsisWidth : 0
    element.style.setProperty("--kept", `${(kept?.offsetWidth ?? 0) + before}px`)
    if (pill !== null) element.scrollLeft = pill.offsetLeft - element.offsetLeft - ellipsisWidth
    else if (looked === undefined) element.scrollLeft = element.scrollWidth
    hideCut(element)
    if (element.parentElement !== null) placeNotice(element.parentElement, element, phone)
  }
  useLayoutEffect(() => {
    // The focus stays at its stop.
    if (ticks.current?.contains(document.activeElement) === true)
      ticks.current.querySelector<HTMLElement>(".looked")?.focus({ preventScroll: true })
    showNewest()
    const observer = new ResizeObserver(showNewest)
    if (pills.current !== null) observer.observe(pills.current)
    return () => observer.disconnect()
    // The list of stops may have the newest one before the state does: another pill is kept then.
  }, [stops, total, view.session.snapshot.value.state, looked, notice])
  const onKeyDown = (event: KeyboardEvent) => {
    const to = stopKeys.get(event.key)
    if (to === undefined) return
    event.preventDefault()
    moveStop(view, to)
  }
  return (
    <nav class="stopsRow" aria-label="Stops" ref={nav} onKeyDown={onKeyDown}>
      <span class={`stopsTitle${older.length === 0 ? " word" : ""}`}>
        {older.length === 0 ? "Stops" : `${total} stops`}
      </span>
      {older.length === 0 ? null : (
        <div class="ticks" key={digits} ref={ticks}>
          {/* By their places: a new stop moves no element where the row is full. */}
          {joined(older, room).map(({ count, stop }, at) => (
            <Tick key={at} stop={stop} count={count} />
          ))}
        </div>
      )}
      <div
        class={`pills${older.length > mostWithCommands ? " bare" : ""}`}
        key={place.current}
        ref={pills}
        onScroll={({ currentTarget }) => hideCut(currentTarget)}
      >
        {newest.map((stop, at) => (
          <Pill key={stop.stop} stop={stop} first={at === 0} last={at === newest.length - 1} />
        ))}
        {stops.length > 0 || view.session.snapshot.value.state === "lost" ? (
          <AfterStops key={stops.length} />
        ) : total === 0 ? (
          <span class="faint">No stop yet.</span>
        ) : null}
      </div>
      <NoticeArea />
    </nav>
  )
}
