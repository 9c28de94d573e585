/**
 * The RPC protocol of a client's connection to the daemon.
 *
 * The client sends a ping every 5 s. It gives a connection up after 60 s without any message, so its calls survive a daemon
 * that is paused for less. That time is monotonic, and time in which this process was paused itself does not count.
 * Fibers: reading the socket and pinging (end with the scope of the layer).
 */
import { MonotonicTime } from "@sigtrap/protocol"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as RpcClient from "effect/rpc/RpcClient"
import { RpcClientError } from "effect/rpc/RpcClientError"
import { isSocketError, type Socket } from "effect/socket/Socket"
import * as Messages from "../socket/Messages.ts"

/** Time between two pings, in milliseconds. */
const INTERVAL = 5000

/** Time without a message after which a connection is given up, in milliseconds. */
const SILENCE = 60_000

/** Longest time between two looks at the clock that is not a pause of this process, in milliseconds. */
const AWAKE = 2 * INTERVAL

/** Returns a clock whose milliseconds are the time in which this process was awake. The pinger measures with them. */
const awake = (clock: Clock.Clock): Clock.Clock => {
  let last = MonotonicTime.read(clock)
  let sum = 0
  const read = () => {
    const now = MonotonicTime.read(clock)
    sum += Math.min(now - last, AWAKE)
    last = now
    return sum
  }
  const nanos = () => BigInt(Math.round(read() * 1e6))
  return {
    currentTimeMillisUnsafe: read,
    currentTimeMillis: Effect.sync(read),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: clock.monotonicTimeNanos,
    sleep: (duration) => clock.sleep(duration)
  }
}

/** Reports a message that could not be written as a broken connection. The library's protocol reports it as a defect. */
const withFailedWrites = (protocol: RpcClient.Protocol["Service"]): RpcClient.Protocol["Service"] => ({
  ...protocol,
  send: (...message) =>
    Effect.catchDefect(protocol.send(...message), (defect) =>
      isSocketError(defect) ? Effect.fail(new RpcClientError({ reason: defect.reason })) : Effect.die(defect)
    )
})

/** Returns the protocol over a socket. `onClosed` is called when the connection has ended or was given up. */
export const layer = <E>(socket: Layer.Layer<Socket, E>, onClosed: () => void): Layer.Layer<RpcClient.Protocol, E> =>
  Layer.unwrap(
    Effect.map(Clock.Clock, (clock) =>
      Layer.effect(
        RpcClient.Protocol,
        Effect.map(
          RpcClient.makeProtocolSocket({
            retryPolicy: Schedule.recurs(0),
            pingInterval: INTERVAL,
            pingTimeout: SILENCE
          }),
          withFailedWrites
        )
      ).pipe(
        Layer.provide(
          Layer.mergeAll(
            Layer.succeed(Clock.Clock, awake(clock)),
            Layer.succeed(RpcClient.ConnectionHooks, {
              onConnect: Effect.void,
              onDisconnect: Effect.sync(onClosed)
            }),
            Messages.client,
            socket
          )
        )
      )
    )
  )
