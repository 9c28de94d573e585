/**
 * The variables of the shown frame as a tree, the watched expressions, and one value at every stop.
 */
import { signal, useSignal } from "@preact/signals"
import { useEffect, useState } from "preact/hooks"
import type { Value } from "../connection/Answers.ts"
import { shownHistory } from "../session/Watches.ts"
import { oldBeside, withoutAddress } from "../session/InlineValues.ts"
import type { SessionView } from "../session/SessionView.ts"
import { Icon } from "./Icons.tsx"
import { usePage, useView } from "./PageContext.ts"
import { Panel } from "./Parts.tsx"
import { moveFocus } from "./StackPanel.tsx"
import { historyOf, PastLine } from "./ValueHistory.tsx"
import { expressionOf, SetValue, ValueTools } from "./ValueTools.tsx"

/** Elements that are shown at a time. */
const pageSize = 100

/** The opened values, by path. */
const opened = signal<ReadonlySet<string>>(new Set())

const setOpen = (path: string, open: boolean) => {
  const next = new Set(opened.value)
  if (open) next.add(path)
  else next.delete(path)
  opened.value = next
}

/** The sentences for values that cannot be read. */
const attributeWords: { readonly [attribute: string]: string } = {
  "optimized-out": "optimized out",
  uninitialized: "not initialised",
  masked: "hidden, name looks secret"
}

const valueWords = ({ attributes = [], value }: Value): string => {
  const [word] = attributes.flatMap((one) => attributeWords[one] ?? [])
  return word ?? withoutAddress(value)
}

const toneOf = (value: Value): string => {
  if (value.attributes?.some((one) => one !== "read-only" && one !== "lazy") === true) return "none"
  return /^["']/.test(value.value)
    ? "str"
    : /^-?[\d.]/.test(value.value) && !value.value.startsWith("0x")
      ? "num"
      : "plain"
}

/** Reads pages of what is inside a value. */
const usePages = (value: Value) => {
  const page = usePage()
  const view = useView()
  const read = useSignal<ReadonlyArray<Value>>(value.children ?? [])
  const problem = useSignal<string | undefined>(undefined)
  const total = useSignal<number | undefined>(value.child_count)
  const first = useSignal(0)
  /** Reads a page; it follows those that are shown, or replaces them. */
  const load = async (start: number, follows: boolean) => {
    if (value.ref === undefined) return
    const outcome = await page.calls.call("expand", {
      session: view.session.name,
      target: value.ref,
      start,
      count: pageSize
    })
    if (!outcome.ok) {
      problem.value = outcome.failure.message
      return
    }
    const { children } = outcome.answer.data
    problem.value = undefined
    if (!follows) first.value = start
    read.value = follows ? [...read.value, ...children] : children
    if (children.length < pageSize) total.value = start + children.length
  }
  useEffect(() => {
    if (!view.past.value) void load(first.value, false)
  }, [value.ref, view.reportStop.value])
  return { read, problem, total, first, load }
}

const GoTo = ({ onGo, total }: { readonly total: number | undefined; readonly onGo: (index: number) => void }) => (
  <form
    class="goTo"
    onSubmit={(event) => {
      event.preventDefault()
      const written = new FormData(event.currentTarget).get("index")
      const index = typeof written === "string" && /^\d{1,15}$/.test(written.trim()) ? Number(written) : undefined
      if (index !== undefined) onGo(Math.min(index, Math.max(0, (total ?? index + 1) - 1)))
    }}
  >
    <input type="text" name="index" inputMode="numeric" aria-label="Go to an index" placeholder="or go to an index" />
  </form>
)

const Children = ({ depth, path, value }: { readonly value: Value; readonly path: string; readonly depth: number }) => {
  const view = useView()
  const { first, load, problem, read, total } = usePages(value)
  if (view.past.value && read.value.length === 0)
    return <li class="row empty">{path}: what is inside was not read at this stop.</li>
  if (problem.value !== undefined) return <li class="row empty">{problem.value}</li>
  const end = first.value + read.value.length
  const more =
    read.value.length > 0 && read.value.length % pageSize === 0 && (total.value === undefined || total.value > end)
  const known = total.value === undefined ? "" : `of ${total.value.toLocaleString("en")}`
  return (
    <>
      {first.value === 0 ? null : (
        <li class="row more">
          <button type="button" class="link" onClick={() => void load(0, false)}>
            Show from 0
          </button>
          <span class="note">from {first.value.toLocaleString("en")}</span>
        </li>
      )}
      {read.value.map((child) => (
        <ValueRow key={child.name} value={child} path={`${path}/${child.name}`} depth={depth + 1} />
      ))}
      {more || first.value > 0 ? (
        <li class="row more">
          {more ? (
            <button type="button" class="link" onClick={() => void load(end, true)}>
              Show {pageSize} more
            </button>
          ) : null}
          <GoTo total={total.value} onGo={(index) => void load(index, false)} />
          <span class="note">
            {end.toLocaleString("en")} {known}
          </span>
        </li>
      ) : null}
    </>
  )
}

/** Returns what agents read at the shown stop, as they wrote it. */
const readByAgents = (view: SessionView): ReadonlySet<string> =>
  new Set(
    view.session.events.value.flatMap(({ actor, event, stop }) =>
      actor?.role === "agent" && stop === view.reportStop.value && event._tag === "Acted" && event.operation === "read"
        ? (event.expressions ?? [])
        : []
    )
  )

/** A value and, if it is open, what is inside. */
const ValueRow = ({ depth, path, value }: { readonly value: Value; readonly path: string; readonly depth: number }) => {
  const page = usePage()
  const view = useView()
  const [setting, setSetting] = useState(false)
  const canOpen = value.ref !== undefined || (value.children?.length ?? 0) > 0
  const open = canOpen && opened.value.has(path)
  const agentRead = readByAgents(view).has(expressionOf(value))
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return
    if (event.key === "ArrowRight" && canOpen) setOpen(path, true)
    if (event.key === "ArrowLeft") setOpen(path, false)
    if (event.key === "Enter" && canOpen) setOpen(path, !open)
  }
  return (
    <>
      <li
        class="row value"
        role="treeitem"
        aria-level={depth + 1}
        aria-expanded={canOpen ? open : undefined}
        tabIndex={-1}
        onKeyDown={onKeyDown}
        onFocus={() => (page.command.value = `sigtrap print '${expressionOf(value)}' --session ${view.session.name}`)}
      >
        <span class="nameCell" style={{ paddingLeft: `${depth * 14}px` }}>
          {canOpen ? (
            <button type="button" class="opener" tabIndex={-1} aria-hidden="true" onClick={() => setOpen(path, !open)}>
              <Icon name={open ? "down" : "right"} />
            </button>
          ) : (
            <span class="opener" />
          )}
          <span class="name">{value.name}</span>
          <span class="type">{value.type}</span>
        </span>
        {setting ? (
          <SetValue value={value} onClose={() => setSetting(false)} />
        ) : (
          <span class={`valueCell ${toneOf(value)}${value.changed === true ? " changed" : ""}`} title={value.value}>
            <span class="valueText">{valueWords(value)}</span>
            {value.changed === true && value.old !== undefined ? (
              <span class="was">was {oldBeside(value.value, value.old)}</span>
            ) : null}
          </span>
        )}
        <span class="marks">
          {agentRead ? (
            <span class="readMark" title="agent read this at this stop">
              <Icon name="eye" />
            </span>
          ) : null}
          {depth === 0 ? (
            <PastLine path={expressionOf(value)} onOpen={() => (shownHistory.value = expressionOf(value))} />
          ) : null}
          <ValueTools value={value} onSet={() => setSetting(true)} />
        </span>
      </li>
      {open ? <Children value={value} path={path} depth={depth} /> : null}
    </>
  )
}

/** The variables of the shown frame. */
export const VariablesPanel = () => {
  const page = usePage()
  const view = useView()
  const values = view.values.value
  const { state } = view.session.snapshot.value
  const looked = view.looked.value
  const stale = !view.live.value && looked === undefined
  const note =
    looked !== undefined
      ? `kept at stop ${looked}`
      : stale && values.length > 0
        ? `at stop ${view.reportStop.value}, not live`
        : `${view.valuesFrame.value}${view.valuesFrame.value === "" ? "" : `, frame ${view.frame.value}`}`
  const reads = readByAgents(view).size
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
      <div class={`scroll${stale ? " dim" : ""}`}>
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
