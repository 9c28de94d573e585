/**
 * Simulators, their apps and the session defaults as text, one line per item. Lines end with the simulator and why it was
 * chosen.
 */
import type { Operations, Simulator } from "@sigtrap/protocol"
import * as Doc from "./Doc.ts"
import * as Frames from "./Frames.ts"
import * as Sessions from "./Sessions.ts"
import * as View from "./View.ts"

type Data<T extends Operations.Tag> = Operations.Data<T>

const used = ({ from, key, value }: Simulator.AppliedDefault) => `${key} ${value} from ${from}`

/** `iPhone 17 (iOS 26.4.1) 4E9D… [booted]`: the simulator, why it was chosen, and the defaults that were applied. */
const device = ({ chosen, defaults, name, runtime, udid }: Simulator.Subject): string => {
  const filled = defaults.length === 0 ? "" : `; ${defaults.map(used).join(", ")}`
  return `${name} (${runtime}) ${udid} [${chosen}${filled}]`
}

const one = (...parts: ReadonlyArray<string>): Doc.Doc =>
  Doc.lines(Doc.line(parts.filter((part) => part !== "").join(" ")))

const rows = (view: View.View, command: string, table: ReadonlyArray<ReadonlyArray<string>>, nothing: string) =>
  table.length === 0
    ? one(nothing)
    : Doc.list(
        Doc.table(table).map((row) => [Doc.line(row)]),
        () => View.again(view, command, { budget: 0 })
      )

/** Renders `UDID  Booted  iPhone 17  iOS 26.4.1`. */
export const list = (view: View.View, data: Data<"sim.list">): Doc.Doc =>
  rows(
    view,
    "sim list",
    data.devices.map(({ available, name, runtime, state, udid, unavailable }) => [
      udid,
      state,
      name,
      runtime,
      available ? "" : `unavailable: ${unavailable ?? "no reason"}`
    ]),
    "no simulators"
  )

/** Renders `iOS 26.4  26.4.1  23E254  com.apple…`. */
export const runtimes = (view: View.View, data: Data<"sim.runtimes">): Doc.Doc =>
  rows(
    view,
    "sim runtimes",
    data.runtimes.map(({ available, build, identifier, name, unavailable, version }) => [
      name,
      version,
      build,
      identifier,
      available ? "" : `unavailable: ${unavailable ?? "no reason"}`
    ]),
    "no runtimes"
  )

/** Renders `iPhone 17  com.apple…`. */
export const types = (view: View.View, data: Data<"sim.types">): Doc.Doc =>
  rows(
    view,
    "sim types",
    data.types.map(({ identifier, name }) => [name, identifier]),
    "no device types"
  )

/** Renders `created Scratch UDID`. */
export const created = (data: Data<"sim.create">): Doc.Doc => one("created", data.name, data.udid)

/** Renders `cloned to Copy UDID`. */
export const cloned = (data: Data<"sim.clone">): Doc.Doc =>
  one(`cloned to ${data.name} ${data.udid}; from`, device(data.simulator))

/** `booted iPhone 17 …`, `already booted iPhone 17 …`. */
export const done = (
  what: string,
  data: { readonly simulator?: Simulator.Subject; readonly already: boolean; readonly bundle_id?: string }
): Doc.Doc =>
  one(
    data.already ? "already" : "",
    what,
    data.bundle_id ?? "",
    data.bundle_id === undefined ? "" : "on",
    data.simulator === undefined ? "every simulator" : device(data.simulator)
  )

/** Renders `installed com.example.app on …`. */
export const installed = (data: Data<"sim.install">): Doc.Doc =>
  one(`installed ${data.bundle_id ?? data.app} on`, device(data.simulator))

/** Renders `com.example.app  1.0  running 4711  Notes`. */
export const apps = (view: View.View, data: Data<"sim.apps">): Doc.Doc =>
  Doc.concat(
    one(device(data.simulator)),
    rows(
      view,
      "sim apps",
      data.apps.map(({ bundle_id, kind, name, pid, version }) => [
        bundle_id,
        version,
        pid === undefined ? "-" : `pid ${pid}`,
        name,
        kind === "User" ? "" : kind
      ]),
      "no apps"
    )
  )

/** Renders the directory alone, for scripts. */
export const container = (data: Data<"sim.container">): Doc.Doc => Doc.lines(...Doc.paragraph(data.path))

/** Renders `launched com.example.app (pid 4711) on …`. */
export const launched = (data: Data<"sim.launch">): Doc.Doc =>
  one(
    `${data.already ? "already running:" : "launched"} ${data.bundle_id} (pid ${data.pid}) on`,
    device(data.simulator)
  )

/** Renders the app and the simulator, then the session as `start` does. */
export const debugged = (view: View.View, data: Data<"sim.debug">, stop: number | undefined): Doc.Doc =>
  Doc.concat(
    one(`${data.launched ? "launched" : "attached to"} ${data.bundle_id} on`, device(data.simulator)),
    Sessions.started(view, data, stop)
  )

/** Renders whether an app is paused and, if so, where and how to resume it. */
export const guard = (view: View.View, data: Data<"sim.guard">): Doc.Doc =>
  Doc.concat(
    one(data.paused ? "paused in a debugger:" : "not paused:", device(data.simulator)),
    ...data.sessions.map(({ bundle_id, location, pid, reason, session, state, hints }) =>
      Doc.lines(
        Doc.line(
          [
            `session ${session}: ${bundle_id ?? "an app"}`,
            pid === undefined ? "" : `(pid ${pid})`,
            state,
            reason ?? "",
            location === undefined ? "" : `${location.function ?? ""} ${Frames.place(view, location)}`.trim()
          ]
            .filter((part) => part !== "")
            .join(" ")
        ),
        ...hints.map((hint) => Doc.line(`  ${View.write(view, hint)}`))
      )
    )
  )

/** Renders the log lines unchanged. */
export const log = (view: View.View, data: Data<"sim.log">): Doc.Doc =>
  rows(
    view,
    "sim log",
    data.lines.map((line) => [line]),
    "no log lines"
  )

/** Renders `opened notes://note/7 on …`. */
export const sent = (what: string, simulator: Simulator.Subject): Doc.Doc => one(what, "on", device(simulator))

/** Renders `location 52.52,13.405 on …`. */
export const location = (data: Data<"sim.location">): Doc.Doc =>
  one(data.place === undefined ? "no location" : `location ${data.place}`, "on", device(data.simulator))

/** Renders the overrides. */
export const statusBar = (data: Data<"sim.status-bar">): Doc.Doc => {
  const parts = Object.entries(data.overrides).map(([option, value]) => `${option} ${value}`)
  return one(
    parts.length === 0 ? "no status bar overrides" : `status bar: ${parts.join(", ")}`,
    "on",
    device(data.simulator)
  )
}

/** Renders a line per check, and what to do about those that failed. */
export const doctor = (data: Data<"sim.doctor">): Doc.Doc =>
  Doc.lines(
    ...data.checks.flatMap(({ found, name, ok, remedy }) => [
      Doc.line(Doc.span(`${ok ? "ok" : "problem"}  ${name}: ${found}`, ok ? "plain" : "warning")),
      ...(remedy === undefined ? [] : [Doc.line(`  remedy: ${remedy}`)])
    ])
  )

/** Renders the profile, its values and the source of each. */
export const defaults = (data: Data<"defaults.show">): Doc.Doc =>
  Doc.lines(
    Doc.line(
      `profile ${data.profile} of ${data.profiles.join(", ")}; ${data.project}${data.persisted ? "" : " (not persisted)"}`
    ),
    ...(data.values.length === 0
      ? [Doc.line("  no defaults")]
      : data.values.map(({ from, key, value }) => Doc.line(`  ${key} = ${value}  (${from})`)))
  )
