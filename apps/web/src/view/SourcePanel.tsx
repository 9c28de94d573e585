/**
 * The middle of the screen: the source of the shown frame or its instructions, the search in it, and what failed there.
 */
import { signal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import type { SourceText } from "../session/SessionView.ts"
import { follow } from "../session/Preferences.ts"
import { fileName, placeOf, reasonOf } from "../session/StopWords.ts"
import { Disassembly } from "./Disassembly.tsx"
import { useView } from "./PageContext.ts"
import { Button, Tabs } from "./Parts.tsx"
import { useWide } from "./Widths.ts"
import { cursorLine, findText, Lines } from "./SourceLines.tsx"

/** What the middle of the screen shows. */
const sourceTab = signal<"source" | "Disassembly">("source")

const Find = ({ text }: { readonly text: SourceText }) => {
  const view = useView()
  const find = findText.value
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.focus(), [])
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

/** What is below the current line after a signal or an exception. */
const FailureCard = () => {
  const view = useView()
  const report = view.report.value
  if (report === undefined || (report.exception === undefined && report.reason !== "signal")) return null
  const { exception } = report
  const description = report.signal === undefined ? undefined : report.description?.replace(/^[^:]*: /, "")
  const address = view.session.snapshot.value.stopped?.fault_address
  return (
    <div class="failure" role="note">
      <strong>{report.signal ?? exception?.type ?? exception?.id ?? report.raw_reason}</strong>
      {exception?.message === undefined || report.signal !== undefined ? null : <span>{exception.message}</span>}
      {exception?.thrown_at === undefined || report.signal !== undefined ? null : (
        <span>
          thrown at {fileName(exception.thrown_at.file ?? "?")}:{exception.thrown_at.line}
        </span>
      )}
      {description === undefined || address !== undefined ? null : <span>{description}</span>}
      {address === undefined ? null : <span>Fault address {address}.</span>}
      {report.reason === "signal" ? <span>The program has not received the signal yet.</span> : null}
    </div>
  )
}

/** What happened elsewhere while following is off. */
const UnseenStop = () => {
  const view = useView()
  const report = view.unseen.value
  useEffect(() => {
    if (follow.value && report !== undefined) void view.showUnseen()
  }, [follow.value, report])
  if (report === undefined) return null
  const place = placeOf(report.location)
  const reason = reasonOf({ raw_reason: report.raw_reason ?? "", ...report })
  return (
    <div class="unseen" role="note">
      <span>{place === undefined ? `Stopped at ${reason}` : `Stopped at ${reason}, ${place}`}</span>
      <Button label="Show" kind="bare" onClick={() => void view.showUnseen()} />
    </div>
  )
}

const NoSource = () => {
  const view = useView()
  const problem = view.noSource.value
  const frame = view.shownFrame.value
  // A frame of a report has its module only if it differs from that of the place.
  const module = frame?.module ?? view.report.value?.location?.module
  if (problem === undefined)
    return <p class="empty">{view.alive() ? "The program has not stopped yet." : "No source is shown."}</p>
  return (
    <div class="card">
      <h3>
        {frame?.file === undefined
          ? `${frame?.function ?? "This place"} has no source here.`
          : `${frame.file} is not on this machine.`}
      </h3>
      <p>
        {frame?.file === undefined
          ? `${module === undefined ? "" : `It is in ${fileName(module)}. `}Its instructions are shown instead.`
          : problem.message}
      </p>
    </div>
  )
}

/** The middle of the screen: source or instructions. */
export const SourcePanel = () => {
  const view = useView()
  const text = view.source.value
  const frame = view.shownFrame.value
  const wide = useWide()
  const name = text === undefined ? "Source" : fileName(text.file)
  const instructions =
    sourceTab.value === "Disassembly" ||
    (text === undefined && view.noSource.value !== undefined && frame !== undefined)
  return (
    <section class="panel" id="source" aria-label="Source">
      <header class="panelHead">
        <Tabs
          label="Source"
          chosen={instructions ? "Disassembly" : name}
          tabs={[{ name }, { name: "Disassembly" }]}
          onChoose={(chosen) => (sourceTab.value = chosen === "Disassembly" ? "Disassembly" : "source")}
        />
        <span class="note">{text?.stale === true ? `${name} is newer than the program` : ""}</span>
        <span class="tools">
          <span class="note">{frame?.function ?? ""}</span>
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
      {text === undefined ? <NoSource /> : null}
      <div class="sourceColumns">
        {text === undefined || (instructions && !wide) ? null : <Lines key={text.file} text={text} />}
        {instructions ? <Disassembly /> : null}
      </div>
      {instructions && !wide ? null : <FailureCard />}
      <UnseenStop />
    </section>
  )
}
