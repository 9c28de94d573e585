/**
 * Memory by the requests `readMemory` and `writeMemory` (DAP).
 */
import { Requests, type Client, type Errors as Dap } from "@sigtrap/dap"
import type { Backend, Inspection } from "@sigtrap/manager"
import * as Base64 from "effect/encoding/Base64"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"

/** The parts of a connection that this module uses. */
export interface Options {
  readonly client: Client.Client
  readonly failed: (error: Dap.RequestError) => Backend.Failure
}

/** The smallest unit of memory that is readable or not as a whole, in bytes. */
const pageSize = 4096n

const hex = (address: bigint) => `0x${address.toString(16)}`

const readRange = ({ client, failed }: Options, address: bigint, count: number) =>
  client.request(Requests.ReadMemory, { memoryReference: hex(address), count }).pipe(
    Effect.mapError(failed),
    Effect.map((body) => {
      const decoded = Base64.decode(body.data ?? "")
      return Result.isSuccess(decoded) ? decoded.success.subarray(0, count) : new Uint8Array(0)
    })
  )

/** Reads memory. Some adapters refuse a range with one unreadable byte; its pages are read one by one then. */
export const read = (options: Options): Inspection.Inspection["memory"] =>
  Effect.fnUntraced(function* (address, count) {
    const bytes = new Uint8Array(count)
    const unreadable: Array<readonly [number, number]> = []
    const gap = (from: number, to: number) => {
      const last = unreadable.at(-1)
      if (from === to) return
      if (last?.[1] === from) unreadable[unreadable.length - 1] = [last[0], to]
      else unreadable.push([from, to])
    }
    const whole = yield* Effect.exit(readRange(options, address, count))
    if (Exit.isSuccess(whole)) {
      bytes.set(whole.value)
      gap(whole.value.length, count)
      return { bytes, unreadable, by: "dap" as const }
    }
    for (let offset = 0; offset < count;) {
      const at = address + BigInt(offset)
      const length = Math.min(count - offset, Number(pageSize - (at % pageSize)))
      const found = yield* readRange(options, at, length).pipe(
        Effect.catchTag("AdapterError", () => Effect.succeed(new Uint8Array(0)))
      )
      bytes.set(found, offset)
      gap(offset + found.length, offset + length)
      offset += length
    }
    return { bytes, unreadable, by: "dap" as const }
  })

/** Writes memory. */
export const write =
  ({ client, failed }: Options): Inspection.Inspection["write"] =>
  (address, bytes) =>
    client
      .request(Requests.WriteMemory, { memoryReference: hex(address), data: Base64.encode(bytes) })
      .pipe(Effect.mapError(failed), Effect.as("dap" as const))
