/**
 * The variables of the shown frame, of its caller at a failure, and of its file.
 */
import { signal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import { matching } from "../../session/words/ValueWords.ts"
import { shortFunction } from "../../session/words/StopWords.ts"
import { Icon } from "../parts/Icons.tsx"
import { rowsInside } from "./OpenedValues.ts"
import { usePage, useView } from "../parts/PageContext.ts"
import { placed, usePlaceKeys } from "../parts/RowKeys.ts"
import { reveal } from "../layout/Panes.ts"
import { Button, focusAtFirst, keepKey, Panel } from "../parts/Parts.tsx"
import { moveFocus } from "../parts/RowFocus.ts"
import { historyOf } from "./ValueHistory.tsx"
import { CallerValues, useCaller } from "./CallerValues.tsx"
import { shownFrame } from "./ValueFrame.ts"
import { StaticValues } from "./StaticValues.tsx"
import { useScrollAnchor } from "../parts/ScrollAnchor.ts"
import { ValueRow } from "./ValueRow.tsx"
import { useNarrow, usePhone } from "../layout/WindowWidths.ts"

/** The text that the names of variables must have; undefined while its field is closed. */
export const variableFilter = signal<string | undefined>(undefined)

/** The variables of the shown frame. */
export const VariablesPanel = () => {
  const page = usePage()
  const view = useView()
  const all = view.values.value
  const filter = variableFilter
  const values = matching(all, filter.value)
  const frame = view.valuesFrame.value
  const { state, stop: count } = view.session.snapshot.value
  const looked = view.looked.value
  const stale = !view.live.value && looked === undefined
  // The narrow column has no room for the function, which is at its frame and above the source.
  const [narrow, phone] = [useNarrow(), usePhone()]
  const hasRoom = !narrow || phone
  const note =
    looked !== undefined
      ? `kept at stop ${looked}`
      : stale && view.reportStop.value > 0
        ? `at stop ${view.reportStop.value}, not live`
        : frame.name === ""
          ? ""
          : [...(hasRoom ? [shortFunction(frame.name)] : []), `frame ${frame.index}`].join(", ")
  const reads = shownFrame(view).read.size
  const caller = useCaller()
  const list = useRef<HTMLUListElement>(null)
  const box = useScrollAnchor()
  const rows = values.reduce((count, { name }) => count + 1 + rowsInside(name), 0)
  const keys = usePlaceKeys(
    list,
    placed(
      values.map(({ name }) => name),
      (name) => name,
      rowsInside
    )
  )
  useEffect(() => historyOf(page.calls, view, all), [view.reportStop.value, all])
  return (
    <Panel
      id="variables"
      label="Variables"
      title="Variables"
      note={note}
      tools={
        <>
          {reads === 0 ? null : (
            <span class="readMark">
              <Icon name="eye" />
              agent read {reads}
            </span>
          )}
          <Button
            label="Find a variable"
            icon="filter"
            keys="/"
            tabIndex={-1}
            iconOnly
            kind="bare"
            className={filter.value === undefined ? "" : "active"}
            onClick={() => (filter.value = filter.value === undefined ? "" : undefined)}
          />
        </>
      }
    >
      {filter.value === undefined ? null : (
        <div class="find" role="search">
          <input
            type="text"
            aria-label="Find a variable"
            placeholder="Part of a name"
            value={filter.value}
            ref={focusAtFirst}
            onInput={(event) => (filter.value = event.currentTarget.value)}
            onKeyDown={(event) => {
              keepKey(event)
              if (event.key === "Escape") {
                filter.value = undefined
                reveal("Values", "#variables [role=tree]")
              }
            }}
          />
          <span class="note">
            {values.length} of {all.length}
          </span>
        </div>
      )}
      <div class={`scroll${stale || view.reading.value ? " dim" : ""}`} ref={box}>
        {all.length > 0 || state === "running" || (view.report.value === undefined && count > 0) ? null : (
          <p class="empty">{state === "starting" || count === 0 ? "The program has not stopped yet." : frame.empty}</p>
        )}
        <ul
          class="values"
          role="tree"
          aria-label="Variables"
          tabIndex={0}
          ref={list}
          onKeyDown={(event) => moveFocus(event, ".row.value")}
        >
          {values.map((value, at) => (
            <ValueRow key={keys[at]} value={value} path={value.name} depth={0} />
          ))}
          <CallerValues filter={filter.value} known={caller.known} />
          {caller.isAwaited ? null : <StaticValues filter={filter.value} before={rows} />}
        </ul>
        {stale && state === "running" ? <p class="empty">Pause to read values.</p> : null}
      </div>
    </Panel>
  )
}
