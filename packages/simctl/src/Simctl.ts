/**
 * Typed functions for the simctl commands that debugging an app needs.
 *
 * Devices are named by UDID here; `Selection` finds it. Commands are idempotent: booting a booted device and terminating
 * an app that does not run succeed. `bootReady` returns when apps can be launched.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import type * as Stream from "effect/Stream"
import * as AppCommands from "./AppCommands.ts"
import type * as Apps from "./Apps.ts"
import * as DeviceCommands from "./DeviceCommands.ts"
import type * as Failure from "./Failure.ts"
import type * as Listing from "./Listing.ts"
import * as Runner from "./Runner.ts"

export type { Launch } from "./AppCommands.ts"
export type { Done, LogQuery, UiOption } from "./DeviceCommands.ts"

/** simctl, typed. */
export interface Simctl {
  readonly runner: Runner.Runner
  readonly list: Effect.Effect<Listing.Listing, Failure.Failure>
  readonly devices: Effect.Effect<ReadonlyArray<Listing.Device>, Failure.Failure>
  /** Creates a device and returns its UDID. */
  readonly create: (name: string, type: string, runtime?: string) => Effect.Effect<string, Failure.Failure>
  /** Copies a device and returns the UDID of the copy. */
  readonly clone: (udid: string, name: string) => Effect.Effect<string, Failure.Failure>
  readonly delete: (udid: string) => Effect.Effect<void, Failure.Failure>
  readonly erase: (udid: string) => Effect.Effect<void, Failure.Failure>
  /** Boots a device and waits until apps can be launched. */
  readonly bootReady: (udid: string) => Effect.Effect<DeviceCommands.Done, Failure.Failure>
  /** Boots a device without waiting. */
  readonly boot: (udid: string) => Effect.Effect<DeviceCommands.Done, Failure.Failure>
  readonly shutdown: (udid: string | "all") => Effect.Effect<DeviceCommands.Done, Failure.Failure>
  readonly install: (udid: string, path: string) => Effect.Effect<void, Failure.Failure>
  readonly uninstall: (udid: string, bundle: string) => Effect.Effect<void, Failure.Failure>
  readonly apps: (udid: string) => Effect.Effect<ReadonlyArray<Apps.App>, Failure.Failure>
  readonly container: (udid: string, bundle: string, which: string) => Effect.Effect<string, Failure.Failure>
  /** Launches an app and returns its pid, also if the app has exited already. */
  readonly launch: (udid: string, bundle: string, how: AppCommands.Launch) => Effect.Effect<number, Failure.Failure>
  readonly terminate: (udid: string, bundle: string) => Effect.Effect<DeviceCommands.Done, Failure.Failure>
  /** Returns the rows of `launchctl list` on the device. */
  readonly rows: (udid: string) => Effect.Effect<ReadonlyArray<Apps.Row>, Failure.Failure>
  /** Returns the pids of an app by its exact bundle id; rarely more than one. */
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
  /** Sets the simulated location; `undefined` clears it. */
  readonly location: (
    udid: string,
    place: { readonly latitude: number; readonly longitude: number } | undefined
  ) => Effect.Effect<void, Failure.Failure>
  /** Reads an option of the user interface, or sets it; returns its value. */
  readonly ui: (udid: string, option: DeviceCommands.UiOption, value?: string) => Effect.Effect<string, Failure.Failure>
  /** Overrides the status bar with options of `simctl status_bar`; an empty record clears the overrides. */
  readonly statusBar: (
    udid: string,
    overrides: { readonly [option: string]: string }
  ) => Effect.Effect<void, Failure.Failure>
  /** Streams new log lines; the process ends with the stream. */
  readonly log: (udid: string, query: DeviceCommands.LogQuery) => Stream.Stream<string, Failure.Failure>
  /** Returns the log lines of a time such as `5m` until now. */
  readonly logShow: (
    udid: string,
    last: string,
    query: DeviceCommands.LogQuery
  ) => Effect.Effect<string, Failure.Failure>
}

/** The service of a typed simctl. */
export const Simctl = Context.Service<Simctl>("@sigtrap/simctl/Simctl")

/** Creates a typed simctl. */
export const make = Effect.fnUntraced(function* (options: Runner.Options) {
  const runner = yield* Runner.make(options)
  const simctl: Simctl = { runner, ...DeviceCommands.make(runner), ...AppCommands.make(runner) }
  return simctl
})

/** Provides a typed simctl. */
export const layer = (options: Runner.Options): Layer.Layer<Simctl, never, ChildProcessSpawner.ChildProcessSpawner> =>
  Layer.effect(Simctl, make(options))
