/**
 * `sigtrap serve`: starts the HTTP server of the daemon, or stops it. The server and the sessions are one process then.
 * `--foreground` and `--isolated` run the server in the process of the command instead; the thin client does that.
 */
import { RemoteClient } from "@sigtrap/host"
import * as Listener from "@sigtrap/host/http/Listener"
import * as CollectorAddress from "@sigtrap/host/tracing/CollectorAddress"
import { Errors, Hint } from "@sigtrap/protocol"
import { Effect } from "effect"
import * as Arguments from "./Arguments.ts"
import type { Command } from "./ClientCommand.ts"

const usage = (problem: string, ...words: ReadonlyArray<string>) =>
  new Errors.Usage({ problem, near: [], remedies: [Hint.local("serve", words)] })

/** Runs `serve`. */
export const serve: Command = Effect.fnUntraced(function* (argv, place) {
  const words = yield* Effect.fromResult(Arguments.read("serve", argv))
  const [extra] = words.words
  if (extra !== undefined) return yield* usage(`serve takes no '${extra}'`)
  const connect = {
    runtimeDirectory: place.runtimeDirectory,
    actor: { kind: "cli" as const, project: place.directory }
  }
  if (words.flags.has("stop")) {
    const { remote } = yield* RemoteClient.connect({ ...connect, daemon: "none" })
    const { stopped } = yield* Effect.catchTag(remote["daemon.unserve"](), "RpcClientError", broken)
    return { text: stopped ? "the HTTP server has stopped\n" : "no HTTP server runs\n", data: { stopped } }
  }
  const port = yield* Effect.fromResult(Arguments.port(words.values.get("port"), "serve"))
  const address = words.values.get("address")
  const otlp = words.values.get("trace-otlp") ?? place.environment[CollectorAddress.VARIABLE]
  const { remote } = yield* RemoteClient.connect({ ...connect, daemon: place.self })
  const served = yield* Effect.catchTag(
    remote["daemon.serve"]({
      port,
      ...(address === undefined ? {} : { address }),
      ...(otlp === undefined || otlp === "" ? {} : { otlp })
    }),
    "RpcClientError",
    broken
  )
  const text = `serving ${served.url} · token in ${served.token_file} · reference at /reference\n`
  return { text: `${Listener.exposed(served.address)}${text}`, data: served }
})

const broken = () =>
  Effect.fail(new Errors.DaemonUnreachable({ detail: "the connection broke", remedies: [Hint.local("daemon.status")] }))
