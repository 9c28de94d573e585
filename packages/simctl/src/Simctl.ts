/**
 * Simulators: every command of simctl that is needed to get an app to where it can be debugged, typed.
 *
 * Devices are named by UDID here; `Selection` finds it. A success means that what was asked for is so: a device that is
 * booted already is booted, an app that does not run is terminated, and `bootReady` comes back when apps can be launched.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import type * as Stream from "effect/Stream"
import * as Apps from "./Apps.ts"
import * as BootStatus from "./BootStatus.ts"
import * as Failure from "./Failure.ts"
import * as Listing from "./Listing.ts"
import * as Runner from "./Runner.ts"

/** Longest time of each kind of call, in milliseconds; ten times what it usually takes and more. */
const within = { list: 15_000, boot: 60_000, bootstatus: 300_000, install: 120_000, launch: 60_000, quick: 15_000 }

/** How an app is launched. */
export interface Launch {
  readonly args?: ReadonlyArray<string>
  /** Variables of the app. */
  readonly env?: { readonly [name: string]: string }
  /** Held before its first instruction until a debugger attaches and continues it. */
  readonly waitForDebugger?: boolean
  /** Ends the one that runs first; otherwise that one is the answer. */
  readonly terminateExisting?: boolean
  /** Absolute paths of files that take its output. */
  readonly stdout?: string
  readonly stderr?: string
}

/** What to follow of a device's log. */
export interface LogQuery {
  readonly predicate?: string
  readonly level?: "default" | "info" | "debug"
}

/** Whether it was so already. */
export interface Done {
  readonly already: boolean
}

/** Colours and text sizes of the system, as `simctl ui` names them. */
export type UiOption = "appearance" | "content_size" | "increase_contrast"

/** simctl, typed. */
export interface Simctl {
  readonly runner: Runner.Runner
  readonly list: Effect.Effect<Listing.Listing, Failure.Failure>
  readonly devices: Effect.Effect<ReadonlyArray<Listing.Device>, Failure.Failure>
  readonly create: (name: string, type: string, runtime?: string) => Effect.Effect<string, Failure.Failure>
  readonly clone: (udid: string, name: string) => Effect.Effect<string, Failure.Failure>
  readonly delete: (udid: string) => Effect.Effect<void, Failure.Failure>
  readonly erase: (udid: string) => Effect.Effect<void, Failure.Failure>
  /** Boots and comes back when apps can be launched; `progress` hears what the device waits for. */
  readonly bootReady: (udid: string) => Effect.Effect<Done, Failure.Failure>
  /** Asks for a boot and does not wait for it. */
  readonly boot: (udid: string) => Effect.Effect<Done, Failure.Failure>
  readonly shutdown: (udid: string | "all") => Effect.Effect<Done, Failure.Failure>
  readonly install: (udid: string, path: string) => Effect.Effect<void, Failure.Failure>
  readonly uninstall: (udid: string, bundle: string) => Effect.Effect<void, Failure.Failure>
  readonly apps: (udid: string) => Effect.Effect<ReadonlyArray<Apps.App>, Failure.Failure>
  readonly container: (udid: string, bundle: string, which: string) => Effect.Effect<string, Failure.Failure>
  /** The pid of the app that was launched; an app that ends at once has one too. */
  readonly launch: (udid: string, bundle: string, how: Launch) => Effect.Effect<number, Failure.Failure>
  readonly terminate: (udid: string, bundle: string) => Effect.Effect<Done, Failure.Failure>
  /** What runs on the device. */
  readonly rows: (udid: string) => Effect.Effect<ReadonlyArray<Apps.Row>, Failure.Failure>
  /** The pids of an app by its exact bundle id: none, one, or, oddly, several. */
  readonly pids: (udid: string, bundle: string) => Effect.Effect<ReadonlyArray<number>, Failure.Failure>
  readonly openUrl: (udid: string, url: string) => Effect.Effect<void, Failure.Failure>
  readonly screenshot: (udid: string, file: string) => Effect.Effect<void, Failure.Failure>
  readonly push: (udid: string, bundle: string, file: string) => Effect.Effect<void, Failure.Failure>
  readonly privacy: (
    udid: string,
    action: "grant" | "revoke" | "reset",
    service: string,
    bundle?: string
  ) => Effect.Effect<void, Failure.Failure>
  /** Sets a place; without one the simulation ends. */
  readonly location: (
    udid: string,
    place: { readonly latitude: number; readonly longitude: number } | undefined
  ) => Effect.Effect<void, Failure.Failure>
  /** Reads or sets an option of the user interface; answers with its value. */
  readonly ui: (udid: string, option: UiOption, value?: string) => Effect.Effect<string, Failure.Failure>
  /** Overrides what the status bar shows, by the options of `simctl status_bar`; without any the overrides end. */
  readonly statusBar: (
    udid: string,
    overrides: { readonly [option: string]: string }
  ) => Effect.Effect<void, Failure.Failure>
  /** Log lines as they come; the process ends with the stream. */
  readonly log: (udid: string, query: LogQuery) => Stream.Stream<string, Failure.Failure>
  /** Log lines of the time that has passed, such as `5m`. */
  readonly logShow: (udid: string, last: string, query: LogQuery) => Effect.Effect<string, Failure.Failure>
}

const uuid = /^[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}$/i

const garbage = (call: Failure.Call, excerpt: string) =>
  new Failure.GarbageOutput({ ...Failure.about(call), excerpt: excerpt.slice(0, 300) })

/** Reads a call's output, or says that it cannot be read. */
const read =
  <A>(parse: (stdout: string) => Result.Result<A, string>) =>
  (call: Failure.Call): Effect.Effect<A, Failure.GarbageOutput> =>
    Effect.fromResult(Result.mapError(parse(call.stdout), (excerpt) => garbage(call, excerpt)))

const newUdid = (call: Failure.Call): Effect.Effect<string, Failure.GarbageOutput> => {
  const udid = call.stdout
    .split(/\r?\n/)
    .map((line) => line.trim())
    .findLast((line) => uuid.test(line))
  return udid === undefined ? Effect.fail(garbage(call, call.stdout)) : Effect.succeed(udid)
}

/** `log show` has a flag for each level where `log stream` has an option. */
const logWords = (query: LogQuery, mode: "stream" | "show") => [
  ...(query.level === undefined || query.level === "default"
    ? []
    : mode === "stream"
      ? ["--level", query.level]
      : query.level === "debug"
        ? ["--info", "--debug"]
        : ["--info"]),
  ...(query.predicate === undefined ? [] : ["--predicate", query.predicate])
]

const changing = (state: string) => state === "Shutting Down" || state === "Creating"

/** simctl with these options. */
export const make = Effect.fnUntraced(function* (options: Runner.Options) {
  const runner = yield* Runner.make(options)
  const { simctl } = runner
  const quick = (...words: ReadonlyArray<string>) => simctl(words, { within: within.quick })

  const list = Effect.flatMap(simctl(["list", "-j"], { within: within.list }), read(Listing.parse))
  const stateOf = (udid: string) =>
    Effect.map(list, ({ devices }) => devices.find((device) => device.udid === udid)?.state ?? "")

  const boot = (udid: string): Effect.Effect<Done, Failure.Failure> =>
    simctl(["boot", udid], { within: within.boot }).pipe(
      Effect.as({ already: false }),
      Effect.catchTag("AlreadyInState", (error) =>
        error.state === "Booted" || error.state === "Booting" ? Effect.succeed({ already: true }) : Effect.fail(error)
      )
    )

  /** The state once the device is not on its way to another. */
  const settled = (udid: string) =>
    stateOf(udid).pipe(
      Effect.repeat({ schedule: Schedule.spaced("500 millis"), times: 60, while: changing }),
      Effect.andThen(stateOf(udid))
    )

  const bootReady = Effect.fnUntraced(function* (udid: string) {
    const first = yield* stateOf(udid)
    const state = changing(first) ? yield* settled(udid) : first
    const { already } = state === "Booted" ? { already: true } : yield* boot(udid)
    // Without `-b`, which races with whoever else boots it. It only looks on, so it does not hold the queue.
    const status = yield* simctl(["bootstatus", udid], { within: within.bootstatus, aside: true })
    const outcome = BootStatus.outcome(status.stdout)
    if (outcome._tag === "Ready") return { already: already && outcome.already }
    const detail = outcome._tag === "Failed" ? outcome.message : `still starting: ${outcome.message}`
    return yield* new Failure.BootFailed({ ...Failure.about(status), detail })
  })

  const container = (udid: string, bundle: string, which: string) =>
    Effect.map(quick("get_app_container", udid, bundle, which), ({ stdout }) => stdout.trim())

  const rows = (udid: string) =>
    Effect.map(quick("spawn", udid, "launchctl", "list"), ({ stdout }) => Apps.parseRows(stdout))

  const installed = (udid: string) => Effect.flatMap(quick("listapps", udid), read(Apps.parseApps))

  /** All processes of the host, or those of some pids, with when they started. */
  const processes = (pids: ReadonlyArray<number> = []) =>
    runner
      .tool(
        ["/bin/ps", ...(pids.length === 0 ? ["-axww"] : ["-ww", "-p", pids.join(",")]), "-o", "pid=,lstart=,command="],
        within.quick
      )
      .pipe(Effect.map(({ stdout }) => Apps.parseProcesses(stdout)))

  /** Processes of the host that run an app's executable, for when launchctl has no row of it. */
  const onHost = Effect.fnUntraced(function* (udid: string, bundle: string) {
    const found = (yield* installed(udid)).find((app) => app.bundle === bundle)
    if (found === undefined || found.executable === "") return []
    return Apps.runningFrom(yield* processes(), found.path, found.executable).map(({ pid }) => pid)
  })

  const pids = Effect.fnUntraced(function* (udid: string, bundle: string) {
    const listed = Apps.pidsOf(yield* rows(udid), bundle)
    if (listed.length === 0) return yield* onHost(udid, bundle)
    // A row may keep the pid of a process that is gone and whose number somebody else has by now.
    const alive = yield* Effect.option(processes(listed))
    // Without a process table the rows are all that is known.
    if (Option.isNone(alive)) return listed
    const ours = alive.value.filter(({ command }) => command.includes(`/${udid}/`) || command.includes("/RuntimeRoot/"))
    return ours.length > 0 ? ours.map(({ pid }) => pid) : yield* onHost(udid, bundle)
  })

  const launch = Effect.fnUntraced(function* (udid: string, bundle: string, how: Launch) {
    const words = [
      "launch",
      ...(how.waitForDebugger === true ? ["--wait-for-debugger"] : []),
      ...(how.terminateExisting === true ? ["--terminate-running-process"] : []),
      ...(how.stdout === undefined ? [] : [`--stdout=${how.stdout}`]),
      ...(how.stderr === undefined ? [] : [`--stderr=${how.stderr}`]),
      udid,
      bundle,
      ...(how.args ?? [])
    ]
    const environment = Object.fromEntries(
      Object.entries(how.env ?? {}).map(([name, value]) => [`SIMCTL_CHILD_${name}`, value])
    )
    const call = yield* simctl(words, { within: within.launch, environment }).pipe(
      Effect.retry({
        while: (error) => error._tag === "LaunchDenied",
        schedule: Schedule.spaced("1 second"),
        times: 3
      }),
      Effect.catchTag("LaunchRefused", (error) =>
        // It says the same of an app that is not there and of one that cannot run.
        Effect.andThen(container(udid, bundle, "app"), Effect.fail<Failure.Failure>(error))
      )
    )
    const pid = Apps.launchedPid(call.stdout, bundle)
    if (pid !== undefined) return pid
    const [found] = yield* pids(udid, bundle)
    return found ?? (yield* garbage(call, call.stdout === "" ? "nothing, and the app does not run" : call.stdout))
  })

  const service: Simctl = {
    runner,
    list,
    devices: Effect.map(list, ({ devices }) => devices),
    create: (name, type, runtime) =>
      Effect.flatMap(
        simctl(["create", name, type, ...(runtime === undefined ? [] : [runtime])], { within: within.boot }),
        newUdid
      ),
    clone: (udid, name) => Effect.flatMap(simctl(["clone", udid, name], { within: within.install }), newUdid),
    delete: (udid) => Effect.asVoid(simctl(["delete", udid], { within: within.boot })),
    erase: (udid) => Effect.asVoid(simctl(["erase", udid], { within: within.boot })),
    bootReady,
    boot,
    shutdown: (udid) =>
      simctl(["shutdown", udid], { within: within.boot }).pipe(
        Effect.as({ already: false }),
        Effect.catchTag("AlreadyInState", (error) =>
          error.state === "Shutdown" || error.state === "Shutting Down"
            ? Effect.succeed({ already: true })
            : Effect.fail(error)
        )
      ),
    install: (udid, path) => Effect.asVoid(simctl(["install", udid, path], { within: within.install })),
    uninstall: (udid, bundle) => Effect.asVoid(simctl(["uninstall", udid, bundle], { within: within.install })),
    apps: installed,
    container,
    launch,
    terminate: (udid, bundle) =>
      quick("terminate", udid, bundle).pipe(
        Effect.as({ already: false }),
        Effect.catchTag("NotRunning", () => Effect.succeed({ already: true }))
      ),
    rows,
    pids,
    openUrl: (udid, url) => Effect.asVoid(simctl(["openurl", udid, url], { within: within.launch })),
    screenshot: (udid, file) => Effect.asVoid(simctl(["io", udid, "screenshot", file], { within: within.launch })),
    push: (udid, bundle, file) => Effect.asVoid(quick("push", udid, bundle, file)),
    privacy: (udid, action, service, bundle) =>
      Effect.asVoid(quick("privacy", udid, action, service, ...(bundle === undefined ? [] : [bundle]))),
    location: (udid, place) =>
      Effect.asVoid(
        place === undefined
          ? quick("location", udid, "clear")
          : quick("location", udid, "set", `${place.latitude},${place.longitude}`)
      ),
    ui: (udid, option, value) =>
      Effect.flatMap(quick("ui", udid, option, ...(value === undefined ? [] : [value])), (call) =>
        // A value that it does not know is told on stderr alone; the exit status is 0.
        /Invalid argument/i.test(call.stderr)
          ? Effect.fail(new Failure.Other({ ...Failure.about(call), detail: `${option} cannot be '${value ?? ""}'` }))
          : Effect.succeed(value ?? call.stdout.trim())
      ),
    statusBar: (udid, overrides) => {
      const words = Object.entries(overrides).flatMap(([option, value]) => [`--${option}`, value])
      return Effect.asVoid(
        words.length === 0 ? quick("status_bar", udid, "clear") : quick("status_bar", udid, "override", ...words)
      )
    },
    log: (udid, query) =>
      runner.lines(["spawn", udid, "log", "stream", "--style", "compact", ...logWords(query, "stream")]),
    logShow: (udid, last, query) =>
      Effect.map(
        simctl(["spawn", udid, "log", "show", "--style", "compact", "--last", last, ...logWords(query, "show")], {
          within: within.launch,
          aside: true
        }),
        ({ stdout }) => stdout
      )
  }
  return service
})
