/**
 * The static and global variables of the file of the shown frame, below its variables; of a debugger that lists no files, those that the
 * frame sees around its function. They are read at a stop while the panel is visible, and stay in their place until they are read at the
 * next one.
 */
import { useSignal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import type { Value } from "../../connection/Answers.ts"
import type { Session } from "../../session/Session.ts"
import { keyed, runOf, type StaticReading, staticsOf, withPlainName } from "../../session/values/StaticVariables.ts"
import { matching } from "../../session/words/ValueWords.ts"
import { usePage, useView } from "../parts/PageContext.ts"
import { phoneTab } from "../layout/Panes.ts"
import { usePlaceKey } from "../parts/RowKeys.ts"
import { historyOfFile } from "./ValueHistory.tsx"
import { ValueRow } from "./ValueRow.tsx"
import { usePhone } from "../layout/WindowWidths.ts"

/** Variables of a page, and most that are read at a stop. */
const pageSize = 50
const mostRead = 1000

/** Failures of a read of which a later one has nothing: the program was resumed meanwhile. */
const passing: ReadonlyArray<string> = ["NOT_STOPPED", "STALE_REF", "STALE_STOP"]

/** True if the program is still at a stop: at a later one, a read failed because it was meant for the one before. */
const isAtStop = ({ snapshot }: Session, stop: number): boolean =>
  snapshot.peek().state === "stopped" && snapshot.peek().stop === stop

/** What is shown: the variables of a file, those of an earlier stop until they are read, or that they were not read. */
interface Shown {
  readonly reading: StaticReading
  readonly isOld: boolean
  readonly isMissing: boolean
}

/** Reads the variables of the file of the shown frame, or those around its function. */
const useStatics = () => {
  const page = usePage()
  const view = useView()
  const { session } = view
  const last = useSignal<StaticReading | undefined>(undefined)
  const count = useSignal(pageSize)
  const read = useSignal(0)
  const isVisible = !usePhone() || phoneTab.value === "Values"
  const frame = view.shownFrame.value
  const ofFile = view.status.offers("file-variables")
  // Two functions of a file may have other variables around them.
  const file = ofFile || frame?.file === undefined ? frame?.file : `${frame.file} ${frame.function}`
  const stop = view.reportStop.value
  const live = view.live.value && !view.reading.value
  const isOffered = ofFile || view.status.offers("global-variables")
  const statics = staticsOf(session)
  useEffect(() => {
    count.value = pageSize
  }, [view, file])
  useEffect(() => {
    const run = runOf(session)
    if (!live || !isOffered || !isVisible || file === undefined || !statics.mayHave(file, run)) return undefined
    const abort = new AbortController()
    const of = ofFile ? { file } : {}
    const input = { session: session.name, ...of, count: count.value, ...view.inFrame.peek() }
    void page.calls.call("globals", input, abort.signal).then((outcome) => {
      if (abort.signal.aborted) return
      // A call may fail because the program was resumed meanwhile.
      if (outcome.ok) {
        const { total, variables } = outcome.answer.data
        const values = variables.map(withPlainName)
        statics.record({ file, stop, values, total }, run)
        historyOfFile(page.calls, view, values)
      } else if (isAtStop(session, stop) && !passing.includes(outcome.failure.code)) statics.refuse(file, run)
      read.value += 1
    })
    return () => abort.abort()
  }, [view, view.report.value, stop, file, view.frame.value, live, isVisible, isOffered, count.value])
  const shown = ((): Shown | undefined => {
    void read.value
    if (file === undefined) return undefined
    const reading = statics.at(file, stop)
    if (reading !== undefined) return { reading, isOld: false, isMissing: false }
    if (view.past.value)
      return isOffered && statics.wasNotRead(file)
        ? { reading: { file, stop, values: [], total: 0 }, isOld: false, isMissing: true }
        : undefined
    const before = last.peek()
    return before === undefined || !statics.mayHave(file, runOf(session))
      ? undefined
      : { reading: before, isOld: true, isMissing: false }
  })()
  // A frame without a file comes between: what was read before it stays known.
  useEffect(() => {
    if (!view.past.peek() && shown !== undefined) last.value = shown.reading
  })
  return { shown, ofFile, more: () => (count.value = Math.min(mostRead, count.value + pageSize)) }
}

/** Returns the variables around a function that it can name: no local one has their name. Modules of Python, which have no value, are left out. */
const outsideOnly = (around: ReadonlyArray<Value>, own: ReadonlyArray<Value>): ReadonlyArray<Value> => {
  const hidden = new Set(own.map(({ name }) => name))
  return around.filter(({ name, type }) => type !== "module" && !hidden.has(name))
}

/** The name of a file without its directory. */
const nameOf = (file: string): string => file.split(/[/\\]/).at(-1) ?? file

/** The variables of the file; nothing if it has none, or the debugger does not list them. `before` is the number of rows above. */
export const StaticValues = ({ before, filter }: { readonly filter: string | undefined; readonly before: number }) => {
  const { more, ofFile, shown } = useStatics()
  const box = useRef<HTMLLIElement>(null)
  const place = usePlaceKey(box, before)
  const view = useView()
  if (shown === undefined) return null
  const { isMissing, isOld, reading } = shown
  const values = ofFile ? reading.values : outsideOnly(reading.values, view.values.value)
  // Those that are not shown are not counted.
  const total = reading.total - reading.values.length + values.length
  if (total === 0 && !isMissing) return null
  const title = ofFile ? `Static, ${nameOf(reading.file)}` : "Outside of the function"
  return (
    <li class={`valueGroup statics${isOld ? " dim" : ""}`} role="none" key={`${place} ${reading.file}`} ref={box}>
      <p class="row groupTitle" title={ofFile ? reading.file : undefined}>
        <span>{title}</span>
      </p>
      <ul role="group" aria-label={title}>
        {isMissing ? (
          <li class="row value empty" role="treeitem" aria-level={1} tabIndex={-1}>
            was not read at this stop
          </li>
        ) : null}
        {[...keyed(matching(values, filter))].map(([key, value]) => (
          <ValueRow key={key} value={value} path={`static/${key}`} depth={0} />
        ))}
        {values.length < total && values.length < mostRead ? (
          <li class="row more" role="treeitem" aria-level={1} tabIndex={-1}>
            <button type="button" class="link" onClick={more}>
              Show {Math.min(pageSize, total - values.length)} more
            </button>
            <span class="note">
              {values.length.toLocaleString("en")} of {total.toLocaleString("en")}
            </span>
          </li>
        ) : null}
      </ul>
    </li>
  )
}
