/**
 * The variables of the shown frame.
 */
import { useEffect } from "preact/hooks"
import { shortFunction } from "../session/StopWords.ts"
import { Icon } from "./Icons.tsx"
import { usePage, useView } from "./PageContext.ts"
import { Panel } from "./Parts.tsx"
import { moveFocus } from "./StackPanel.tsx"
import { historyOf } from "./ValueHistory.tsx"
import { ValueRow } from "./ValueRow.tsx"

/** The variables of the shown frame. */
export const VariablesPanel = () => {
  const page = usePage()
  const view = useView()
  const values = view.values.value
  const frame = view.valuesFrame.value
  const { state } = view.session.snapshot.value
  const looked = view.looked.value
  const stale = !view.live.value && looked === undefined
  const note =
    looked !== undefined
      ? `kept at stop ${looked}`
      : stale && values.length > 0
        ? `at stop ${view.reportStop.value}, not live`
        : `${shortFunction(frame.name)}${frame.name === "" ? "" : `, frame ${frame.index}`}`
  const reads = view.agentReads.expressions.value.size
  useEffect(() => historyOf(page.calls, view, values), [view.reportStop.value, values])
  return (
    <Panel
      id="variables"
      label="Variables"
      title="Variables"
      note={note}
      tools={
        reads === 0 ? null : (
          <span class="readMark">
            <Icon name="eye" />
            agent read {reads}
          </span>
        )
      }
    >
      <div class={`scroll${stale || view.reading.value ? " dim" : ""}`}>
        {state === "starting" ? <p class="empty">The program has not stopped yet.</p> : null}
        {values.length === 0 && !stale && state !== "starting" ? (
          <p class="empty">This frame has no variables.</p>
        ) : null}
        <ul
          class="values"
          role="tree"
          aria-label="Variables"
          tabIndex={0}
          onKeyDown={(event) => moveFocus(event, ".row.value")}
        >
          {values.map((value) => (
            <ValueRow key={value.name} value={value} path={value.name} depth={0} />
          ))}
        </ul>
        {stale && state === "running" ? <p class="empty">Pause to read values.</p> : null}
      </div>
    </Panel>
  )
}
