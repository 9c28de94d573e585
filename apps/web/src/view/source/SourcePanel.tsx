/**
 * The middle of the screen: the source of the shown frame or its instructions, the search in it, and what failed there.
 */
import { useEffect, useLayoutEffect, useRef } from "preact/hooks"
import { followsStops } from "../../session/breakpoints/EditedLine.ts"
import type { SourceText } from "../../session/source/SourceText.ts"
import { fileName, placeOf, shortFunction, stoppedWords } from "../../session/words/StopWords.ts"
import { Disassembly } from "./Disassembly.tsx"
import { FailureCard, useFailure } from "./FailureCard.tsx"
import { LostCard } from "./LostCard.tsx"
import { NoSource } from "./NoSource.tsx"
import { useView } from "../parts/PageContext.ts"
import { hasTab, panelObstacle } from "../layout/PanelNeeds.ts"
import { sourceTab } from "../layout/Panes.ts"
import { StopNotes } from "./StopNotes.tsx"
import { Button, Tabs } from "../parts/Parts.tsx"
import { useWide } from "../layout/WindowWidths.ts"
import { cursorLine, findText, Lines } from "./SourceLines.tsx"

const Find = ({ text }: { readonly text: SourceText }) => {
  const view = useView()
  const find = findText.value
  const input = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => input.current?.focus(), [])
  if (find === undefined) return null
  const found = find === "" ? [] : text.lines.flatMap((line, at) => (line.includes(find) ? [at + 1] : []))
  const go = (by: 1 | -1) => {
    const next =
      by === 1 ? found.find((line) => line > cursorLine.value) : found.findLast((line) => line < cursorLine.value)
    const line = next ?? (by === 1 ? found[0] : found.at(-1))
    if (line !== undefined) void view.open(text.file, line)
  }
  return (
    <div class="find" role="search">
      <input
        ref={input}
        type="text"
        value={find}
        aria-label="Find in this file"
        onInput={(event) => (findText.value = event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") go(event.shiftKey ? -1 : 1)
          if (event.key === "Escape") findText.value = undefined
        }}
      />
      <span class="note">{find === "" ? "" : `${found.length} line${found.length === 1 ? "" : "s"}`}</span>
      <Button label="Close" icon="close" iconOnly kind="bare" onClick={() => (findText.value = undefined)} />
    </div>
  )
}

/** What happened elsewhere while following is off, or while a breakpoint is edited. */
const UnseenStop = () => {
  const view = useView()
  const report = view.unseen.value
  const follows = followsStops.value
  useEffect(() => {
    if (follows && report !== undefined) void view.showUnseen()
  }, [follows, report])
  // The program is there no more once it is resumed.
  if (report === undefined || !view.live.value) return null
  const place = placeOf(report.location)
  const words = stoppedWords({ raw_reason: report.raw_reason ?? "", ...report })
  return (
    <div class="unseen" role="note">
      <span>{place === undefined ? words : `${words}, ${place}`}</span>
      <Button label="Show" onClick={() => void view.showUnseen()} />
    </div>
  )
}

/** The middle of the screen: source or instructions. */
export const SourcePanel = () => {
  const view = useView()
  const text = view.source.value
  const frame = view.shownFrame.value
  const wide = useWide()
  const failed = useFailure() !== undefined && view.reported.value
  const place =
    view.session.snapshot.value.state === "running"
      ? "not followed while running"
      : shortFunction(frame?.function ?? "")
  const known = text?.file ?? (view.noSource.value === undefined ? view.report.value?.location?.file : undefined)
  const name = known === undefined ? "Source" : fileName(known)
  // Before the first file is known there is nothing beside its tab that its name could move.
  const isKnown = known !== undefined || view.noSource.value !== undefined || view.reportStop.value > 0
  const head = useRef<HTMLElement>(null)
  /** The tabs are drawn anew for a file with another name, unless one of them has the focus. */
  const drawn = useRef(name)
  if (head.current?.contains(document.activeElement) !== true) drawn.current = name
  const instructions =
    panelObstacle(view, "Disassembly") === undefined &&
    (sourceTab.value === "Disassembly" ||
      (text === undefined &&
        view.noSource.value !== undefined &&
        view.noSource.value.file === undefined &&
        frame !== undefined))
  return (
    <section class="panel" id="source" aria-label="Source" tabIndex={-1}>
      <header class="panelHead" ref={head}>
        <Tabs
          key={drawn.current}
          label="Source"
          chosen={instructions ? "Disassembly" : name}
          tabs={isKnown && hasTab(view, "Disassembly") ? [{ name }, { name: "Disassembly" }] : [{ name }]}
          onChoose={(chosen) => (sourceTab.value = chosen === "Disassembly" ? "Disassembly" : "source")}
        />
        <span class="note">{text?.stale === true ? `${name} is newer than the program` : ""}</span>
        <span class="note placeNote" key={place}>
          {place}
        </span>
        <span class="tools">
          <Button
            label="Find"
            icon="search"
            keys="/"
            iconOnly
            kind="bare"
            onClick={() => (findText.value = findText.value === undefined ? "" : undefined)}
          />
        </span>
      </header>
      {text !== undefined && findText.value !== undefined && !instructions ? <Find text={text} /> : null}
      {text === undefined && !instructions ? (
        <NoSource onInstructions={() => (sourceTab.value = "Disassembly")} />
      ) : null}
      <div class="sourceColumns">
        {text === undefined || (instructions && !wide) ? null : (
          <Lines key={text.file} text={text} card={failed ? <FailureCard /> : undefined} />
        )}
        {text === undefined && instructions && wide ? (
          <div class="noSourceColumn">
            <NoSource onInstructions={undefined} />
          </div>
        ) : null}
        {instructions ? (
          <div class="instructionsColumn">
            <Disassembly />
          </div>
        ) : null}
      </div>
      {/* Below the instructions, which are where the lines were. */}
      {text === undefined && instructions && !wide ? <NoSource onInstructions={undefined} /> : null}
      {text === undefined ? <FailureCard /> : null}
      <StopNotes />
      <LostCard />
      <UnseenStop />
    </section>
  )
}
