/**
 * The sentence of the run row: why the program stopped, where, and after what; or what it does.
 */
import type { Report } from "../../connection/Answers.ts"
import { progressSince, progressWords } from "../../session/words/ProgressWords.ts"
import {
  durationOf,
  endingOf,
  endOf,
  fileName,
  isAlive,
  isFailure,
  placeOf,
  ranBefore,
  reasonInThreads,
  reasonOf,
  resumedBy,
  secondsOf,
  shortFunction,
  stoppedWords,
  timeOf
} from "../../session/words/StopWords.ts"
import { trueAt } from "../../session/words/Words.ts"
import { useFitted } from "../layout/FittedSentence.ts"
import { usePhone, useWide } from "../layout/WindowWidths.ts"
import { usePage, useView } from "../parts/PageContext.ts"
import { ActorName } from "../parts/Parts.tsx"
import { useSeconds } from "../parts/Seconds.ts"

/** Most characters of a function's name that leaves room for its place, below the width of a wide window. */
const mostInRow = 24

/** Returns the thread and the address of a stop: `thread app 25442`, `pc 0x555555555164`. */
const machineWords = (report: Report | undefined): ReadonlyArray<string> => {
  const { location, thread } = report ?? {}
  return [
    ...(thread === undefined
      ? []
      : [["thread", thread.name, thread.id].filter((part) => part !== undefined).join(" ")]),
    ...(location?.address === undefined ? [] : [`pc ${location.address}`])
  ]
}

/** What was known when the connection was lost. */
const LastKnown = () => {
  const view = useView()
  const fitted = useFitted()
  const { state, stop, stopped } = view.session.snapshot.value
  const known = view.stopsByNumber.value.get(stop)
  const why =
    state !== "stopped" || stopped === undefined
      ? state
      : stoppedWords(known ?? stopped).replace(/^./, (first) => first.toLowerCase())
  return (
    <p class="sentence" ref={fitted}>
      last known: {why}
      <span class="after">
        {[state === "stopped" ? placeOf(known?.location) : undefined, `event ${view.session.seq.value}`]
          .flatMap((part) => (part === undefined ? [] : [` · ${part}`]))
          .join("")}
      </span>
    </p>
  )
}

/**
 * Why and where the program stopped, and which command of which client resumed it; or what the program does now. A wide window shows the
 * thread and the address too.
 */
export const Sentence = () => {
  const view = useView()
  const fitted = useFitted()
  const [wide, phone] = [useWide(), usePhone()]
  const { snapshot, events, silentSince, since } = view.session
  const { program, progress, state, unanswered } = snapshot.value
  const lost = !usePage().connected.value
  const waits = state === "running" || state === "starting"
  const silent = silentSince.value
  const now = useSeconds((waits || silent !== undefined) && view.looked.value === undefined)
  // On a phone the banner has room for two sentences only.
  if (lost && phone)
    return (
      <p class="sentence" ref={fitted}>
        {trueAt(view.session.seq.value)}
      </p>
    )
  if (lost) return <LastKnown />
  if (view.looked.value === undefined && silent !== undefined && unanswered !== undefined) {
    return (
      <p class="sentence" ref={fitted}>
        for {secondsOf(now - silent)}
        <span class="after">
          {" · "}
          {view.status.adapter.value === "" ? "the debugger" : view.status.adapter.value} has not answered{" "}
          <code>{unanswered.request}</code>
        </span>
      </p>
    )
  }
  if (state === "starting" && view.status.loaded.value)
    return (
      <p class="sentence" ref={fitted}>
        {fileName(program ?? "")} is loaded and was not started
      </p>
    )
  if (view.looked.value === undefined && waits) {
    const resumed = resumedBy(events.value)
    const busySince = progressSince(events.value)
    if (state === "starting" && progress !== undefined)
      return (
        <p class="sentence timed">
          <span>{progressWords(progress)}</span>
          <span>, {secondsOf(now - (busySince ?? since.value))}</span>
        </p>
      )
    return (
      <p class="sentence" ref={fitted}>
        {state === "starting" ? `${fileName(program ?? "")}, ` : "for "}
        {secondsOf(now - since.value)}
        {resumed === undefined ? null : (
          <span class="after">
            {" "}
            · since “{resumed.command}” by <ActorName actor={resumed.actor} />
          </span>
        )}
      </p>
    )
  }
  if (view.looked.value === undefined && !isAlive(snapshot.value)) {
    const ending = endingOf(events.value)
    const resumed = resumedBy(events.value)
    if (ending?.actor !== undefined)
      return (
        <p class="sentence" ref={fitted}>
          {state === "terminated" ? "" : `${endOf(snapshot.value)} · `}
          by <ActorName actor={ending.actor} /> at {timeOf(ending.time)}
        </p>
      )
    return (
      <p class="sentence" ref={fitted}>
        {endOf(snapshot.value)}
        {ending === undefined ? null : (
          <span class="after">
            {" · "}
            {timeOf(ending.time)}
            {resumed === undefined ? null : (
              <span class="machine">
                {`, ${durationOf(ending.time - resumed.time)} after “${resumed.command}” by `}
                <ActorName actor={resumed.actor} />
              </span>
            )}
          </span>
        )}
      </p>
    )
  }
  const shown = view.looked.value ?? snapshot.value.stop
  const stop = view.stopsByNumber.value.get(shown)
  // Until the stop is read, its event says why the program stopped.
  const report = view.reportStop.value === shown ? view.report.value : undefined
  const { stopped } = snapshot.value
  const told = report ?? stop ?? (view.looked.value === undefined ? stopped : undefined)
  if (told === undefined) return <p class="sentence" ref={fitted} />
  const together = view.looked.value === undefined ? (stopped?.threads.length ?? 0) : 0
  const known = { ...told, raw_reason: told.raw_reason ?? "" }
  const location = "location" in told ? told.location : undefined
  const place = placeOf(location)
  const name = shortFunction(location?.function ?? "?", wide ? undefined : mostInRow)
  const whole = reasonInThreads(known, together)
  const short = reasonOf(known)
  // The number of hits, what changed or what a function returned.
  const [why, more] = whole.startsWith(short) ? [short, whole.slice(short.length)] : [whole, ""]
  const { core } = snapshot.value
  const isTimed = core !== true && (view.looked.value !== undefined || isFailure(known))
  const ran = isTimed ? ranBefore(events.value, shown) : undefined
  const machine = wide && view.looked.value === undefined ? machineWords(report) : []
  // Words that come later, with the list of stops, are new ones: those beside them do not move.
  const words = [whole, location?.function, place, stop?.time, ran, stop?.command, stop?.actor?.id, ...machine].join(
    " "
  )
  return (
    <p class="sentence" key={words} ref={fitted}>
      <span>
        {why}
        {more === "" ? null : <span class="more">{more}</span>}
      </span>
      {location === undefined ? null : (
        <span class="place">
          {" · "}
          <span class={place === undefined ? undefined : "function"}>
            <code title={location.function}>{name}</code>
            {place === undefined ? "" : " "}
          </span>
          {place === undefined ? null : (
            <span class="placeWords">
              <span class="function">at </span>
              <code title={location.function}>{place}</code>
            </span>
          )}
        </span>
      )}
      {view.looked.value === undefined || stop === undefined ? null : <span>{` · ${timeOf(stop.time)}`}</span>}
      {stop?.command === undefined ? null : (
        <span class="after">
          {view.looked.value === undefined ? " · " : ", "}
          {ran === undefined ? null : <span class="unbroken">{ran}</span>}
          {ran === undefined ? "" : " "}
          {core === true ? "core file opened" : `after “${stop.command.split(" ")[0]}”`} by{" "}
          <ActorName actor={stop.actor} />
        </span>
      )}
      {machine.length === 0 ? null : <span class="machine">{machine.map((part) => ` · ${part}`).join("")}</span>}
    </p>
  )
}
