/**
 * Threads with their stacks, and the breakpoints below them. Choosing a frame changes this page only.
 */
import type { StackFrame, ThreadRow } from "../connection/Answers.ts"
import { foldedWords, placeOf, reasonOf } from "../session/StopWords.ts"
import { whoIs } from "../session/ActorWords.ts"
import { Icon } from "./Icons.tsx"
import { usePage, useView } from "./PageContext.ts"
import { Button, Panel, Shape } from "./Parts.tsx"

const FrameRow = ({ frame, thread }: { readonly frame: StackFrame; readonly thread: number }) => {
  const view = useView()
  const chosen = view.thread.value === thread && view.frame.value === frame.index
  const place = placeOf(frame)
  return (
    <li>
      <button
        type="button"
        class={`row frame${chosen ? " chosen" : ""}`}
        aria-current={chosen ? "true" : undefined}
        tabIndex={chosen ? 0 : -1}
        title={frame.module}
        onClick={() => void view.choose(thread, frame)}
      >
        <span class="index">{frame.index}</span>
        <span class="name">{frame.function}</span>
        <span class="where">{place ?? frame.module?.split("/").at(-1) ?? frame.address}</span>
      </button>
    </li>
  )
}

/** Returns the reason of a thread's stop, or where it is. */
const stateWords = (thread: ThreadRow): string =>
  thread.state === "stopped" ? (thread.stop_reason ?? thread.location?.function ?? "stopped") : thread.state

const ThreadGroup = ({ thread }: { readonly thread: ThreadRow }) => {
  const view = useView()
  const stack = view.stacks.value.get(thread.id)
  const open = stack !== undefined
  const folded = stack === undefined || stack.all ? undefined : foldedWords(stack.folded)
  const label = thread.name ?? `Thread ${thread.number ?? thread.id}`
  const toggle = () => {
    if (!open) void view.readStack(thread.id, false)
    else view.stacks.value = new Map([...view.stacks.value].filter(([id]) => id !== thread.id))
  }
  const looked = view.looked.value
  const past = looked === undefined ? undefined : view.stopsByNumber.value.get(looked)
  const { state } = view.session.snapshot.value
  const now = state === "stopped" ? stateWords(thread) : state === "running" ? "running" : ""
  return (
    <li>
      <button type="button" class="row thread" aria-expanded={open} tabIndex={-1} onClick={toggle}>
        <Icon name={open ? "down" : "right"} />
        <span class="name">{label}</span>
        <span class="id">{thread.id}</span>
        <span
          key={past === undefined ? now : reasonOf(past)}
          class={`state ${state === "running" ? "running" : thread.state}`}
        >
          {past === undefined ? now : reasonOf(past)}
        </span>
      </button>
      {stack === undefined ? null : (
        <ul aria-label={`Frames of ${label}`}>
          {stack.frames.map((frame) => (
            <FrameRow key={`${frame.index}${frame.ref}`} frame={frame} thread={thread.id} />
          ))}
          {folded === undefined ? null : (
            <li class="row folded">
              <span>{folded}</span>
              {looked === undefined ? (
                <button type="button" class="link" onClick={() => void view.readStack(thread.id, true)}>
                  Show
                </button>
              ) : null}
            </li>
          )}
          {looked === undefined ? null : <li class="row folded">Values were kept for frame 0 only.</li>}
        </ul>
      )}
    </li>
  )
}

/** Moves the focus between the rows of a list. */
export const moveFocus = (event: KeyboardEvent, selector: string): void => {
  const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0
  if (by === 0 || !(event.currentTarget instanceof HTMLElement)) return
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>(selector)]
  const at = rows.findIndex((row) => row === document.activeElement || row.contains(document.activeElement))
  const next = rows[Math.min(rows.length - 1, Math.max(0, at + by))]
  if (next === undefined) return
  event.preventDefault()
  next.focus()
}

/** The threads of the program with their stacks. */
export const StackPanel = () => {
  const view = useView()
  const kept = view.report.value?.thread
  const known = view.threads.value
  // Of an earlier stop only its thread is kept.
  const threads: ReadonlyArray<ThreadRow> =
    kept === undefined || known.some(({ id }) => id === kept.id)
      ? known
      : [{ ...kept, state: "stopped", current: true, label: kept.name ?? "" }]
  const count =
    view.looked.value === undefined
      ? `${threads.length} thread${threads.length === 1 ? "" : "s"}`
      : `stop ${view.looked.value}`
  const running = view.session.snapshot.value.state === "running"
  return (
    <Panel id="stack" label="Threads and stack" title="Threads and stack" note={running ? "running" : count}>
      <div
        class={`scroll${view.live.value || view.past.value ? "" : " dim"}`}
        onKeyDown={(event) => moveFocus(event, ".row.frame, .row.thread")}
      >
        {threads.length === 0 && view.report.value === undefined ? (
          <p class="empty">The program has not stopped yet.</p>
        ) : null}
        <ul class="threads">
          {threads
            .filter(({ id }) => view.looked.value === undefined || view.stacks.value.has(id))
            .map((thread) => (
              <ThreadGroup key={thread.id} thread={thread} />
            ))}
        </ul>
      </div>
    </Panel>
  )
}

/** The breakpoints: on and off, where, whose, and how often they were hit. */
export const BreakpointPanel = () => {
  const page = usePage()
  const view = useView()
  const session = view.session.name
  const breakpoints = view.breakpoints.value
  const owner = (id: number) =>
    view.session.events.value.find(
      ({ event }) => event._tag === "BreakpointChanged" && event.change === "set" && event.breakpoint.id === id
    )?.actor
  const remove = async (id: number) => {
    await page.act("breakpoint.remove", { session, ids: [id] }, `sigtrap breakpoint remove ${id} --session ${session}`)
    await view.readBreakpoints()
  }
  const toggle = async (id: number, enabled: boolean) => {
    const verb = enabled ? "breakpoint.disable" : "breakpoint.enable"
    await page.act(verb, { session, ids: [id] }, `sigtrap ${verb.replace(".", " ")} ${id} --session ${session}`)
    await view.readBreakpoints()
  }
  return (
    <Panel
      id="breakpoints"
      label="Breakpoints"
      title="Breakpoints"
      note={breakpoints.length === 0 ? undefined : breakpoints.length}
    >
      <div class="scroll" onKeyDown={(event) => moveFocus(event, ".row.breakpoint button")}>
        {breakpoints.length === 0 ? <p class="empty">Click left of a line number to set one.</p> : null}
        <ul>
          {breakpoints.map((one) => {
            const place = placeOf(one.locations[0] ?? one.requested) ?? one.requested.text
            const actor = owner(one.id)
            const [location] = one.locations
            const sign =
              !one.enabled || !one.resolved
                ? "off"
                : one.log !== undefined
                  ? "log"
                  : one.condition === undefined
                    ? "on"
                    : "when"
            return (
              <li key={one.id} class="breakpointItem">
                <div class="row breakpoint">
                  <button
                    type="button"
                    class={`sign ${sign}`}
                    aria-pressed={one.enabled}
                    aria-label={`Breakpoint ${one.id} is ${one.enabled ? "on" : "off"}`}
                    onClick={() => void toggle(one.id, one.enabled)}
                  />
                  <button
                    type="button"
                    class="name link"
                    onClick={() =>
                      location?.file === undefined ? undefined : void view.open(location.file, location.line ?? 1)
                    }
                  >
                    {one.id} {place}
                  </button>
                  {actor === undefined ? null : <Shape who={whoIs(actor, page.credentials.actor.id)} />}
                  <span key={one.hit_count} class="hits">
                    {one.hit_count} hit{one.hit_count === 1 ? "" : "s"}
                  </span>
                  <Button
                    label={`Remove breakpoint ${one.id}`}
                    icon="close"
                    iconOnly
                    kind="bare"
                    onClick={() => void remove(one.id)}
                  />
                </div>
                {one.condition === undefined ? null : (
                  <p class="when">
                    when <code>{one.condition}</code>
                  </p>
                )}
                {one.resolved ? null : <p class="when">{one.reason ?? "pending"}</p>}
              </li>
            )
          })}
        </ul>
      </div>
    </Panel>
  )
}
