/**
 * Names that exist now, for whoever fills in a prompt or the address of a resource: sessions, breakpoints, threads, frames,
 * files, devices. A completion that cannot be had is an empty list, never an error: nobody asked a question.
 */
import { Effect, FileSystem, Option, Path, Predicate } from "effect"
import { type Client, Operations, Payload } from "@sigtrap/protocol"
import type { Keywords } from "../tools/ToolInput.ts"

/** Most names of one completion, as the protocol has it. */
const most = 100

/** The values that were filled in before the one that is being completed. */
type Before = { readonly arguments?: { readonly [name: string]: string } | undefined } | undefined

/** One completion: what begins like the input. */
export type Completion = (input: string, before?: Before) => Effect.Effect<Array<string>>

/** A session as a field: the word `current` stands for the one that is meant when none is named. */
export const sessionField = (name: string | undefined): Keywords =>
  name === undefined || name === "" || name === "current" ? {} : { session: name }

const list = (data: unknown, name: string): ReadonlyArray<Keywords> => {
  const found = Predicate.isReadonlyObject(data) ? data[name] : undefined
  return Array.isArray(found) ? found.filter(Predicate.isReadonlyObject) : []
}

const beginning = (names: ReadonlyArray<string>, input: string) =>
  [...new Set(names)].filter((name) => name.startsWith(input)).slice(0, most)

/** The completions of one server. */
export const make = Effect.fnUntraced(function* (client: Client.Client["Service"], caller: Payload.Caller) {
  const fs = Option.getOrUndefined(yield* Effect.serviceOption(FileSystem.FileSystem))
  const path = Option.getOrUndefined(yield* Effect.serviceOption(Path.Path))

  /** The data of a reading operation; nothing when it fails or does not exist. */
  const read = (tag: string, fields: Keywords): Effect.Effect<unknown> => {
    const operation = Operations.find(tag)
    if (operation === undefined) return Effect.undefined
    return Payload.decode(operation, Payload.fill(operation, fields, caller)).pipe(
      Effect.flatMap((payload) => client.callAny(operation, payload)),
      Effect.map(({ data }) => data),
      Effect.orElseSucceed(() => undefined)
    )
  }

  const from =
    (
      tag: string,
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

  /** Files below the caller's directory that can be run or debugged: a path as far as it was written. */
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
    breakpoints: from("breakpoint.list", "breakpoints", ({ id }) => [id]),
    threads: from("threads", "threads", ({ id }) => [id]),
    frames: from("backtrace", "frames", ({ index }) => [index], { limit: most }),
    functions: from("backtrace", "frames", (frame) => [frame["function"]], { limit: most }),
    files: ((input, before) =>
      Effect.map(read("files", { limit: 1000, ...sessionField(before?.arguments?.["session"]) }), (data) => {
        const found = Predicate.isReadonlyObject(data) && Array.isArray(data["files"]) ? data["files"] : []
        const names = found.map((file: unknown) => String(Predicate.isReadonlyObject(file) ? file["path"] : file))
        return beginning(names.map((name) => name.split("/").at(-1) ?? name).toSorted(), input)
      })) satisfies Completion,
    devices: from("sim.list", "devices", ({ name, udid }) => [name, udid]),
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

/** The completions of one server, by what they complete. */
export type Completions = Effect.Success<ReturnType<typeof make>>
