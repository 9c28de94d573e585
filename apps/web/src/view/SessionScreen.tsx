/**
 * The screen of a session: four fixed rows, the panels between them, and the footer.
 */
import { useEffect, useRef, useState } from "preact/hooks"
import { askWords } from "../session/activity/AskedCall.ts"
import { sizes } from "../session/Preferences.ts"
import { placeOf, stoppedWords } from "../session/words/StopWords.ts"
import { ActivityPanel } from "./panels/ActivityPanel.tsx"
import { AskCard } from "./panels/AskCard.tsx"
import { Header } from "./rows/Header.tsx"
import { LowerPanes } from "./panels/LowerPanes.tsx"
import { NoticeWithoutRow } from "./rows/Notices.tsx"
import { usePage, useView } from "./parts/PageContext.ts"
import { lowerOpen, phoneTab, phoneTabs } from "./layout/Panes.ts"
import { Button } from "./parts/Parts.tsx"
import { CancelStart, useLongStart } from "./rows/CancelStart.tsx"
import { MainButton, Remedies, RunRow, StepButtons } from "./rows/RunRow.tsx"
import { useSeconds } from "./parts/Seconds.ts"
import { SourcePanel } from "./source/SourcePanel.tsx"
import { BreakpointPanel } from "./panels/BreakpointPanel.tsx"
import { StackPanel } from "./panels/StackPanel.tsx"
import { ConnectionBanner } from "./rows/ConnectionBanner.tsx"
import { StopsRow } from "./rows/StopsRow.tsx"
import { VariablesPanel } from "./values/ValuesPanel.tsx"
import { WatchPanel } from "./values/WatchPanel.tsx"
import { useNarrow, usePhone, useWide } from "./layout/WindowWidths.ts"

/** The name of the width of the window, for the sizes of its panes. */
const widthClass = (): string =>
  innerWidth >= 1680 ? "wide" : innerWidth >= 1024 ? "middle" : innerWidth >= 640 ? "narrow" : "phone"

/** A line between panes that can be dragged and moved with arrow keys; a double click restores it. */
const Divider = ({
  fallback,
  label,
  name,
  sign,
  vertical
}: {
  readonly name: string
  readonly label: string
  readonly fallback: number
  readonly vertical: boolean
  /** 1 if a move to the right or down makes the pane larger. */
  readonly sign: 1 | -1
}) => {
  const from = useRef<{ readonly at: number; readonly size: number } | undefined>(undefined)
  const key = `${name}.${widthClass()}`
  const size = sizes.value[key] ?? fallback
  const set = (next: number) =>
    (sizes.value = { ...sizes.value, [key]: Math.round(Math.min(900, Math.max(120, next))) })
  useEffect(() => document.documentElement.style.setProperty(`--${name}`, `${size}px`), [name, size])
  return (
    <div
      class={`divider ${vertical ? "vertical" : "horizontal"} ${name}`}
      role="separator"
      aria-label={label}
      aria-orientation={vertical ? "vertical" : "horizontal"}
      aria-valuenow={size}
      aria-valuemin={120}
      aria-valuemax={900}
      tabIndex={0}
      onDblClick={() => set(fallback)}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        from.current = { at: vertical ? event.clientX : event.clientY, size }
      }}
      onPointerMove={(event) => {
        if (from.current !== undefined)
          set(from.current.size + sign * ((vertical ? event.clientX : event.clientY) - from.current.at))
      }}
      onPointerUp={() => (from.current = undefined)}
      onKeyDown={(event) => {
        const less = event.key === "ArrowLeft" || event.key === "ArrowUp"
        const more = event.key === "ArrowRight" || event.key === "ArrowDown"
        if (less || more) set(size + sign * (more ? 16 : -16))
      }}
    />
  )
}

const Footer = () => {
  const page = usePage()
  const view = useView()
  const known = page.command.value === "" ? `sigtrap context --session ${view.session.name}` : page.command.value
  // Without a server nothing else can be done: a new daemon serves the page at the same address.
  const isLost = page.connection.value.state === "lost" && location.port !== ""
  const command = isLost ? `sigtrap web --port ${location.port}` : known
  const copy = () =>
    void navigator.clipboard.writeText(command).then(() => page.say({ text: "The command was copied.", tone: "plain" }))
  const looked = view.looked.value
  const event =
    looked === undefined
      ? `event ${view.session.seq.value}${page.connected.value ? "" : ", not live"}`
      : `looking at stop ${looked} of ${view.session.snapshot.value.stop}`
  return (
    <footer class="footer">
      <code class="command">$ {command}</code>
      <Button label="Copy" icon="copy" kind="bare" onClick={copy} />
      <span class="space" />
      {/* Both are drawn anew together, because the first one grows. */}
      <span key={`${event} ${view.status.adapter.value}`}>
        {event}
        <span class="adapter">{view.status.adapter.value}</span>
      </span>
      <button type="button" class="link" onClick={() => (page.overlay.value = "keys")}>
        ? keys
      </button>
    </footer>
  )
}

/** Says each stop and each request once, for screen readers. */
const Spoken = () => {
  const page = usePage()
  const view = useView()
  const question = [...page.requests.value.values()].at(-1)
  const [said, setSaid] = useState("")
  const stop = view.reportStop.value
  useEffect(() => {
    const report = view.report.value
    if (report === undefined || view.past.value) return
    const place = placeOf(report.location)?.replace(":", " line ")
    setSaid(
      `${stoppedWords({ raw_reason: report.raw_reason ?? "", ...report })}${place === undefined ? "" : `, ${place}`}`
    )
  }, [view, stop])
  return (
    <>
      <p class="hiddenName" role="status" aria-live="polite">
        {said}
      </p>
      <p class="hiddenName" role="status" aria-live="polite">
        {question === undefined ? "" : askWords(question, page.credentials.actor.id)}
      </p>
    </>
  )
}

/** Restart, ending the program and the other actions on a phone. */
const PhoneMore = () => {
  const page = usePage()
  return (
    <Button label="More actions" icon="menu" iconOnly kind="plain" onClick={() => (page.overlay.value = "palette")} />
  )
}

const PhoneTabs = () => {
  const page = usePage()
  const asked = page.requests.value.size
  return (
    <nav class="phoneTabs" aria-label="Panels">
      {phoneTabs.map((name) => (
        <button
          type="button"
          key={name}
          aria-current={phoneTab.value === name ? "page" : undefined}
          onClick={() => (phoneTab.value = name)}
        >
          {name}
          {name === "Activity" && asked > 0 ? (
            <>
              <span class="askedMark" aria-hidden="true" />
              <span class="hiddenName">{`, ${asked} request${asked === 1 ? "" : "s"}`}</span>
            </>
          ) : null}
        </button>
      ))}
    </nav>
  )
}

/** The screen of a session. */
export const SessionScreen = () => {
  const page = usePage()
  const [narrow, phone] = [useNarrow(), usePhone()]
  const wide = useWide()
  const lost = page.connection.value.state === "lost"
  const now = useSeconds(lost)
  const isLongStart = useLongStart()
  const silent = useView().session.silentSince.value !== undefined
  return (
    <div class={`session phone${phoneTab.value}${lost ? " lost" : ""}`}>
      <Header />
      <RunRow />
      {lost ? <ConnectionBanner now={now} /> : <StopsRow />}
      <main class={lowerOpen.value ? "panels unfolded" : "panels"}>
        <div class="left">
          <StackPanel />
          {narrow && !phone ? null : <BreakpointPanel />}
        </div>
        <SourcePanel />
        <div class="right">
          <VariablesPanel />
          {narrow && !phone ? null : <WatchPanel />}
        </div>
        {narrow && !phone ? null : <ActivityPanel />}
        <LowerPanes />
        <Divider name="stackWidth" label="Width of the stack" fallback={wide ? 248 : 256} vertical sign={1} />
        <Divider name="valuesWidth" label="Width of the values" fallback={wide ? 360 : 352} vertical sign={-1} />
        <Divider
          name="lowerHeight"
          label="Height of the lower panes"
          fallback={wide ? 300 : 236}
          vertical={false}
          sign={-1}
        />
      </main>
      {phone ? (
        <div class="askSheet">
          <AskCard />
        </div>
      ) : null}
      <div class="phoneRun">
        {silent ? (
          <Remedies />
        ) : (
          <>
            <MainButton />
            {isLongStart ? <CancelStart /> : <StepButtons iconOnly />}
          </>
        )}
        <PhoneMore />
      </div>
      <PhoneTabs />
      <Footer />
      {/* The banner has the place of the notices. */}
      {lost ? <NoticeWithoutRow /> : null}
      <Spoken />
    </div>
  )
}
