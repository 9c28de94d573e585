/**
 * The request of a session as it is recorded: its launch, the file of its program, and the session's own properties.
 */
import { Caller, Field, Settings, type Operations } from "@sigtrap/protocol"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type { SourceRoots } from "../model/sources/SourceRoots.ts"
import * as CoreFile from "../model/cores/CoreFile.ts"
import type { FileReader } from "../ports/FileReader.ts"
import type { LaunchRequest } from "../ports/Backend.ts"
import type * as Intent from "../ports/Intent.ts"
import * as RecordedLaunch from "./RecordedLaunch.ts"
import type * as RecordedEnvironment from "./RecordedEnvironment.ts"

/** Services of recording. */
export interface Services {
  readonly store: RecordedEnvironment.Store
  readonly fs: FileSystem.FileSystem
  readonly reader: FileReader["Service"]
}

/** Properties of a session that are recorded. */
export type Properties = Partial<
  Pick<Operations.Payload<"start">, "stop_at_main" | "label" | "ttl" | "read_only" | "deny" | "directory">
>

/** Describes the file of a program; none if it cannot be read. */
export const fileOf = (
  program: string,
  { fs, reader }: Pick<Services, "fs" | "reader">
): Effect.Effect<Intent.ProgramFile | undefined> =>
  Effect.gen(function* () {
    if (program === "") return undefined
    const { mtime, size, type } = yield* fs.stat(program)
    if (type !== "File") return undefined
    const build = yield* CoreFile.buildId(program, reader)
    return {
      size: Number(size),
      modified: Option.match(mtime, { onNone: () => 0, onSome: (date) => date.getTime() }),
      ...(build === undefined ? {} : { build })
    }
  }).pipe(Effect.orElseSucceed(() => undefined))

/** True if two files of a program are different builds. Without build ids, size and time are compared. */
export const isRebuilt = (one: Intent.ProgramFile | undefined, other: Intent.ProgramFile | undefined): boolean => {
  if (one === undefined || other === undefined) return one !== other
  if (one.build !== undefined && other.build !== undefined) return one.build !== other.build
  return one.size !== other.size || one.modified !== other.modified
}

/** The settings of a session that is not recorded. */
export const off: Settings.Values = { "intent.store": "false" }

/** True if recording is off. */
export const isOff = (settings: Settings.Values | undefined): boolean =>
  Settings.text(settings, "intent.store") === "false"

/** Returns the request of a new session; none if recording is off, or for an app that only a simulator can start. */
export const make = Effect.fnUntraced(function* (
  launch: LaunchRequest,
  asked: Properties,
  roots: SourceRoots,
  services: Services
) {
  const { deny = [], directory, label, read_only, stop_at_main, ttl } = asked
  if (isOff(launch.settings)) return undefined
  if (launch.existing?.kind === "process" && launch.existing.release !== undefined) return undefined
  const file = yield* fileOf(launch.program, services)
  const request: Intent.Request = {
    time: yield* Clock.currentTimeMillis,
    launch: RecordedLaunch.record(launch, services.store),
    ...(file === undefined ? {} : { file }),
    stopAtMain: stop_at_main ?? false,
    ...(label === undefined ? {} : { label }),
    ...(ttl === undefined || !Number.isFinite(Field.millis(ttl)) ? {} : { ttl: Field.millis(ttl) }),
    readOnly: read_only === true,
    deny,
    roots,
    beganBy: (yield* Caller.Current).actor,
    ...(directory === undefined ? {} : { directory })
  }
  return request
})

/** Returns the request of a session whose program is started again; none if the session was not recorded. */
export const ofRestart = Effect.fnUntraced(function* (
  before: Intent.Request | undefined,
  launch: LaunchRequest,
  services: Services
) {
  if (before === undefined) return undefined
  const { file: _, ...kept } = before
  const file = yield* fileOf(launch.program, services)
  const request: Intent.Request = {
    ...kept,
    time: yield* Clock.currentTimeMillis,
    launch: RecordedLaunch.record(launch, services.store),
    ...(file === undefined ? {} : { file })
  }
  return request
})
