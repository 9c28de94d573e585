/**
 * What a person can do with the program: each action with its words, its keys, its command line, and when it is possible.
 */
import type { Input, Tag } from "../../connection/Answers.ts"
import type { Page } from "../Page.ts"
import type { Session } from "../Session.ts"
import type { SessionView } from "../SessionView.ts"
import { nameOf, whoIs } from "../words/ActorWords.ts"
import { begin, belongsToLast, follow } from "./ActionQueue.ts"
import { isAlive } from "../words/StopWords.ts"
import { sentence } from "../words/Words.ts"
import { join } from "@sigtrap/protocol/ShellWords"

/** An action of the run row. */
export interface Action {
  readonly id: "continue" | "pause" | "next" | "step" | "finish" | "until" | "restart" | "stop"
  readonly label: string
  readonly keys: string
}

/** The actions that resume, pause, start or end the program, with the words of their buttons and their keys. */
export const actions = {
  continue: { id: "continue", label: "Continue", keys: "F8" },
  pause: { id: "pause", label: "Pause", keys: "F8" },
  next: { id: "next", label: "Over", keys: "F10" },
  step: { id: "step", label: "Into", keys: "F11" },
  finish: { id: "finish", label: "Out", keys: "⇧F11" },
  until: { id: "until", label: "Run to line", keys: "Ctrl+F10" },
  restart: { id: "restart", label: "Restart", keys: "" },
  stop: { id: "stop", label: "Stop", keys: "" }
} as const satisfies { readonly [id: string]: Action }

/** Returns who drives: the holder of the lease or, without one, the client of the latest resume within two minutes. */
export const driverOf = (page: Page, session: Session) => {
  const { lease } = session.snapshot.value
  const own = page.credentials.actor.id
  if (lease !== undefined) return { who: whoIs(lease.holder, own), actor: lease.holder, holds: true }
  const resumed = session.events.value.findLast(({ actor, event }) => event._tag === "Resumed" && actor !== undefined)
  if (resumed?.actor === undefined || Date.now() - resumed.time > 120_000) return undefined
  return { who: whoIs(resumed.actor, own), actor: resumed.actor, holds: false }
}

/** Returns the action of the first button: Continue, also for a program that is loaded and was not started, Pause or Start again. */
export const mainActionOf = ({ session, status }: SessionView): Action => {
  const { state } = session.snapshot.value
  if (!isAlive(session.snapshot.value)) return actions.restart
  return state === "stopped" || (state === "starting" && status.loaded.value) ? actions.continue : actions.pause
}

/** Returns what the end of a session does: a program that was attached to continues without the debugger. */
export const endWords = ({ status }: SessionView): "Detach from the program" | "End the program" =>
  status.kind.value === "attached" ? "Detach from the program" : "End the program"

/** Returns why the program cannot be read or changed while a past stop is looked at, with what is not possible: "read values". */
export const pastObstacle = ({ past }: Pick<SessionView, "past">, doing: string): string | undefined =>
  past.value ? `You look at a past stop. Go back to now to ${doing}.` : undefined

/** Returns the sentence about the client that holds the control lease; undefined if no other client does. */
const leaseObstacle = ({ credentials }: Page, { session }: SessionView): string | undefined => {
  const holder = session.snapshot.value.lease?.holder
  if (holder === undefined || holder.id === credentials.actor.id) return undefined
  return `${nameOf(holder, credentials.actor.id)} drives. Take control to step.`
}

/** Returns why an action is not possible; undefined if it is. */
export const obstacleOf = (page: Page, view: SessionView, { id }: Action): string | undefined => {
  const { core, state } = view.session.snapshot.value
  if (!page.connected.value) return "Not connected."
  const isLoaded = state === "starting" && view.status.loaded.value
  if (id === "pause")
    return isLoaded
      ? "The program is loaded and was not started."
      : state === "running" || state === "starting"
        ? undefined
        : "The program does not run."
  const isPast = pastObstacle(view, "step")
  if (isPast !== undefined && id !== "stop") return isPast
  if (!page.may("control")) return "This page may only observe."
  const ofLease = leaseObstacle(page, view)
  if (ofLease !== undefined) return ofLease
  // Another client may have removed the ended session, or another one has its name.
  if (!view.alive() && page.sessions.value.get(view.session.name) !== view.session)
    return "This session was removed. Start its program in a terminal."
  if (id === "stop") return view.alive() ? undefined : "The session has ended."
  if (core === true) return "A core file cannot be run."
  const kind = view.status.kind.value
  if (id === "restart" && kind !== undefined && kind !== "launched")
    return "Only a launched program can be started again."
  if (id === "restart") return state === "starting" ? "The program is starting." : undefined
  return state === "stopped" || (isLoaded && id === "continue")
    ? undefined
    : state === "running"
      ? "The program runs. Pause it first."
      : "The program is not stopped."
}

/** Calls an operation; true if it was done. */
const act = async <T extends Tag>(page: Page, tag: T, input: Input<T>, command: string): Promise<boolean> =>
  (await page.act(tag, input, command)).ok

/** Starts a program again. A session whose daemon was killed is recovered instead, which needs another tier. */
const restart = async (page: Page, session: string, command: string): Promise<boolean> => {
  const outcome = await page.act("restart", { session, wait: false }, command)
  if (outcome.ok || outcome.failure.hints?.some(({ operation }) => operation === "recover") !== true) return outcome.ok
  const recover = `sigtrap recover ${session} --yes`
  if (page.may("admin")) {
    page.notice.value = undefined
    return act(page, "recover", { name: session, yes: true }, recover)
  }
  page.command.value = recover
  page.say({
    text: `${sentence(outcome.failure.message)} Recover it in a terminal:`,
    command: recover,
    tone: "plain"
  })
  return false
}

/** Returns the thread of the shown frame, if it is not the one that the stop is about. Steps are in it. */
const chosenThread = ({ live, report, thread }: SessionView): number | undefined =>
  live.value && thread.value !== report.value?.thread?.id ? thread.value : undefined

/** Calls the operation of an action; true if it was done. */
const call = async (page: Page, view: SessionView, id: Action["id"], line: string | undefined): Promise<boolean> => {
  const session = view.session.name
  const named = `--session ${session}`
  // The answer comes with the stream; the call is refused if another client moved the program on.
  const guarded = { session, wait: false, at_stop: view.session.snapshot.value.stop } as const
  const thread = chosenThread(view)
  const inThread = thread === undefined ? guarded : ({ ...guarded, thread } as const)
  const stepped = thread === undefined ? named : `--thread ${thread} ${named}`
  switch (id) {
    case "continue":
      return act(page, "continue", guarded, `sigtrap continue ${named}`)
    case "next":
      return act(page, "next", inThread, `sigtrap next ${stepped}`)
    case "step":
      return act(page, "step", inThread, `sigtrap step ${stepped}`)
    case "finish":
      // The value that the function returned is known to a call that waits.
      return act(page, "finish", { ...inThread, wait: true, context: "none" }, `sigtrap finish ${stepped}`)
    case "until":
      return (
        line !== undefined && act(page, "until", { ...guarded, at: line }, `sigtrap until ${join([line])} ${named}`)
      )
    case "pause":
      return act(page, "pause", { session }, `sigtrap pause ${named}`)
    case "restart":
      return restart(page, session, `sigtrap restart ${named}`)
    case "stop":
      // A session that is kept can be started again.
      return act(page, "stop", { session, keep: true }, `sigtrap stop --keep ${named}`)
  }
}

/** Does an action. `line` is the place to run to. */
export const run = async (page: Page, view: SessionView, { id }: Action, line?: string): Promise<void> => {
  if (id !== "pause" && belongsToLast(view, id)) return
  const obstacle = obstacleOf(page, view, actions[id])
  if (obstacle !== undefined) {
    const action = obstacle === leaseObstacle(page, view) ? { action: page.takesControl(view.session.name) } : {}
    // Of a session that is not shown any more, or was replaced, it says nothing.
    const holds = () => page.view.value === view && obstacleOf(page, view, actions[id]) === obstacle
    return page.say({ text: obstacle, tone: "plain", holds, ...action })
  }
  const answer = begin(view, id)
  follow(
    view,
    (next) => void run(page, view, actions[next]),
    (text) => page.say({ text, tone: "plain" })
  )
  answer(await call(page, view, id, line))
}

/** Takes the control lease, or gives it back. The words change when the event arrives. */
export const toggleControl = async (page: Page, view: SessionView): Promise<void> => {
  const { lease } = view.session.snapshot.value
  const session = view.session.name
  if (lease?.holder.id === page.credentials.actor.id) {
    await page.act("control.release", { session }, `sigtrap control release --session ${session}`)
  } else await page.act("control.take", { session }, `sigtrap control take --session ${session}`)
}

/** Sets a breakpoint on a line, or removes those that are there. */
export const toggleBreakpoint = async (page: Page, view: SessionView, file: string, line: number): Promise<void> => {
  const session = view.session.name
  const there = breakpointsAt(view, file, line).map(({ id }) => id)
  const [first] = there
  if (first === undefined) {
    await page.act(
      "break",
      { session, at: `${file}:${line}` },
      `sigtrap break ${join([`${view.place()?.split(":")[0] ?? file}:${line}`])} --session ${session}`
    )
  } else {
    await page.act(
      "breakpoint.remove",
      { session, ids: there },
      `sigtrap breakpoint remove ${there.join(" ")} --session ${session}`
    )
  }
  await view.readBreakpoints()
}

/** Returns the breakpoints on a line. */
export const breakpointsAt = (view: SessionView, file: string, line: number) =>
  view.breakpoints.value.filter(({ kind, locations, requested }) =>
    kind === "watch" || kind === "catch"
      ? false
      : locations.length > 0
        ? locations.some((place) => place.file === file && place.line === line)
        : requested.file === file && requested.line === line
  )
