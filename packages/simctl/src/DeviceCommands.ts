/**
 * The commands of simctl about devices: listing, creating, booting, and what can be set on a booted one.
 */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as BootStatus from "./BootStatus.ts"
import { read, unreadable, timeouts } from "./Calls.ts"
import * as Failure from "./Failure.ts"
import * as Listing from "./Listing.ts"
import type * as Runner from "./Runner.ts"

/** Result of a command. `already` is true if the device or app was in the requested state before. */
export interface Done {
  readonly already: boolean
}

/** Options of the user interface, as `simctl ui` names them. */
export type UiOption = "appearance" | "content_size" | "increase_contrast"

/** The log lines to read. */
export interface LogQuery {
  readonly predicate?: string
  readonly level?: "default" | "info" | "debug"
}

const uuid = /^[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}$/i

/** Returns the UDID of a new device, which is the last line of the output. */
const newUdid = (call: Failure.Call): Effect.Effect<string, Failure.GarbageOutput> => {
  const udid = call.stdout
    .split(/\r?\n/)
    .map((line) => line.trim())
    .findLast((line) => uuid.test(line))
  return udid === undefined ? Effect.fail(unreadable(call, call.stdout)) : Effect.succeed(udid)
}

/** Returns the options of a query: `log show` has a flag for each level, `log stream` an option. */
const logOptions = (query: LogQuery, command: "stream" | "show") => [
  ...(query.level === undefined || query.level === "default"
    ? []
    : command === "stream"
      ? ["--level", query.level]
      : query.level === "debug"
        ? ["--info", "--debug"]
        : ["--info"]),
  ...(query.predicate === undefined ? [] : ["--predicate", query.predicate])
]

const isChanging = (state: string) => state === "Shutting Down" || state === "Creating"

/** The commands about devices. */
export const make = (runner: Runner.Runner) => {
  const { simctl } = runner
  const quick = (...words: ReadonlyArray<string>) => simctl(words, { within: timeouts.quick })
  const slow = (...words: ReadonlyArray<string>) => simctl(words, { within: timeouts.boot })

  const list = Effect.flatMap(simctl(["list", "-j"], { within: timeouts.list }), read(Listing.parse))
  const stateOf = (udid: string) =>
    Effect.map(list, ({ devices }) => devices.find((device) => device.udid === udid)?.state ?? "")

  const boot = (udid: string): Effect.Effect<Done, Failure.Failure> =>
    slow("boot", udid).pipe(
      Effect.as({ already: false }),
      Effect.catchTag("AlreadyInState", (error) =>
        error.state === "Booted" || error.state === "Booting" ? Effect.succeed({ already: true }) : Effect.fail(error)
      )
    )

  /** Waits until the device has finished changing its state, at most 30 seconds, and returns the state. */
  const settledState = (udid: string) =>
    stateOf(udid).pipe(
      Effect.repeat({ schedule: Schedule.spaced("500 millis"), times: 60, while: isChanging }),
      Effect.andThen(stateOf(udid))
    )

  const bootReady = Effect.fn("Simctl.bootReady")(function* (udid: string) {
    const first = yield* stateOf(udid)
    const state = isChanging(first) ? yield* settledState(udid) : first
    const { already } = state === "Booted" ? { already: true } : yield* boot(udid)
    // `-b` would boot the device too, and fails if another process boots it at the same time. Without it `bootstatus`
    // only reads, so it does not hold the queue.
    const status = yield* simctl(["bootstatus", udid], { within: timeouts.bootstatus, bypassQueue: true })
    const outcome = BootStatus.outcome(status.stdout)
    if (outcome._tag === "Ready") return { already: already && outcome.already }
    const detail = outcome._tag === "Failed" ? outcome.message : `still starting: ${outcome.message}`
    return yield* new Failure.BootFailed({ ...Failure.detailsOf(status), detail })
  })

  const shutdown = (udid: string): Effect.Effect<Done, Failure.Failure> =>
    slow("shutdown", udid).pipe(
      Effect.as({ already: false }),
      Effect.catchTag("AlreadyInState", (error) =>
        error.state === "Shutdown" || error.state === "Shutting Down"
          ? Effect.succeed({ already: true })
          : Effect.fail(error)
      )
    )

  return {
    list,
    devices: Effect.map(list, ({ devices }) => devices),
    create: (name: string, type: string, runtime?: string) =>
      Effect.flatMap(slow("create", name, type, ...(runtime === undefined ? [] : [runtime])), newUdid),
    clone: (udid: string, name: string) =>
      Effect.flatMap(simctl(["clone", udid, name], { within: timeouts.install }), newUdid),
    delete: (udid: string) => Effect.asVoid(slow("delete", udid)),
    erase: (udid: string) => Effect.asVoid(slow("erase", udid)),
    bootReady,
    boot,
    shutdown,
    screenshot: (udid: string, file: string) =>
      Effect.asVoid(simctl(["io", udid, "screenshot", file], { within: timeouts.launch })),
    location: (udid: string, place: { readonly latitude: number; readonly longitude: number } | undefined) =>
      Effect.asVoid(
        place === undefined
          ? quick("location", udid, "clear")
          : quick("location", udid, "set", `${place.latitude},${place.longitude}`)
      ),
    ui: (udid: string, option: UiOption, value?: string) =>
      Effect.flatMap(quick("ui", udid, option, ...(value === undefined ? [] : [value])), (call) =>
        // An unknown value is reported on stderr only; the exit status is 0.
        /Invalid argument/i.test(call.stderr)
          ? Effect.fail(
              new Failure.Other({ ...Failure.detailsOf(call), detail: `${option} cannot be '${value ?? ""}'` })
            )
          : Effect.succeed(value ?? call.stdout.trim())
      ),
    statusBar: (udid: string, overrides: { readonly [option: string]: string }) => {
      const words = Object.entries(overrides).flatMap(([option, value]) => [`--${option}`, value])
      return Effect.asVoid(
        words.length === 0 ? quick("status_bar", udid, "clear") : quick("status_bar", udid, "override", ...words)
      )
    },
    log: (udid: string, query: LogQuery) =>
      runner.lines(["spawn", udid, "log", "stream", "--style", "compact", ...logOptions(query, "stream")]),
    logShow: (udid: string, last: string, query: LogQuery) =>
      Effect.map(
        simctl(["spawn", udid, "log", "show", "--style", "compact", "--last", last, ...logOptions(query, "show")], {
          within: timeouts.launch,
          bypassQueue: true
        }),
        ({ stdout }) => stdout
      )
  }
}
