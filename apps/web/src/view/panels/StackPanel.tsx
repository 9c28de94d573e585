/**
 * Threads with their stacks. Choosing a frame changes this page only.
 */
import { useRef } from "preact/hooks"
import type { StackFrame, ThreadRow } from "../../connection/Answers.ts"
import type { SessionView } from "../../session/SessionView.ts"
import { framesAtATime, hasValues } from "../../session/stops/Stack.ts"
import {
  foldedInShort,
  foldedWords,
  isFailure,
  placeOf,
  shortFunction,
  shortReasonOf
} from "../../session/words/StopWords.ts"
import { Icon } from "../parts/Icons.tsx"
import { useWidth } from "../layout/ElementSize.ts"
import { showExplanation } from "../../session/actions/Explanations.ts"
import { usePage, useView } from "../parts/PageContext.ts"
import { Button, Panel } from "../parts/Parts.tsx"
import { useFocusInside } from "../parts/KeptFocus.ts"
import { moveFocus } from "../parts/RowFocus.ts"
import { usePlaceKey, usePlaceKeys } from "../parts/RowKeys.ts"

/** Widths in a frame's row, in pixels: what is not text, a character of the function's name, and one of the place. */
const widths = { around: 76, ofName: 7.3, ofPlace: 6.4 }

const raisedBefore = (message: string) => (message === "" ? "raised before" : `raised before: ${message}`)

/** Returns the most characters of a function's name that leave its place whole. */
const mostOfName = (width: number, place: string, isMarked: boolean): number =>
  Math.floor((width - widths.around - (isMarked ? 16 : 0) - place.length * widths.ofPlace) / widths.ofName)

/** A frame. `above` is the one before it in the list, `width` that of the list in pixels. */
const FrameRow = ({
  above,
  frame,
  thread,
  width
}: {
  readonly width: number
  readonly above: StackFrame | undefined
  readonly frame: StackFrame
  readonly thread: number
}) => {
  const view = useView()
  const chosen = view.thread.value === thread && view.frame.value === frame.index
  const { location, thread: stopped } = view.report.value ?? {}
  const isReported = stopped?.id === thread && location?.function === frame.function && location.file === frame.file
  const module = frame.module ?? (isReported ? location.module : undefined)
  const place = placeOf(frame)
  const frames = view.agentReads.frames.value
  const agentRead =
    frames.has(frame.ref) || (view.report.value?.thread?.id === thread && frames.has(String(frame.index)))
  const where = place ?? module?.split("/").at(-1) ?? frame.address ?? ""
  return (
    <li>
      {frame.raised === undefined || frame.raised === above?.raised ? null : (
        <p class="row folded">
          <span class="foldedWords" title={raisedBefore(frame.raised)}>
            {raisedBefore(frame.raised)}
          </span>
        </p>
      )}
      <button
        type="button"
        class={`row frame${chosen ? " chosen" : ""}`}
        aria-current={chosen ? "true" : undefined}
        tabIndex={chosen ? 0 : -1}
        title={module}
        onClick={() => void view.choose(thread, frame)}
      >
        <span class="index" key={frame.index}>
          {frame.index}
        </span>
        <span class="name" key={frame.function} title={frame.function}>
          {shortFunction(frame.function, mostOfName(width, where, agentRead))}
        </span>
        {agentRead ? (
          <span class="shape agent" role="img" aria-label="agent looked at it" title="agent looked at this frame" />
        ) : null}
        <span class="where" key={where}>
          {where}
        </span>
      </button>
    </li>
  )
}

/** Returns why a thread stopped, or where it is; `why` is true for a reason of its own. */
const stateWords = (view: SessionView, thread: ThreadRow): { readonly words: string; readonly why: boolean } => {
  const { report } = view
  const { stopped } = view.session.snapshot.value
  if (thread.state !== "stopped") return { words: thread.state, why: false }
  if (report.value?.thread?.id === thread.id && report.value.reason !== undefined)
    return { words: shortReasonOf({ raw_reason: report.value.raw_reason ?? "", ...report.value }), why: true }
  const [only, ...others] = stopped?.breakpoints ?? []
  if (stopped?.threads.includes(thread.id) === true && stopped.reason === "breakpoint" && others.length === 0)
    return { words: only === undefined ? "breakpoint" : `breakpoint ${only}`, why: true }
  if (!view.threadsLive.value) return { words: "", why: false }
  if (thread.stop_reason !== undefined) return { words: thread.stop_reason, why: true }
  const { function: name, line } = thread.location ?? {}
  // A thread that begins may be in a function without a name.
  return {
    words:
      name === undefined || name === "??"
        ? "stopped"
        : `in ${shortFunction(name)}${line === undefined ? "" : `, line ${line}`}`,
    why: false
  }
}

/** A thread with its frames. Tab leads to the chosen frame or, while none is shown, to the first thread. */
const ThreadGroup = ({
  station,
  thread,
  width
}: {
  readonly thread: ThreadRow
  readonly station: boolean
  readonly width: number
}) => {
  const view = useView()
  const stack = view.stacks.value.get(thread.id)
  const open = stack !== undefined
  const folded = stack === undefined || stack.all ? undefined : foldedWords(stack.folded)
  const foldedRow = useRef<HTMLLIElement>(null)
  const foldedKey = usePlaceKey(foldedRow, stack?.frames.length ?? 0)
  const label = thread.name ?? `Thread ${thread.number ?? thread.id}`
  const toggle = () => {
    if (!open) void view.readStack(thread.id, false)
    else view.stacks.value = new Map([...view.stacks.value].filter(([id]) => id !== thread.id))
  }
  const looked = view.looked.value
  const past = looked === undefined ? undefined : view.stopsByNumber.value.get(looked)
  const { state } = view.session.snapshot.value
  const { why, words: here } = stateWords(view, thread)
  const failed = isFailure(view.report.value)
  const own = view.report.value?.thread?.id === thread.id
  const words =
    past !== undefined
      ? shortReasonOf(past)
      : state === "stopped"
        ? here
        : own
          ? `was ${shortReasonOf({ raw_reason: view.report.value?.raw_reason ?? "", ...view.report.value })}`
          : ""
  const tone = past !== undefined ? "past" : state !== "stopped" || !why ? "" : failed && own ? "failed" : "stopped"
  return (
    <li data-path={`thread ${thread.id}`}>
      <button type="button" class="row thread" aria-expanded={open} tabIndex={station ? 0 : -1} onClick={toggle}>
        <Icon name={open ? "down" : "right"} />
        {view.threads.value.length < 2 || thread.number === undefined ? null : (
          <span class="id" title={`thread ${thread.number}`}>
            {thread.number}
          </span>
        )}
        <span class="name">{label}</span>
        <span class="id">{thread.id}</span>
        <span key={words} class={`state ${tone}`} title={words}>
          {words}
        </span>
      </button>
      {stack === undefined ? null : (
        <ul aria-label={`Frames of ${label}`}>
          {stack.frames.map((frame, at) => (
            <FrameRow key={at} above={stack.frames[at - 1]} frame={frame} thread={thread.id} width={width} />
          ))}
          {stack.more && looked === undefined && view.alive() ? (
            <li class="row folded" key={`more ${stack.frames.length}`}>
              <span class="foldedWords">{stack.frames.length.toLocaleString("en")} frames are shown</span>
              <button type="button" class="link" onClick={() => void view.readStack(thread.id, stack.all, stack)}>
                Show {framesAtATime} more
              </button>
            </li>
          ) : null}
          {stack.leftOut === undefined || (looked === undefined && view.alive()) ? null : (
            <li class="row folded">
              <span class="foldedWords" title={stack.leftOut}>
                {stack.leftOut}
              </span>
            </li>
          )}
          {folded === undefined ? null : (
            <li class="row folded" key={`folded ${foldedKey}`} ref={foldedRow}>
              <span class="foldedWords" title={folded}>
                {foldedInShort(stack.folded)}
              </span>
              {looked === undefined && view.alive() ? (
                <button type="button" class="link" onClick={() => void view.readStack(thread.id, true)}>
                  Show
                </button>
              ) : null}
            </li>
          )}
          {looked === undefined || view.report.value === undefined || !hasValues(view.report.value) ? null : (
            <li class="row folded">Values were kept for frame {view.report.value.user_frame ?? 0} only.</li>
          )}
        </ul>
      )}
    </li>
  )
}

/** Opens the stacks of all threads; once they are open, it leaves only that of the stopped thread. */
const AllStacks = ({ threads }: { readonly threads: ReadonlyArray<ThreadRow> }) => {
  const view = useView()
  const stacks = view.stacks.value
  const closed = threads.filter(({ id }) => !stacks.has(id))
  const stopped = view.report.value?.thread?.id
  return (
    <Button
      label={closed.length === 0 ? "Close the other stacks" : "Open all stacks"}
      icon="list"
      iconOnly
      kind="bare"
      className={closed.length === 0 ? "active" : ""}
      onClick={() => {
        if (closed.length === 0) view.stacks.value = new Map([...stacks].filter(([id]) => id === stopped))
        else for (const { id } of closed) void view.readStack(id, false)
      }}
    />
  )
}

/** The note that all threads are stopped. In a title without room it is their number. */
const allStopped = (count: number) => (
  <span title={`${count.toLocaleString("en")}, all stopped`}>
    {count.toLocaleString("en")}
    <wbr />
    <span class="noteRest">, all stopped</span>
  </span>
)

/** The threads of the program with their stacks. */
export const StackPanel = () => {
  const page = usePage()
  const view = useView()
  const kept = view.report.value?.thread
  const known = view.threads.value
  // Of an earlier stop only its thread is kept.
  const all: ReadonlyArray<ThreadRow> =
    kept === undefined || known.some(({ id }) => id === kept.id)
      ? known
      : [{ ...kept, state: "stopped", current: true, label: kept.name ?? "" }]
  // The thread that is shown comes first, then those that stopped with it.
  const { state, stopped } = view.session.snapshot.value
  const rank = ({ id }: ThreadRow) => (id === kept?.id ? 0 : stopped?.threads.includes(id) === true ? 1 : 2)
  const threads = all.toSorted((a, b) => rank(a) - rank(b))
  // Those that were not read are counted too.
  const unread = view.looked.value === undefined ? Math.max(0, view.threadList.total.value - known.length) : 0
  const count = threads.length + unread
  // Why a program hangs is a question about its threads.
  const paused = state === "stopped" && view.looked.value === undefined && stopped?.reason === "pause"
  const note =
    view.looked.value !== undefined
      ? `stop ${view.looked.value}`
      : !view.live.value && view.reportStop.value > 0
        ? `at stop ${view.reportStop.value}`
        : threads.length > 1 && !paused && unread === 0 && threads.every((one) => one.state === "stopped")
          ? allStopped(count)
          : known.length === 0
            ? ""
            : // Beside Explain there is room for the number.
              paused
              ? count.toLocaleString("en")
              : `${count} thread${count === 1 ? "" : "s"}`
  const { frame, stacks, thread: shown } = view
  const [box, width] = useWidth()
  const list = useRef<HTMLUListElement>(null)
  useFocusInside(
    box,
    (panel) => panel.querySelector<HTMLElement>(".row.frame.chosen") ?? panel.querySelector<HTMLElement>(".row.thread")
  )
  const listed = threads.filter(({ id }) => view.looked.value === undefined || view.stacks.value.has(id))
  let rows = 0
  const placed = listed.map(({ id }) => {
    const place = rows
    rows += 1 + (stacks.value.get(id)?.frames.length ?? 0)
    return { name: id, place, path: `thread ${id}` }
  })
  const keys = usePlaceKeys(list, placed)
  const hasChosen =
    shown.value !== undefined &&
    stacks.value.get(shown.value)?.frames.some(({ index }) => index === frame.value) === true
  return (
    <Panel
      id="stack"
      label="Threads and stack"
      title="Threads and stack"
      note={note}
      tools={
        <>
          {paused ? <Button label="Explain" kind="bare" onClick={() => void showExplanation(page, view)} /> : null}
          {threads.length > 1 && state === "stopped" && view.looked.value === undefined ? (
            <AllStacks threads={threads} />
          ) : null}
        </>
      }
    >
      <div
        class={`scroll${view.live.value || view.past.value ? "" : " dim"}`}
        ref={box}
        onKeyDown={(event) => moveFocus(event, ".row.frame, .row.thread")}
      >
        {threads.length === 0 && view.report.value === undefined ? (
          <p class="empty">
            {view.session.snapshot.value.stop === 0
              ? "The program has not stopped yet."
              : "The stack was not read at the last stop."}
          </p>
        ) : null}
        <ul class="threads" ref={list}>
          {listed.map((thread, at) => (
            <ThreadGroup key={keys[at]} thread={thread} station={at === 0 && !hasChosen} width={width} />
          ))}
          {unread === 0 || !view.threadsLive.value ? null : (
            <li class="row folded">
              <span class="foldedWords">{unread.toLocaleString("en")} more threads</span>
              {known.length < 1000 ? (
                <button type="button" class="link" onClick={() => void view.threadList.readMore()}>
                  Show
                </button>
              ) : null}
            </li>
          )}
        </ul>
      </div>
    </Panel>
  )
}
