/**
 * Completes arguments of prompts and resource URIs: sessions, breakpoints, threads, frames, files, simulators. A failure
 * is an empty list, because a completion is only a suggestion.
 */
import { Effect, FileSystem, Option, Path, Predicate } from "effect"
import { type Client, Operations, type Payload } from "@sigtrap/protocol"
import type { Keywords } from "../tools/ToolInput.ts"
import * as OperationData from "../calls/OperationData.ts"

/** The largest number of completions (MCP `completion/complete`). */
const limit = 100

/** The arguments that already have a value. */
type Before = { readonly arguments?: { readonly [name: string]: string } | undefined } | undefined

/** Returns the values that begin with the input. */
export type Completion = (input: string, before?: Before) => Effect.Effect<Array<string>>

/** Returns the field that selects a session; without a name or with `current` it is left out. */
export const sessionField = (name: string | undefined): Keywords =>
  name === undefined || name === "" || name === "current" ? {} : { session: name }

const list = (data: unknown, name: string): ReadonlyArray<Keywords> => {
  const found = Predicate.isReadonlyObject(data) ? data[name] : undefined
  return Array.isArray(found) ? found.filter(Predicate.isReadonlyObject) : []
}

const beginning = (names: ReadonlyArray<string>, input: string) =>
  [...new Set(names)].filter((name) => name.startsWith(input)).slice(0, limit)

/** Makes the completions of one server. */
export const make = Effect.fnUntraced(function* (client: Client.Client["Service"], caller: Payload.Caller) {
  const fs = Option.getOrUndefined(yield* Effect.serviceOption(FileSystem.FileSystem))
  const path = Option.getOrUndefined(yield* Effect.serviceOption(Path.Path))

  const read = (tag: Operations.Tag, fields: Keywords) => OperationData.read(client, caller, tag, fields)

  /** Completes with values from a list in the data of an operation. */
  const fromData =
    (
      tag: Operations.Tag,
      member: string,
      value: (entry: Keywords) => ReadonlyArray<unknown>,
      fields: Keywords = {}
    ): Completion =>
    (input, before) =>
      Effect.map(read(tag, { ...fields, ...sessionField(before?.arguments?.["session"]) }), (data) =>
        beginning(
          list(data, member).flatMap((entry) =>
            value(entry)
              .filter((name) => name !== undefined)
              .map(String)
          ),
          input
        )
      )

  /** Completes a path relative to the caller's directory. */
  const programs: Completion = (input) => {
    if (fs === undefined || path === undefined) return Effect.succeed([])
    const slash = input.lastIndexOf("/") + 1
    const folder = input.slice(0, slash)
    return fs.readDirectory(path.resolve(caller.directory, folder)).pipe(
      Effect.map((names) =>
        beginning(
          names
            .toSorted()
            .filter((name) => !name.startsWith("."))
            .map((name) => `${folder}${name}`),
          input
        )
      ),
      Effect.orElseSucceed(() => [])
    )
  }

  return {
    sessions: ((input) =>
      Effect.map(read("sessions", {}), (data) =>
        beginning([...list(data, "sessions").map(({ name }) => String(name)), "current"], input)
      )) satisfies Completion,
    breakpoints: fromData("breakpoint.list", "breakpoints", ({ id }) => [id]),
    threads: fromData("threads", "threads", ({ id }) => [id]),
    frames: fromData("backtrace", "frames", ({ index }) => [index], { limit }),
    functions: fromData("backtrace", "frames", (frame) => [frame["function"]], { limit }),
    files: ((input, before) =>
      Effect.map(read("files", { limit: 1000, ...sessionField(before?.arguments?.["session"]) }), (data) => {
        const found = Predicate.isReadonlyObject(data) && Array.isArray(data["files"]) ? data["files"] : []
        const names = found.map((file: unknown) => String(Predicate.isReadonlyObject(file) ? file["path"] : file))
        return beginning(names.map((name) => name.split("/").at(-1) ?? name).toSorted(), input)
      })) satisfies Completion,
    devices: fromData("sim.list", "devices", ({ name, udid }) => [name, udid]),
    operations: ((input) =>
      Effect.succeed(
        beginning(
          Operations.all.map(({ _tag }) => _tag),
          input
        )
      )) satisfies Completion,
    programs
  }
})

/** The completions of one server, by argument. */
export type Completions = Effect.Success<ReturnType<typeof make>>
