/**
 * What is inside a value: pages of elements, of which only those near the visible part exist.
 */
import type { FunctionComponent } from "preact"
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import type { Value } from "../../connection/Answers.ts"
import { awaitedMembers, awaitedTotal, pageSize, readAgain } from "../../session/values/AwaitedMembers.ts"
import { forgetMembers, recordMembers } from "../../session/values/ReadMembers.ts"
import { expressionAt } from "../../session/words/ValueWords.ts"
import { useMemberPages } from "./MemberPages.ts"
import { noteRows, rowsInside } from "./OpenedValues.ts"
import { usePage, useView } from "../parts/PageContext.ts"
import { placed, usePlaceKeys } from "../parts/RowKeys.ts"
import { useValueFrame } from "./ValueFrame.ts"
import { historyOf } from "./ValueHistory.tsx"

/** Most elements that are read again at a stop. */
const mostRead = 1000

/** What a row of the tree gets. */
export interface RowProps {
  readonly value: Value
  readonly path: string
  readonly depth: number
  /** The number of an element, from 1, and how many there are. */
  readonly position?: number
  readonly total?: number
}

/** Draws a row; it draws what is inside by `Children`. */
type Row = FunctionComponent<RowProps>

/** Reads pages of what is inside a value. `variable` is its name if it is a variable of the shown frame. */
const usePages = (value: Value, path: string, variable: string | undefined) => {
  const page = usePage()
  const view = useView()
  const { isShown } = useValueFrame()
  const pages = useMemberPages(view, path, value, variable)
  const { counted, first, loading, problem, read, readBy, total } = pages
  /** Reads a page; it follows those that are shown, or replaces them. */
  const load = async (start: number, follows: boolean) => {
    if (value.ref === undefined || (loading.value && follows)) return
    // A reading that was not answered is cancelled, so that it does not hold up the debugger at the next stop.
    pages.reading.abort()
    const abort = (pages.reading = new AbortController())
    loading.value = true
    // At a stop all elements that are shown are read again, so that the list keeps its length.
    const count = follows || start !== first.value ? pageSize : readAgain(read.value.length)
    const input = { session: view.session.name, target: value.ref, start, count: Math.min(mostRead, count) }
    const outcome = await page.calls.call("expand", input, abort.signal)
    if (abort.signal.aborted) return
    loading.value = false
    // The value is of a stop that the program has left. The values of the next one are read again.
    if (!outcome.ok && !view.live.peek()) return
    if (pages.asked !== undefined) pages.asked.answered = true
    if (!outcome.ok) {
      problem.value = outcome.failure.message
      if (variable !== undefined) forgetMembers(view, variable)
      return
    }
    const { children, total: found } = outcome.answer.data
    problem.value = undefined
    if (!follows) first.value = start
    readBy.value = value.ref
    counted.value = value.child_count
    read.value = follows ? [...read.value, ...children] : children
    const named = children.slice(0, pageSize).filter(({ expression }) => expression !== undefined)
    if (isShown) historyOf(page.calls, view, named)
    if (variable !== undefined) recordMembers(view, variable, { ref: value.ref, values: read.value })
    if (found !== undefined) total.value = found
  }
  const report = view.report.value
  useEffect(() => {
    const stop = view.reportStop.value
    const { asked } = pages
    // A reference is of one stop. At the next one the value has another, once it was read again.
    const isOver = asked?.ref === value.ref && asked?.stop !== stop
    // Its row is drawn anew at another place.
    const isRead = asked?.answered === true && asked.ref === value.ref && asked.report === report
    // Until the current stop is shown again after a past one, the reference is not of the shown stop.
    if (view.live.value && !isOver && !isRead) {
      pages.asked = { ref: value.ref, stop, report, answered: false }
      void load(first.value, false)
    }
    return () => pages.reading.abort()
  }, [value.ref, report])
  const isOld = !view.past.value && readBy.value !== value.ref
  const known = { values: read.value, first: first.value, total: total.value, counted: counted.value }
  return {
    shown: isOld ? awaitedMembers(known, value.child_count) : read.value,
    total: isOld ? awaitedTotal(known, value.child_count) : total.value,
    first: first.value,
    problem: problem.value,
    loading: loading.value,
    load,
    isOld,
    far: pages.far
  }
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

/** Elements that are drawn or left out together. */
const blockSize = 50

const blocksOf = (values: ReadonlyArray<Value>): ReadonlyArray<ReadonlyArray<Value>> =>
  Array.from({ length: Math.ceil(values.length / blockSize) }, (_, at) =>
    values.slice(at * blockSize, (at + 1) * blockSize)
  )

/**
 * Elements that follow each other. While they are far from what is visible and none has the focus, they are one empty row of the
 * height that they had, so that a long list does not slow the page down. What is inside of an open one is read again when it
 * comes back.
 */
const Block = ({
  Row,
  all,
  depth,
  far: heights,
  first,
  isOld,
  number,
  path,
  total,
  values
}: {
  readonly Row: Row
  readonly values: ReadonlyArray<Value>
  readonly all: ReadonlyArray<Value>
  readonly path: string
  readonly depth: number
  readonly first: number
  readonly total: number | undefined
  /** True until the values are read again. */
  readonly isOld: boolean
  /** Which block it is, and the heights of those that are far. */
  readonly number: number
  readonly far: Map<number, number>
}) => {
  /** The height of the elements in pixels while they are far; undefined while they are near. */
  const [far, note] = useState(heights.get(number))
  const mark = useRef<HTMLLIElement>(null)
  const watched = all.length > 2 * blockSize
  useEffect(() => {
    const element = mark.current
    const setFar = (height: number | undefined) => {
      if (height === undefined) heights.delete(number)
      else heights.set(number, height)
      note(height)
    }
    if (element === null || !watched) {
      setFar(undefined)
      return undefined
    }
    let isNear = true
    const decide = (focused: EventTarget | null) => {
      const stays = isNear || (focused instanceof Node && element.contains(focused))
      setFar(stays ? undefined : element.offsetHeight)
    }
    const observer = new IntersectionObserver(
      (seen) => {
        isNear = seen.at(-1)?.isIntersecting === true
        decide(document.activeElement)
      },
      { root: element.closest(".scroll"), rootMargin: "240px 0px" }
    )
    // Elements that stayed for the focus are left out when it goes.
    const onFocusOut = ({ relatedTarget }: FocusEvent) => decide(relatedTarget)
    observer.observe(element)
    element.addEventListener("focusout", onFocusOut)
    return () => {
      observer.disconnect()
      element.removeEventListener("focusout", onFocusOut)
    }
  }, [watched, number, heights])
  const from = values[0] === undefined ? 0 : all.indexOf(values[0])
  // One that was not read yet may have no name.
  const names = values.map(({ name }, at) => (name === "" ? `at ${from + at}` : name))
  const pathOf = (name: string | number) => `${path}/${name}`
  const keys = usePlaceKeys(mark, placed(names, pathOf, rowsInside))
  return (
    <li class={isOld ? "valueBlock dim" : "valueBlock"} role="none" ref={mark}>
      {far === undefined ? (
        <ul role="group">
          {values.map((child, at) => (
            <Row
              key={keys[at]}
              value={child}
              path={`${path}/${child.name}`}
              depth={depth + 1}
              position={first + from + at + 1}
              total={total ?? all.length}
            />
          ))}
        </ul>
      ) : (
        <div class="valueSpace" style={{ height: `${far}px` }} />
      )}
    </li>
  )
}

/** What is inside a value, by pages. */
export const Children = ({ Row, depth, path, value }: RowProps & { readonly Row: Row }) => {
  const view = useView()
  const pages = usePages(value, path, depth === 0 && path === value.name ? value.name : undefined)
  const { far, first, isOld, load, loading, problem, total } = pages
  const past = view.past.value
  // Of a past stop only what is stored with it is shown, also if the value is open at the current one.
  const shown = past ? (value.children ?? []) : pages.shown
  const end = first + shown.length
  const more = !past && shown.length > 0 && shown.length % pageSize === 0 && (total === undefined || total > end)
  const hasLast = more || (!past && first > 0)
  const isFailed = past ? shown.length === 0 : problem !== undefined
  const count = isFailed ? 1 : shown.length + (hasLast ? 1 : 0) + (past || first === 0 ? 0 : 1)
  useLayoutEffect(() => {
    noteRows(path, count)
    return () => noteRows(path, undefined)
  }, [path, count])
  if (past && shown.length === 0)
    return (
      <li class="row value empty" role="treeitem" aria-level={depth + 2} tabIndex={-1}>
        {expressionAt(value, depth) ?? value.name}: what is inside was not read at this stop.
      </li>
    )
  if (!past && problem !== undefined)
    return (
      <li class="row value empty" role="treeitem" aria-level={depth + 2} tabIndex={-1} title={problem}>
        {problem}
      </li>
    )
  const known = total === undefined ? "" : `of ${total.toLocaleString("en")}`
  return (
    <>
      {past || first === 0 ? null : (
        <li class="row more" role="treeitem" aria-level={depth + 2}>
          <button type="button" class="link" onClick={() => void load(0, false)}>
            Show from 0
          </button>
          <span class="note">from {first.toLocaleString("en")}</span>
        </li>
      )}
      {blocksOf(shown).map((block, number) => (
        <Block
          Row={Row}
          key={block[0]?.name ?? ""}
          values={block}
          path={path}
          depth={depth}
          first={past ? 0 : first}
          total={total}
          all={shown}
          number={number}
          far={far}
          isOld={isOld}
        />
      ))}
      {hasLast ? (
        <li class="row more" role="treeitem" aria-level={depth + 2}>
          {more ? (
            <button type="button" class="link" onClick={() => void load(end, true)}>
              {loading ? "Reading…" : `Show ${pageSize} more`}
            </button>
          ) : null}
          <GoTo total={total} onGo={(index) => void load(index, false)} />
          <span class="note">
            {first === 0 ? "" : `${first.toLocaleString("en")} to `}
            {(first === 0 ? end : end - 1).toLocaleString("en")} {known}
          </span>
        </li>
      ) : null}
    </>
  )
}
