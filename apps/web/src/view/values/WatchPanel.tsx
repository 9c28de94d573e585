/**
 * The watched expressions of a program: read at each stop, never run as code. One value at every stop takes their place.
 */
import { batch, useSignal } from "@preact/signals"
import { useEffect, useState } from "preact/hooks"
import type { Failure, Value } from "../../connection/Answers.ts"
import type { Calls } from "../../connection/Calls.ts"
import { oldBeside, withShortObjects } from "../../session/words/ShortValues.ts"
import type { SessionView } from "../../session/SessionView.ts"
import { cutClass, rowWords, toneOf } from "../../session/words/ValueWords.ts"
import { addWatch, keyOf, shownHistory, watches } from "../../session/values/Watches.ts"
import { Icon } from "../parts/Icons.tsx"
import { opened, setOpen } from "./OpenedValues.ts"
import { usePage, useView } from "../parts/PageContext.ts"
import { Button, focusAtFirst, keepKey, Panel } from "../parts/Parts.tsx"
import { moveFocus } from "../parts/RowFocus.ts"
import { useScrollAnchor } from "../parts/ScrollAnchor.ts"
import { Children } from "./ValueChildren.tsx"
import { ValueHistory } from "./ValueHistory.tsx"
import { ValueRow } from "./ValueRow.tsx"
import { useNarrow } from "../layout/WindowWidths.ts"

/** What an expression is at a stop, or why it cannot be read. */
interface Reading {
  readonly value?: Value
  readonly error?: string
}

const name = /^[\p{L}_$][\p{L}\p{N}_$]*$/u

/** Returns why an expression cannot be read. A name that does not exist has fewer words: the row names it already. */
const unreadable = ({ code, message }: Pick<Failure, "code" | "message">, expression: string): string => {
  if (code === "VARIABLE_NOT_FOUND" && name.test(expression)) return "no variable of this name here"
  return message
}

/** Reads expressions by one call. It fails as a whole if none can be read; then each one has its own error. */
const readWatched = async (
  calls: Calls,
  view: SessionView,
  expressions: ReadonlyArray<string>,
  signal: AbortSignal
): Promise<ReadonlyMap<string, Reading>> => {
  const [first, ...others] = expressions
  if (first === undefined) return new Map()
  const input = { session: view.session.name, expressions: [first, ...others], ...view.inFrame.peek() } as const
  const outcome = await calls.call("print", input, signal)
  if (outcome.ok)
    return new Map(
      outcome.answer.data.values.map((one, at) => [
        expressions[at] ?? one.name,
        one.error === undefined
          ? { value: { ...one, value: one.value ?? "" } }
          : { error: unreadable(one.error, expressions[at] ?? one.name) }
      ])
    )
  if (others.length === 0) return new Map([[first, { error: unreadable(outcome.failure, first) }]])
  const each = await Promise.all(expressions.map((expression) => readWatched(calls, view, [expression], signal)))
  return new Map(each.flatMap((found) => [...found]))
}

/** An expression with its value, what that was at the stop before, and what is inside. */
const WatchRow = ({
  before,
  expression,
  onRemove,
  reading
}: {
  readonly expression: string
  readonly reading: Reading | undefined
  readonly before: Value | undefined
  readonly onRemove: () => void
}) => {
  const view = useView()
  const path = `watch ${expression}`
  const value = reading?.value
  const canOpen =
    view.live.value && value !== undefined && (value.ref !== undefined || (value.children ?? []).length > 0)
  const open = canOpen && opened.value.has(path)
  const isChanged = value !== undefined && before !== undefined && before.value !== value.value
  const old = isChanged ? oldBeside(value.value, before.value, value.type) : undefined
  const title = old === undefined ? value?.value : `${value?.value ?? ""} was ${old}`
  return (
    <li>
      <div class="row watch" data-path={path}>
        {canOpen ? (
          <button
            type="button"
            class="opener"
            aria-expanded={open}
            aria-label={`What is inside ${expression}`}
            onClick={() => setOpen(path, !open)}
          >
            <Icon name={open ? "down" : "right"} />
          </button>
        ) : (
          <span class="opener" />
        )}
        <code class="name" title={expression}>
          {expression}
        </code>
        {value === undefined ? (
          <span class="valueText none" title={reading?.error}>
            {reading?.error ?? ""}
          </span>
        ) : (
          <span class={`valueCell ${toneOf(value)}${isChanged ? " changed" : ""}`} title={title}>
            <span class={`valueText${cutClass(value.value)}`}>{rowWords(value)}</span>
            {old === undefined ? null : (
              <span class={`was${cutClass(old)}`} key={value.value}>
                was {withShortObjects(old)}
              </span>
            )}
          </span>
        )}
        <Button label={`Remove ${expression}`} icon="close" iconOnly kind="bare" onClick={onRemove} />
      </div>
      {open ? (
        <ul
          class="values"
          role="tree"
          aria-label={`What is inside ${expression}`}
          onKeyDown={(event) => moveFocus(event, ".row.value")}
        >
          <Children Row={ValueRow} value={value} path={path} depth={0} />
        </ul>
      ) : null}
    </li>
  )
}

const noExpressions = "Add an expression to see it at every stop."

/** The watched expressions: evaluated at each stop, by reading only. */
export const WatchPanel = () => {
  const page = usePage()
  const view = useView()
  const [adding, setAdding] = useState(false)
  const { program } = view.session.snapshot.value
  const mine = watches.value
    .filter((key) => key.startsWith(`${program ?? ""}\n`))
    .map((key) => key.slice(key.indexOf("\n") + 1))
  const read = useSignal<ReadonlyMap<string, Reading>>(new Map())
  const box = useScrollAnchor()
  /** Removes the field; the focus goes to the button that opened it. */
  const closeField = () => {
    setAdding(false)
    box.current?.closest(".panel")?.querySelector<HTMLElement>(".panelHead button")?.focus()
  }
  const readAt = useSignal(0)
  /** The frame and the function in which they were read. */
  const readIn = useSignal("")
  /** What was read at the stop before, in the same function. */
  const before = useSignal<ReadonlyMap<string, Reading>>(new Map())
  const isEmpty = mine.length === 0 && !adding
  // Beside the variables, the row of the title has the sentence, which leaves its own row to them.
  const inTitle = !useNarrow() && isEmpty
  const [report, live, frame] = [view.report.value, view.live.value, view.shownFrame.value?.ref]
  const names = mine.join("\n")
  useEffect(() => {
    if (!live || mine.length === 0) return undefined
    const abort = new AbortController()
    void readWatched(page.calls, view, mine, abort.signal).then((found) => {
      // A call may fail because the program was resumed meanwhile.
      if (abort.signal.aborted || !view.live.peek()) return
      const stop = view.reportStop.peek()
      batch(() => {
        const { function: name, index } = view.shownFrame.peek() ?? {}
        const place = `${index ?? 0} ${name ?? ""}`
        // Of another function, or of an earlier stop than the last, it is not what the value was before.
        if (place !== readIn.peek()) before.value = new Map()
        else if (stop !== readAt.peek()) before.value = stop === readAt.peek() + 1 ? read.peek() : new Map()
        readIn.value = place
        readAt.value = stop
        read.value = found
      })
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
          ? inTitle
            ? noExpressions
            : undefined
          : live || readAt.value === 0
            ? mine.length
            : `${mine.length}, at stop ${readAt.value}`
      }
      tools={
        <Button label="Add an expression" icon="plus" keys="w" iconOnly kind="bare" onClick={() => setAdding(true)} />
      }
    >
      <div class={`scroll${live ? "" : " dim"}`} ref={box}>
        {isEmpty && !inTitle ? <p class="empty">{noExpressions}</p> : null}
        <ul>
          {mine.map((expression) => (
            <WatchRow
              key={expression}
              expression={expression}
              reading={read.value.get(expression)}
              before={before.value.get(expression)?.value}
              onRemove={() => (watches.value = watches.value.filter((key) => key !== keyOf(program, expression)))}
            />
          ))}
        </ul>
        {adding ? (
          <input
            type="text"
            class="addWatch"
            aria-label="Expression to watch"
            ref={focusAtFirst}
            onKeyDown={(event) => {
              keepKey(event)
              if (event.key === "Enter" && event.currentTarget.value !== "")
                addWatch(program, event.currentTarget.value)
              if (event.key === "Enter" || event.key === "Escape") closeField()
            }}
          />
        ) : null}
      </div>
    </Panel>
  )
}
