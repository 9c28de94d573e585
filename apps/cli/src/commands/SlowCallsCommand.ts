/**
 * `sigtrap log --slow [N]`: shows the slowest calls of the running daemon. A call that waits for the program is not slow for
 * that: its waiting time is shown apart.
 */
import { type DaemonProtocol, RemoteClient, RuntimeDirectory } from "@sigtrap/host"
import { Errors, Hint } from "@sigtrap/protocol"
import { Sanitise } from "@sigtrap/text"
import { Effect } from "effect"
import * as Arguments from "./Arguments.ts"
import type { Command } from "./ClientCommand.ts"

type Calls = typeof DaemonProtocol.Slow.successSchema.Type.calls

const time = (millis: number): string =>
  millis < 10_000 ? `${millis.toFixed(1)} ms` : `${(millis / 1000).toFixed(1)} s`

const lines = (calls: Calls): ReadonlyArray<string> => {
  const rows = calls.map(({ client, operation, result, session, started, waited_ms, work_ms }) => [
    time(work_ms),
    waited_ms === 0 ? "" : time(waited_ms),
    session === undefined ? operation : `${operation} [${session}]`,
    client,
    new Date(started).toISOString().slice(11, 19),
    result
  ])
  const all = [["work", "waited", "call", "client", "utc", "result"], ...rows]
  const widths = [0, 1, 2, 3, 4, 5].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  return all.map((row) =>
    row
      .map((cell, column) => (column < 2 ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join("  ")
      .trimEnd()
  )
}

const usage = (problem: string) => new Errors.Usage({ problem, near: [], remedies: [Hint.help("log")] })

/** Runs `log --slow`. */
export const slow: Command = Effect.fnUntraced(function* (argv, place) {
  const { flags, values, words } = yield* Effect.fromResult(Arguments.read("log", argv))
  const other = [...flags, ...values.keys()].find((name) =>
    ["audit", "clear", "follow", "source", "level", "match", "session"].includes(name)
  )
  if (other !== undefined) return yield* usage(`--${other} cannot be used with --slow`)
  const limit = Number(words[0] ?? values.get("lines") ?? 10)
  if (words.length > 1 || !Number.isInteger(limit) || limit < 1 || limit > 100) {
    return yield* usage("--slow: write a whole number from 1 to 100")
  }
  const { socket } = yield* RuntimeDirectory.make(place.runtimeDirectory)
  const connection = yield* RemoteClient.dial(socket, { kind: "cli", project: place.directory })
  if (connection === undefined) return { text: "daemon not running\n", data: { running: false, calls: [] } }
  const { calls } = yield* Effect.catchTag(connection.remote["daemon.slow"]({ limit }), "RpcClientError", () =>
    Effect.fail(
      new Errors.DaemonUnreachable({ detail: "the connection broke", remedies: [Hint.local("daemon.status")] })
    )
  )
  const text = calls.length === 0 ? "no calls yet\n" : Sanitise.text(`${lines(calls).join("\n")}\n`)
  return { text, data: { running: true, calls } }
})
