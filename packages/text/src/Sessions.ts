/**
 * Sessions as text: start, state, end, capabilities, and the list of all.
 */
import { Caller, type Operations, type Session } from "@sigtrap/protocol"
import * as Breakpoints from "./Breakpoints.ts"
import * as Control from "./Control.ts"
import * as Doc from "./Doc.ts"
import * as Frames from "./Frames.ts"
import * as StopReport from "./StopReport.ts"
import * as View from "./View.ts"

const adapter = (value: Session.Adapter | undefined): string =>
  value === undefined ? "" : value.version === undefined ? value.name : `${value.name} ${value.version}`

/** `2m`: whole seconds in the largest unit that fits. */
const age = (seconds: number): string => {
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86_400)}d`
}

const ending = (end: { readonly exit_code?: number; readonly signal?: string }): string | undefined =>
  (end.signal === undefined ? undefined : `ended by ${end.signal}`) ??
  (end.exit_code === undefined ? undefined : `exit ${end.exit_code}`)

/** Renders the answer of `start`: the session, moved or pending breakpoints, the stop report. */
export const started = (view: View.View, data: Operations.Data<"start">, stop: number | undefined): Doc.Doc => {
  const pid = data.pid === undefined ? "" : ` (pid ${data.pid})`
  return Doc.concat(
    Doc.lines(
      Doc.line(
        `session ${data.session}: ${View.basename(data.program)}${pid} ${adapter(data.adapter)}${data.channels === undefined ? "" : " · channels: merged"}`
      ),
      ...Breakpoints.movedOrPending(view, data.set_breakpoints)
    ),
    StopReport.render(view, data, stop)
  )
}

const standing = (data: Operations.Data<"status">): string => {
  const end = ending(data)
  switch (data.state) {
    case "stopped": {
      const breakpoints = data.breakpoints_hit
      const why = StopReport.why({
        ...(data.reason === undefined ? {} : { reason: data.reason }),
        ...(data.description === undefined ? {} : { description: data.description }),
        ...(breakpoints === undefined ? {} : { breakpoints })
      })
      return ["stopped", data.stop === undefined ? "" : `#${data.stop}`, why].filter((word) => word !== "").join(" ")
    }
    case "exited":
      return data.signal === undefined
        ? `exited${data.exit_code === undefined ? "" : ` ${data.exit_code}`}`
        : `ended by ${data.signal}`
    case "lost":
      return data.lost === undefined ? "lost" : `lost: ${Doc.cut(data.lost, 160)}`
    case "starting":
      return data.loaded === true ? "loaded, not started" : data.state
    case "none":
    case "running":
    case "terminated":
    case "detached":
      return end === undefined ? data.state : `${data.state} (${end})`
  }
}

/** Renders `default  stopped #12 breakpoint 1  app pid 4711  lldb-dap 19.1  up 2m`. */
export const status = (view: View.View, data: Operations.Data<"status">): Doc.Doc => {
  if (data.session === undefined) return Doc.lines(Doc.line("no session"))
  const program = data.program === undefined ? [] : [View.basename(data.program)]
  const pid = data.pid === undefined || data.state === "exited" ? [] : [`pid ${data.pid}`]
  const breakpoints = data.breakpoints ?? 0
  const details =
    view.verbose !== true
      ? []
      : [
          data.location === undefined
            ? ""
            : Doc.cut(`${data.location.function ?? ""} ${Frames.place(view, data.location)}`.trim(), 120),
          breakpoints === 0 ? "" : `${breakpoints} breakpoint${breakpoints === 1 ? "" : "s"}`,
          data.began_by === undefined ? "" : `began by ${Caller.describe(data.began_by)}`
        ]
  const columns = [
    data.session,
    standing(data),
    [...program, ...pid].join(" "),
    adapter(data.adapter),
    data.uptime_s === undefined ? "" : `up ${age(data.uptime_s)}`,
    data.policy === undefined ? "" : `policy: ${data.policy.join(", ")}`,
    data.durable === false && data.state !== "lost" ? "not stored" : "",
    ...details
  ]
  return Doc.concat(
    Doc.lines(
      Doc.line(columns.filter((column) => column !== "").join("  ")),
      ...Control.clients(data.clients ?? [], data.lease),
      ...(data.outlived_by ?? []).map(({ name, pid }) => Doc.line(`still running: ${Doc.cut(name, 80)} pid ${pid}`))
    ),
    data.capabilities === undefined ? Doc.empty : features(view, "status", data.capabilities)
  )
}

const suppliers = {
  adapter: "by the adapter",
  command: "by a debugger command",
  manager: "by the manager",
  none: "not supported"
}

/** Renders capabilities, one line per supplier. */
export const features = (
  view: View.View,
  command: "status" | "capabilities",
  all: ReadonlyArray<Session.Feature>
): Doc.Doc => {
  const rows = Object.entries(suppliers).flatMap(([by, words]) => {
    const names = all.filter((feature) => feature.by === by).map(({ name }) => name)
    return names.length === 0 ? [] : [[Doc.line(Doc.span(`${words}: `, "heading"), names.join(", "))]]
  })
  return Doc.list(rows, () => View.again(view, command, { budget: 0 }))
}

/** Renders one line per debugger: name, version, and where it is or why it cannot be used. */
export const debuggers = ({ debuggers: found }: Operations.Data<"debuggers">): Doc.Doc =>
  Doc.lines(
    ...found.flatMap(({ languages, name, path, problem, remedy, version = "" }) => [
      Doc.line(`${name.padEnd(10)} ${version.padEnd(8)} ${path ?? problem ?? "not found"}  (${languages.join(", ")})`),
      ...(path === undefined || problem === undefined ? [] : [Doc.line(`  ${problem}`)]),
      ...(remedy === undefined ? [] : [Doc.line(`  remedy: ${remedy}`)])
    ])
  )

const described = (name: string, value: string | undefined): ReadonlyArray<Doc.Line> =>
  value === undefined || value === "" ? [] : [Doc.line(Doc.span(`${name} `, "dim"), value)]

/** The answer of `session info`. */
export const info = (view: View.View, data: Operations.Data<"session.info">): Doc.Doc =>
  Doc.concat(
    status(view, data),
    Doc.lines(
      ...described("kind", data.kind),
      ...described("program", [data.program ?? "", ...(data.args ?? [])].join(" ")),
      ...described("directory", data.cwd),
      ...described("label", data.label),
      ...described("idle", data.ttl_s === undefined ? age(data.idle_s) : `${age(data.idle_s)} of ${age(data.ttl_s)}`),
      ...described("stdin", data.stdin),
      ...described("stdout", data.stdout),
      ...described("stderr", data.stderr),
      ...described("source map", data.source_map?.join(", ")),
      Doc.line(
        `${data.stop ?? 0} stops, ${data.breakpoints ?? 0} breakpoints, ${data.variables} variables, ${data.output_bytes} B of output`
      )
    )
  )

/** `* default  stopped  app     4711  2m`, columns aligned; `*` marks the current one. */
export const list = (view: View.View, sessions: ReadonlyArray<Session.SessionSummary>): Doc.Doc => {
  if (sessions.length === 0) return Doc.lines(Doc.line("no sessions"))
  const rows = Doc.table(
    sessions.map((session) => [
      session.name,
      session.state,
      View.basename(session.program),
      session.pid === undefined ? "-" : String(session.pid),
      age(session.age_s),
      [
        session.idle_s < 60 ? "" : `idle ${age(session.idle_s)}`,
        session.label === undefined ? "" : Doc.cut(session.label, 60)
      ]
        .filter((part) => part !== "")
        .join("  ")
    ])
  )
  return Doc.list(
    rows.map((row, index) => {
      const current = sessions[index]?.current === true
      return [Doc.line(Doc.span(current ? "* " : "  ", "current"), Doc.span(row, current ? "current" : "plain"))]
    }),
    () => View.again(view, "sessions", { budget: 0 })
  )
}

const ended = (session: Operations.Data<"stop">["sessions"][number]): string => {
  const before =
    session.state === "exited" || session.state === "terminated" ? (ending(session) ?? "ended") : session.state
  const how = session.how === "already-ended" ? `${before} earlier` : session.how
  const program = View.basename(session.program)
  return `stopped ${session.name} (${program === "" ? how : `${program}, ${how}`})`
}

/** `stopped default (app, exit 3 earlier)`, and the processes that remain. `none` is the text without a session. */
export const stopped = (data: Operations.Data<"stop">, none = "no session"): Doc.Doc =>
  Doc.lines(
    ...data.leftovers.map(({ pid, name }) =>
      Doc.line(Doc.span(`warning: still there: ${name} (pid ${pid})`, "warning"))
    ),
    ...(data.sessions.length === 0
      ? [Doc.line(none)]
      : data.sessions.flatMap((session) => [
          ...(session.problem === undefined ? [] : [Doc.line(Doc.span(`warning: ${session.problem}`, "warning"))]),
          Doc.line(ended(session))
        ]))
  )
