/**
 * The commands of simctl about the apps of a booted device: installing, launching, terminating, and finding their pids.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Apps from "./Apps.ts"
import { read, unreadable, timeouts } from "./Calls.ts"
import type { Done } from "./DeviceCommands.ts"
import type * as Failure from "./Failure.ts"
import type * as Runner from "./Runner.ts"

/** How an app is launched. */
export interface Launch {
  readonly args?: ReadonlyArray<string>
  /** Environment variables of the app. */
  readonly env?: { readonly [name: string]: string }
  /** Stops the app before its first instruction until a debugger attaches and resumes it. */
  readonly waitForDebugger?: boolean
  /** Terminates a running instance first; otherwise the pid of that one is returned. */
  readonly terminateExisting?: boolean
  /** Absolute paths of the files for its output. */
  readonly stdout?: string
  readonly stderr?: string
}

const launchWords = (udid: string, bundle: string, how: Launch) => [
  "launch",
  ...(how.waitForDebugger === true ? ["--wait-for-debugger"] : []),
  ...(how.terminateExisting === true ? ["--terminate-running-process"] : []),
  ...(how.stdout === undefined ? [] : [`--stdout=${how.stdout}`]),
  ...(how.stderr === undefined ? [] : [`--stderr=${how.stderr}`]),
  udid,
  bundle,
  ...(how.args ?? [])
]

/** The commands about apps. */
export const make = (runner: Runner.Runner) => {
  const { simctl } = runner
  const quick = (...words: ReadonlyArray<string>) => simctl(words, { within: timeouts.quick })

  const container = (udid: string, bundle: string, which: string) =>
    Effect.map(quick("get_app_container", udid, bundle, which), ({ stdout }) => stdout.trim())

  const rows = (udid: string) =>
    Effect.map(quick("spawn", udid, "launchctl", "list"), ({ stdout }) => Apps.parseRows(stdout))

  const apps = (udid: string) => Effect.flatMap(quick("listapps", udid), read(Apps.parseApps))

  /** Returns all processes of the host, or those with these pids, with their start times. */
  const processes = (pids: ReadonlyArray<number> = []) =>
    runner
      .tool(
        ["/bin/ps", ...(pids.length === 0 ? ["-axww"] : ["-ww", "-p", pids.join(",")]), "-o", "pid=,lstart=,command="],
        timeouts.quick
      )
      .pipe(Effect.map(({ stdout }) => Apps.parseProcesses(stdout)))

  /** Returns the pids of the host's processes that run an app's executable; used if launchctl has no row for the app. */
  const hostPids = Effect.fnUntraced(function* (udid: string, bundle: string) {
    const app = (yield* apps(udid)).find((one) => one.bundle === bundle)
    if (app === undefined || app.executable === "") return []
    return Apps.runningFrom(yield* processes(), app.path, app.executable).map(({ pid }) => pid)
  })

  const pids = Effect.fn("Simctl.pids")(function* (udid: string, bundle: string) {
    const listed = Apps.pidsOf(yield* rows(udid), bundle)
    if (listed.length === 0) return yield* hostPids(udid, bundle)
    // A row may have the pid of an app that has exited, which another process uses by now.
    const alive = yield* Effect.option(processes(listed))
    // If the process table cannot be read, the rows are all that is known.
    if (Option.isNone(alive)) return listed
    const inDevice = alive.value.filter(
      ({ command }) => command.includes(`/${udid}/`) || command.includes("/RuntimeRoot/")
    )
    return inDevice.length > 0 ? inDevice.map(({ pid }) => pid) : yield* hostPids(udid, bundle)
  })

  const launch = Effect.fn("Simctl.launch")(function* (udid: string, bundle: string, how: Launch) {
    const environment = Object.fromEntries(
      Object.entries(how.env ?? {}).map(([name, value]) => [`SIMCTL_CHILD_${name}`, value])
    )
    const call = yield* simctl(launchWords(udid, bundle, how), { within: timeouts.launch, environment }).pipe(
      Effect.retry({
        while: (error) => error._tag === "LaunchDenied",
        schedule: Schedule.spaced("1 second"),
        times: 3
      }),
      Effect.catchTag("LaunchRefused", (error) =>
        // The failure is the same for an app that is not installed and for one that cannot run; `container` tells them apart.
        Effect.andThen(container(udid, bundle, "app"), Effect.fail<Failure.Failure>(error))
      )
    )
    const pid = Apps.launchedPid(call.stdout, bundle)
    if (pid !== undefined) return pid
    const [found] = yield* pids(udid, bundle)
    return found ?? (yield* unreadable(call, call.stdout === "" ? "nothing, and the app does not run" : call.stdout))
  })

  const terminate = (udid: string, bundle: string): Effect.Effect<Done, Failure.Failure> =>
    quick("terminate", udid, bundle).pipe(
      Effect.as({ already: false }),
      Effect.catchTag("NotRunning", () => Effect.succeed({ already: true }))
    )

  return {
    install: (udid: string, path: string) =>
      Effect.asVoid(simctl(["install", udid, path], { within: timeouts.install })),
    uninstall: (udid: string, bundle: string) =>
      Effect.asVoid(simctl(["uninstall", udid, bundle], { within: timeouts.install })),
    apps,
    container,
    launch,
    terminate,
    rows,
    pids,
    openUrl: (udid: string, url: string) => Effect.asVoid(simctl(["openurl", udid, url], { within: timeouts.launch })),
    push: (udid: string, bundle: string, file: string) => Effect.asVoid(quick("push", udid, bundle, file)),
    privacy: (udid: string, action: "grant" | "revoke" | "reset", service: string, bundle?: string) =>
      Effect.asVoid(quick("privacy", udid, action, service, ...(bundle === undefined ? [] : [bundle])))
  }
}
