/**
 * The run row: what can be done with the program, its state, and why it stopped.
 */
import { actions, type Action, endWords, mainActionOf, obstacleOf, run } from "../../session/actions/Actions.ts"
import { copyLink, copyReport, linkHint, reportHint } from "../../session/actions/Clipboard.ts"
import { chipOf, isAlive, isFailure, type Chip } from "../../session/words/StopWords.ts"
import { CancelStart, useLongStart } from "./CancelStart.tsx"
import { Icon, type IconName } from "../parts/Icons.tsx"
import { usePage, useView } from "../parts/PageContext.ts"
import { Button } from "../parts/Parts.tsx"
import { Sentence } from "./Sentence.tsx"
import { cursorLine } from "../source/SourceLines.tsx"

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

/** What the states mean that are not those of the program. */
const chipHints: { readonly [chip in Chip]?: string } = {
  "Not responding": "The debugger does not answer. The program may run or be stopped.",
  "Past stop": "What was known at an earlier stop. The program stays where it is.",
  "Not connected": "The page has no connection to the daemon. The program may have gone on."
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
    <span class={`chip ${chip.replace(" ", "").toLowerCase()}`} id="state" title={chipHints[chip]}>
      <Icon name={chipIcons[chip]} />
      {chip === "Past stop" ? `Past stop ${looked ?? ""}` : chip}
    </span>
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
    <Button
      key="share"
      label="Share"
      icon="link"
      kind="quiet"
      hint={linkHint}
      onClick={() => void copyLink(page, view)}
    />
  ) : (
    <Button
      key="report"
      label="Copy report"
      icon="copy"
      kind="quiet"
      hint={reportHint}
      onClick={() => void copyReport(page, view)}
    />
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
