/**
 * The watched expressions of a program: read at each stop, never run as code. One value at every stop takes their place.
 */
import { useSignal } from "@preact/signals"
import { useEffect, useState } from "preact/hooks"
import { addWatch, keyOf, shownHistory, watches } from "../session/Watches.ts"
import { usePage, useView } from "./PageContext.ts"
import { Button, focusAtFirst, Panel } from "./Parts.tsx"
import { ValueHistory } from "./ValueHistory.tsx"

/** The watched expressions: evaluated at each stop, by reading only. */
export const WatchPanel = () => {
  const page = usePage()
  const view = useView()
  const [adding, setAdding] = useState(false)
  const { program } = view.session.snapshot.value
  const mine = watches.value
    .filter((key) => key.startsWith(`${program ?? ""}\n`))
    .map((key) => key.slice(key.indexOf("\n") + 1))
  const read = useSignal<ReadonlyMap<string, { readonly value?: string; readonly error?: string }>>(new Map())
  const readAt = useSignal(0)
  const [report, live, frame] = [view.report.value, view.live.value, view.shownFrame.value?.ref]
  const names = mine.join("\n")
  useEffect(() => {
    const [first, ...others] = mine
    if (!live || first === undefined) return undefined
    const abort = new AbortController()
    const input = { session: view.session.name, expressions: [first, ...others], ...view.inFrame.value } as const
    void page.calls.call("print", input, abort.signal).then((outcome) => {
      if (outcome.ok && !abort.signal.aborted) {
        readAt.value = view.reportStop.peek()
        read.value = new Map(
          outcome.answer.data.values.map((one, at) => [
            mine[at] ?? one.name,
            one.error === undefined ? { value: one.value ?? "" } : { error: one.error.message }
          ])
        )
      }
    })
    return () => abort.abort()
  }, [report, live, names, frame])
  if (shownHistory.value !== undefined) {
    return <ValueHistory path={shownHistory.value} onClose={() => (shownHistory.value = undefined)} />
  }
  return (
    <Panel
      id="watch"
      label="Watch"
      title="Watch"
      note={
        mine.length === 0
          ? undefined
          : live || readAt.value === 0
            ? mine.length
            : `${mine.length}, at stop ${readAt.value}`
      }
      tools={
        <Button label="Add an expression" icon="plus" keys="w" iconOnly kind="bare" onClick={() => setAdding(true)} />
      }
    >
      <div class={`scroll${live ? "" : " dim"}`}>
        {mine.length === 0 && !adding ? <p class="empty">Add an expression to see it at every stop.</p> : null}
        <ul>
          {mine.map((expression) => {
            const reading = read.value.get(expression)
            return (
              <li key={expression} class="row watch">
                <code class="name">{expression}</code>
                <span
                  class={reading?.error === undefined ? "valueText num" : "valueText none"}
                  title={reading?.error ?? reading?.value}
                >
                  {reading?.error ?? reading?.value ?? ""}
                </span>
                <Button
                  label={`Remove ${expression}`}
                  icon="close"
                  iconOnly
                  kind="bare"
                  onClick={() => (watches.value = watches.value.filter((key) => key !== keyOf(program, expression)))}
                />
              </li>
            )
          })}
        </ul>
        {adding ? (
          <input
            type="text"
            class="addWatch"
            aria-label="Expression to watch"
            ref={focusAtFirst}
            onKeyDown={(event) => {
              event.stopPropagation()
              if (event.key === "Enter" && event.currentTarget.value !== "")
                addWatch(program, event.currentTarget.value)
              if (event.key === "Enter" || event.key === "Escape") setAdding(false)
            }}
          />
        ) : null}
      </div>
    </Panel>
  )
}
