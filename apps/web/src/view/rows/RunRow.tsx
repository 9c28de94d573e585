/**
 * The run row: what can be done with the program, its state, and why it stopped.
 */
import { useSeconds } from "../parts/Seconds.ts"
import { actions, type Action, endWords, mainActionOf, obstacleOf, run } from "../../session/actions/Actions.ts"
import { copyLink, copyReport } from "../../session/actions/Clipboard.ts"
import {
  chipOf,
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
  timeOf,
  type Chip
} from "../../session/words/StopWords.ts"
import type { Report } from "../../connection/Answers.ts"
import { CancelStart, useLongStart } from "./CancelStart.tsx"
import { Icon, type IconName } from "../parts/Icons.tsx"
import { usePage, useView } from "../parts/PageContext.ts"
import { ActorName, Button } from "../parts/Parts.tsx"
import { cursorLine } from "../source/SourceLines.tsx"
import { progressSince, progressWords } from "../../session/words/ProgressWords.ts"
import { trueAt } from "../../session/words/Words.ts"
import { useNarrow, usePhone, useWide } from "../layout/WindowWidths.ts"

const icons: { readonly [id in Action["id"]]: IconName } = {
  continue: "play",
  pause: "pause",
  next: "over",
  step: "into",
  finish: "out",
  until: "until",
  restart: "restart",
  stop: "stop"
}

/** The icons of the states. */
export const chipIcons: { readonly [chip in Chip]: IconName } = {
  Stopped: "pause",
  Running: "play",
  Crashed: "warn",
  Ended: "box",
  "Past stop": "clock",
  Starting: "box",
  "Not responding": "warn",
  "Not connected": "box"
}

/** The state in a word and a shape. */
const StateChip = () => {
  const page = usePage()
  const view = useView()
  const looked = view.looked.value
  const chip = chipOf(view.session.snapshot.value, {
    connected: page.connected.value,
    past: looked !== undefined,
    silent: view.session.silentSince.value !== undefined
  })
  return (
    <span class={`chip ${chip.replace(" ", "").toLowerCase()}`} id="state">
      <Icon name={chipIcons[chip]} />
      {chip === "Past stop" ? `Past stop ${looked ?? ""}` : chip}
    </span>
  )
}

/** Most characters of a function's name that leaves room for its place, below the width of a wide window. */
const mostInRow = 24

/**
 * Most characters of the reason and the place in a narrow window, of which those of the place are a fifth wider, and of the function and
 * the place in a line of a phone.
 */
const [mostInNarrow, mostInPhone] = [32, 24]

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

/**
 * Why and where the program stopped, and which command of which client resumed it; or what the program does now. A wide window shows the
 * thread and the address too.
 */
const Sentence = () => {
  const view = useView()
  const [wide, narrow, phone] = [useWide(), useNarrow(), usePhone()]
  const { snapshot, events, silentSince, since } = view.session
  const { program, progress, state, unanswered } = snapshot.value
  const lost = !usePage().connected.value
  const waits = state === "running" || state === "starting"
  const silent = silentSince.value
  const now = useSeconds((waits || silent !== undefined) && view.looked.value === undefined)
  // On a phone the banner has room for two sentences only.
  if (lost && phone) return <p class="sentence">{trueAt(view.session.seq.value)}</p>
  if (lost) {
    const { stop, stopped } = snapshot.value
    const known = view.stopsByNumber.value.get(stop)
    const why =
      state !== "stopped" || stopped === undefined
        ? state
        : stoppedWords(known ?? stopped).replace(/^./, (first) => first.toLowerCase())
    return (
      <p class="sentence">
        last known: {why}
        <span class="after">
          {[state === "stopped" ? placeOf(known?.location) : undefined, `event ${view.session.seq.value}`]
            .flatMap((part) => (part === undefined ? [] : [` · ${part}`]))
            .join("")}
        </span>
      </p>
    )
  }
  if (view.looked.value === undefined && silent !== undefined && unanswered !== undefined) {
    return (
      <p class="sentence">
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
    return <p class="sentence">{fileName(program ?? "")} is loaded and was not started</p>
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
      <p class="sentence">
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
        <p class="sentence">
          {state === "terminated" ? "" : `${endOf(snapshot.value)} · `}
          by <ActorName actor={ending.actor} /> at {timeOf(ending.time)}
        </p>
      )
    return (
      <p class="sentence">
        {endOf(snapshot.value)}
        {ending === undefined ? null : (
          <span class="after">
            {" · "}
            {timeOf(ending.time)}
            {resumed === undefined ? null : (
              <span>
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
  if (told === undefined) return <p class="sentence" />
  const together = view.looked.value === undefined ? (stopped?.threads.length ?? 0) : 0
  const known = { ...told, raw_reason: told.raw_reason ?? "" }
  const location = "location" in told ? told.location : undefined
  const place = placeOf(location)
  const name = shortFunction(location?.function ?? "?", wide ? undefined : mostInRow)
  const whole = reasonInThreads(known, together)
  // Where there is little room, the place comes before the number of hits and before the function.
  const why = narrow && !phone && whole.length + 1.2 * (place ?? "").length > mostInNarrow ? reasonOf(known) : whole
  const isNamed = !phone || place === undefined || `${name} at ${place}`.length <= mostInPhone
  const { core } = snapshot.value
  const isTimed = core !== true && (view.looked.value !== undefined || isFailure(known))
  const ran = isTimed ? ranBefore(events.value, shown) : undefined
  const machine = wide && view.looked.value === undefined ? machineWords(report) : []
  // Words that come later, with the list of stops, are new ones: those beside them do not move.
  const words = [why, location?.function, place, stop?.time, ran, stop?.command, stop?.actor?.id, ...machine].join(" ")
  return (
    <p class="sentence" key={words}>
      <span>{why}</span>
      {location === undefined ? null : (
        <span>
          {" · "}
          {isNamed ? (
            <span class={place === undefined ? undefined : "function"}>
              <code title={location.function}>{name}</code>
              {place === undefined ? "" : " at "}
            </span>
          ) : null}
          {place === undefined ? null : <code title={location.function}>{place}</code>}
        </span>
      )}
      {view.looked.value === undefined || stop === undefined ? null : <span>{` · ${timeOf(stop.time)}`}</span>}
      {stop?.command === undefined ? null : (
        <span class="after">
          {view.looked.value === undefined ? " · " : ", "}
          {ran === undefined ? "" : `${ran} `}
          {core === true ? "core file opened" : `after “${stop.command.split(" ")[0]}”`} by{" "}
          <ActorName actor={stop.actor} />
        </span>
      )}
      {machine.length === 0 ? null : <span class="after">{machine.map((part) => ` · ${part}`).join("")}</span>}
    </p>
  )
}

const Run = ({ action, iconOnly = false }: { readonly action: Action; readonly iconOnly?: boolean }) => {
  const page = usePage()
  const view = useView()
  const bare = action.id === "until" || action.id === "restart" || action.id === "stop"
  const selected = () => {
    const source = view.source.value
    return source === undefined ? undefined : `${source.file}:${cursorLine.value}`
  }
  return (
    <Button
      icon={icons[action.id]}
      label={action.id === "stop" && view.status.kind.value === "attached" ? "Detach" : action.label}
      keys={action.keys}
      kind={iconOnly ? "plain" : "quiet"}
      iconOnly={bare || iconOnly}
      obstacle={obstacleOf(page, view, action)}
      onClick={() => void run(page, view, action, selected())}
    />
  )
}

/** The first button: Continue, Pause or Start again. */
export const MainButton = () => {
  const page = usePage()
  const view = useView()
  const action = mainActionOf(view)
  const obstacle = obstacleOf(page, view, action)
  const isMain = obstacle === undefined
  return (
    <div class="mainButton">
      <Button
        icon={icons[action.id]}
        label={action.id === "restart" ? "Start again" : action.label}
        keys={action.keys}
        kind={isMain ? "main" : "quiet"}
        obstacle={obstacle}
        onClick={() => void run(page, view, action)}
      />
    </div>
  )
}

/** Copies the stop at a failure or an end, else a link for a person who watches. */
const Share = () => {
  const page = usePage()
  const view = useView()
  const { state, stopped } = view.session.snapshot.value
  if (!page.connected.value) return null
  const failed = state === "stopped" && isFailure(stopped)
  return (isAlive(view.session.snapshot.value) && !failed) || view.past.value ? (
    <Button key="share" label="Share" icon="link" kind="quiet" onClick={() => void copyLink(page, view)} />
  ) : (
    <Button key="report" label="Copy report" icon="copy" kind="quiet" onClick={() => void copyReport(page, view)} />
  )
}

/** What can be done about a debugger that does not answer. `beside` is true where the main button is shown too. */
export const Remedies = ({ beside = false }: { readonly beside?: boolean }) => {
  const page = usePage()
  const view = useView()
  if (view.session.silentSince.value === undefined) return null
  const isPause = beside && view.session.snapshot.value.state !== "stopped"
  return (
    <>
      {isPause ? null : (
        <Button
          label="Pause"
          obstacle={obstacleOf(page, view, actions.pause)}
          onClick={() => void run(page, view, actions.pause)}
        />
      )}
      <Button
        label={endWords(view)}
        obstacle={obstacleOf(page, view, actions.stop)}
        onClick={() => void run(page, view, actions.stop)}
      />
    </>
  )
}

/** Over, into and out. */
export const StepButtons = ({ iconOnly = false }: { readonly iconOnly?: boolean }) => (
  <>
    <Run action={actions.next} iconOnly={iconOnly} />
    <Run action={actions.step} iconOnly={iconOnly} />
    <Run action={actions.finish} iconOnly={iconOnly} />
  </>
)

/** The run row. */
export const RunRow = () => {
  const view = useView()
  return (
    <section class="runRow" aria-label="Run">
      <div class="runButtons" role="toolbar" aria-label="Run the program">
        <MainButton />
        <StepButtons />
        <Run action={actions.until} />
        <span class="bar" />
        <Run action={actions.restart} />
        <Run action={actions.stop} />
        <span class="bar" />
      </div>
      <StateChip />
      <Sentence key={`${view.session.snapshot.value.state} ${view.reportStop.value} ${view.looked.value ?? ""}`} />
      <span class="space" />
      <Remedies beside />
      {useLongStart() ? <CancelStart /> : null}
      <Share />
    </section>
  )
}
