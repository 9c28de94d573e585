/**
 * What the manager needs of simulated devices: an interface and nothing else.
 *
 * A device is named by its UDID; `choose` finds it. Answers are models of the protocol, failures are errors of the
 * contract that say what to do. Where there are no simulators, asking for them is the failure.
 */
import { Errors, Hint, type Simulator as Model } from "@sigtrap/protocol"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"

/** What any of it can fail with. */
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

/** For whom it is asked: the environment in which the tools are found, and the longest time of a call. */
export interface Caller {
  readonly environment: { readonly [name: string]: string }
  readonly deadlineMillis?: number
}

/** A device, and why it is the one. */
export interface Chosen {
  readonly device: Model.Device
  readonly why: string
}

/** How an app is launched; paths are absolute. */
export interface Launch {
  readonly args: ReadonlyArray<string>
  readonly env: { readonly [name: string]: string }
  readonly waitForDebugger: boolean
  readonly terminateExisting: boolean
  readonly stdout?: string
  readonly stderr?: string
}

/** What of a device's log is wanted. */
export interface LogQuery {
  readonly bundle?: string
  readonly predicate?: string
  readonly level: "default" | "info" | "debug"
}

/** Whether it was so already. */
export interface Done {
  readonly already: boolean
}

/** The simulators of one caller. */
export interface Simulators {
  readonly devices: Effect.Effect<ReadonlyArray<Model.Device>, Failure>
  /** The devices of a runtime, as a caller writes it. */
  readonly ofRuntime: (runtime: string) => Effect.Effect<ReadonlyArray<Model.Device>, Failure>
  readonly runtimes: Effect.Effect<ReadonlyArray<Model.Runtime>, Failure>
  readonly types: Effect.Effect<ReadonlyArray<Model.DeviceType>, Failure>
  /** The device that a selector means, without one the only booted one; `unavailable` ones may be meant. */
  readonly choose: (selector: string | undefined, unavailable?: boolean) => Effect.Effect<Chosen, Failure>
  readonly create: (name: string, type: string, runtime: string | undefined) => Effect.Effect<string, Failure>
  readonly clone: (udid: string, name: string) => Effect.Effect<string, Failure>
  readonly delete: (udid: string) => Effect.Effect<void, Failure>
  readonly erase: (udid: string) => Effect.Effect<void, Failure>
  /** Boots; with `ready` it answers when apps can be launched. */
  readonly boot: (udid: string, ready: boolean) => Effect.Effect<Done, Failure>
  readonly shutdown: (udid: string | "all") => Effect.Effect<Done, Failure>
  /** Installs a folder; answers with the bundle id where it can be told. */
  readonly install: (udid: string, path: string) => Effect.Effect<string | undefined, Failure>
  readonly uninstall: (udid: string, bundle: string) => Effect.Effect<Done, Failure>
  readonly apps: (udid: string) => Effect.Effect<ReadonlyArray<Model.App>, Failure>
  readonly container: (udid: string, bundle: string, which: string) => Effect.Effect<string, Failure>
  readonly launch: (udid: string, bundle: string, how: Launch) => Effect.Effect<number, Failure>
  readonly terminate: (udid: string, bundle: string) => Effect.Effect<Done, Failure>
  /** The pid of a running app by its exact bundle id; several are a failure that lists them. */
  readonly pid: (udid: string, bundle: string) => Effect.Effect<number | undefined, Failure>
  /** Why an app does not run: it is not installed, or installed and not launched; with what runs. */
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
  /** Log lines as they come; whatever makes them ends with the stream. */
  readonly log: (udid: string, query: LogQuery) => Stream.Stream<string, Failure>
  readonly check: Effect.Effect<ReadonlyArray<Model.Check>, Failure>
}

/** The service: simulators for a caller, at once a failure where there are none. */
export class SimulatorAccess extends Context.Service<
  SimulatorAccess,
  { readonly of: (caller: Caller) => Effect.Effect<Simulators, Failure> }
>()("@sigtrap/manager/SimulatorAccess") {
  /** No simulators: every call fails at once and names the operating system. */
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
