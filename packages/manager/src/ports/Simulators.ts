/**
 * The interface between the manager and simulators.
 *
 * A device is named by its UDID; `choose` finds it. Answers and failures are those of the protocol. Without simulators
 * every request fails.
 */
import { Errors, Hint, type Simulator as Model } from "@sigtrap/protocol"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"

/** Failures of a request. */
export type Failure =
  | Errors.Platform
  | Errors.ToolMissing
  | Errors.DeviceNotFound
  | Errors.ProgramNotFound
  | Errors.ProcessNotFound
  | Errors.LaunchFailed
  | Errors.InvalidState
  | Errors.Permission
  | Errors.AdapterError
  | Errors.RequestTimeout

/** The caller: the environment in which the tools are searched, and the timeout of a call. */
export interface Caller {
  readonly environment: { readonly [name: string]: string }
  readonly deadlineMillis?: number
}

/** A device, and why it was chosen. */
export interface Chosen {
  readonly device: Model.Device
  readonly why: string
}

/** How to launch an app. Paths are absolute. */
export interface Launch {
  readonly args: ReadonlyArray<string>
  readonly env: { readonly [name: string]: string }
  readonly waitForDebugger: boolean
  readonly terminateExisting: boolean
  readonly stdout?: string
  readonly stderr?: string
}

/** Filter of a device's log. */
export interface LogQuery {
  readonly bundle?: string
  readonly predicate?: string
  readonly level: "default" | "info" | "debug"
}

/** `already` is true if nothing had to be done. */
export interface Done {
  readonly already: boolean
}

/** The simulators of one caller. */
export interface Simulators {
  readonly devices: Effect.Effect<ReadonlyArray<Model.Device>, Failure>
  /** Returns the devices of a runtime, by its name or version. */
  readonly ofRuntime: (runtime: string) => Effect.Effect<ReadonlyArray<Model.Device>, Failure>
  readonly runtimes: Effect.Effect<ReadonlyArray<Model.Runtime>, Failure>
  readonly types: Effect.Effect<ReadonlyArray<Model.DeviceType>, Failure>
  /** Returns the device that a selector names; without one, the only booted one. `unavailable` includes those. */
  readonly choose: (selector: string | undefined, unavailable?: boolean) => Effect.Effect<Chosen, Failure>
  readonly create: (name: string, type: string, runtime: string | undefined) => Effect.Effect<string, Failure>
  readonly clone: (udid: string, name: string) => Effect.Effect<string, Failure>
  readonly delete: (udid: string) => Effect.Effect<void, Failure>
  readonly erase: (udid: string) => Effect.Effect<void, Failure>
  /** Boots a device. With `ready` it completes when apps can be launched. */
  readonly boot: (udid: string, ready: boolean) => Effect.Effect<Done, Failure>
  readonly shutdown: (udid: string | "all") => Effect.Effect<Done, Failure>
  /** Installs an app's folder and returns its bundle id, if known. */
  readonly install: (udid: string, path: string) => Effect.Effect<string | undefined, Failure>
  readonly uninstall: (udid: string, bundle: string) => Effect.Effect<Done, Failure>
  readonly apps: (udid: string) => Effect.Effect<ReadonlyArray<Model.App>, Failure>
  readonly container: (udid: string, bundle: string, which: string) => Effect.Effect<string, Failure>
  readonly launch: (udid: string, bundle: string, how: Launch) => Effect.Effect<number, Failure>
  readonly terminate: (udid: string, bundle: string) => Effect.Effect<Done, Failure>
  /** Returns the pid of a running app by its exact bundle id. Fails with a list if there are several. */
  readonly pid: (udid: string, bundle: string) => Effect.Effect<number | undefined, Failure>
  /** Returns why an app does not run (not installed, or not launched), with the apps that do. */
  readonly absent: (device: Model.Device, bundle: string) => Effect.Effect<Errors.ProcessNotFound, Failure>
  readonly openUrl: (udid: string, url: string) => Effect.Effect<void, Failure>
  readonly push: (udid: string, bundle: string, file: string) => Effect.Effect<void, Failure>
  readonly screenshot: (udid: string, file: string) => Effect.Effect<void, Failure>
  readonly privacy: (
    udid: string,
    action: "grant" | "revoke" | "reset",
    service: string,
    bundle: string | undefined
  ) => Effect.Effect<void, Failure>
  readonly location: (
    udid: string,
    place: { readonly latitude: number; readonly longitude: number } | undefined
  ) => Effect.Effect<void, Failure>
  readonly appearance: (udid: string, value: string | undefined) => Effect.Effect<string, Failure>
  readonly statusBar: (udid: string, overrides: { readonly [option: string]: string }) => Effect.Effect<void, Failure>
  readonly logged: (udid: string, last: string, query: LogQuery) => Effect.Effect<ReadonlyArray<string>, Failure>
  /** Log lines as they are written. Their process ends with the stream. */
  readonly log: (udid: string, query: LogQuery) => Stream.Stream<string, Failure>
  readonly check: Effect.Effect<ReadonlyArray<Model.Check>, Failure>
}

/** Provides the simulators of a caller. */
export class SimulatorAccess extends Context.Service<
  SimulatorAccess,
  { readonly of: (caller: Caller) => Effect.Effect<Simulators, Failure> }
>()("@sigtrap/manager/SimulatorAccess") {
  /** No simulators: every request fails and names the operating system. */
  static readonly layerNone = (platform: string) =>
    Layer.succeed(SimulatorAccess, {
      of: () =>
        Effect.fail(
          new Errors.Platform({
            what: "simulators",
            platform,
            remedies: [Hint.remedy("set SIGTRAP_XCRUN to the path of an xcrun")]
          })
        )
    })
}
