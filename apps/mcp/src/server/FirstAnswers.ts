/**
 * Computes the results of `initialize` and `tools/list` for each profile and protocol revision, by a server that reads these messages.
 */
import { Client } from "@sigtrap/protocol"
import { Effect, Layer, Sink, Stdio, Stream } from "effect"
import * as Consent from "../calls/Consent.ts"
import { keyOf } from "../start/Handshake.ts"
import { grantsKey, profilesKey } from "../start/StartArguments.ts"
import * as Profile from "../tools/Profile.ts"
import * as Server from "./Server.ts"

const noCalls = Layer.succeed(Client.Client, {
  call: (tag) => Effect.die(`a first answer calls ${tag}`),
  callAny: ({ _tag }) => Effect.die(`a first answer calls ${_tag}`)
})

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** The messages of a client up to its first list. */
export const hello = (revision: string) => [
  {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: revision, capabilities: {}, clientInfo: { name: "build", version: "1" } }
  },
  { jsonrpc: "2.0", method: "notifications/initialized" },
  { jsonrpc: "2.0", id: 2, method: "tools/list" }
]

/** Returns what a server of a profile writes for the messages. */
export const written = (profile: Profile.Name, version: string, messages: ReadonlyArray<object>) =>
  Effect.gen(function* () {
    let text = ""
    const stdio = Stdio.layerTest({
      stdin: Stream.fromIterable(messages.map((message) => encoder.encode(`${JSON.stringify(message)}\n`))),
      stdout: () =>
        Sink.forEach((chunk: string | Uint8Array) =>
          Effect.sync(() => {
            text += typeof chunk === "string" ? chunk : decoder.decode(chunk)
          })
        )
    })
    const options = { version, caller: { directory: "/", environment: {} }, profile, allow: [], structured: false }
    yield* Effect.provide(Server.run(options), [noCalls, stdio])
    return text
  })

const start = (id: number) => `{"jsonrpc":"2.0","id":${id},"result":`

const resultOf = (lines: ReadonlyArray<string>, id: number): string | undefined =>
  lines
    .find((line) => line.startsWith(start(id)))
    ?.slice(start(id).length)
    .slice(0, -1)

/** Returns the results by key, and the words of `--allow`. A revision has none if the server answers with another one. */
export const texts = Effect.fnUntraced(function* (version: string) {
  const all = new Map([
    [grantsKey, JSON.stringify(Consent.grants)],
    [profilesKey, JSON.stringify(Profile.names)]
  ])
  for (const profile of Profile.names) {
    for (const { protocolVersion } of Server.protocols) {
      const lines = (yield* written(profile, version, hello(protocolVersion))).split("\n")
      const [initialize, tools] = [resultOf(lines, 1), resultOf(lines, 2)]
      if (initialize?.startsWith(`{"protocolVersion":"${protocolVersion}"`) !== true || tools === undefined) continue
      all.set(keyOf(profile, protocolVersion, "initialize"), initialize)
      all.set(keyOf(profile, protocolVersion, "tools/list"), tools)
    }
  }
  return all
})
