/**
 * The connection of a command that only the owner of the daemon's socket may run, such as `grant` and `web`.
 */
import { CommandLineActor, RemoteClient } from "@sigtrap/host"
import { Effect } from "effect"
import * as StandardStreams from "../thin/StandardStreams.ts"
import type { Place } from "./ClientCommand.ts"

/** Connects as the person or program of this command line; starts the daemon if it does not run. */
export const open = (place: Place): Effect.Effect<RemoteClient.Connection, RemoteClient.Refused> => {
  const origin = StandardStreams.origin()
  const name = place.environment["SIGTRAP_AS"]
  const client = { kind: "cli", project: place.directory, ...(name === undefined ? {} : { name }) } as const
  // Without a terminal the parent is the client process, whose name says nothing.
  const named = origin.device === undefined ? Effect.succeed(client) : CommandLineActor.of(client, origin)
  return Effect.flatMap(named, (actor) =>
    RemoteClient.connect({ runtimeDirectory: place.runtimeDirectory, daemon: place.self, actor })
  )
}
