/**
 * The trace points of one run: breakpoints at which values are read from memory, without symbols.
 */
import { TracedValue, type ProgramRuns } from "@sigtrap/manager"
import { MonotonicTime } from "@sigtrap/protocol"
import { Hex, Registers, type Client, type Errors, type StopReply } from "@sigtrap/rsp"
import * as Effect from "effect/Effect"

/** The trace points of one run. */
export interface RunTrace {
  /** Inserts the breakpoints. Called when the program is at its entry point. */
  readonly arm: (entry: bigint) => Effect.Effect<void, Errors.RequestError>
  /** Records a stop of a thread. Returns false if no trace point is at the address. */
  readonly record: (
    stop: StopReply.Stopped,
    address: bigint,
    thread: number
  ) => Effect.Effect<boolean, Errors.RequestError>
  /** Returns what was recorded. */
  readonly traced: () => ProgramRuns.Traced
}

/** Most bytes that are read at once. */
const mostTogether = 1024

const nothing = new Uint8Array()

/** Makes the trace points of a run. */
export const make = (
  client: Client.Client,
  { newest, points }: NonNullable<ProgramRuns.RunOptions["trace"]>
): RunTrace => {
  let byAddress: ReadonlyMap<bigint, ProgramRuns.TracedPoint> = new Map()
  let begin = 0n
  const counts = new Map<number, number>()
  let hits: Array<ProgramRuns.TracedHit> = []
  let since: number | undefined

  /** The frame pointer of a thread. Most servers send it with the stop. */
  const framePointer = Effect.fnUntraced(function* ({ registers }: StopReply.Stopped, thread: number) {
    const number = Registers.find(yield* client.registers, "fp")?.number
    if (number === undefined) return undefined
    return Hex.toBigInt(registers.get(number) ?? (yield* client.readRegister(number, thread)))
  })

  /** Reads the fields of one base, those of a frame together. An unreadable value is `<unknown>`. */
  const textsOf = Effect.fnUntraced(function* (fields: ReadonlyArray<ProgramRuns.TracedField>, from: bigint) {
    const low = fields.reduce((least, { offset }) => (offset < least ? offset : least), fields[0]?.offset ?? 0n)
    const size = fields.reduce((most, field) => Math.max(most, Number(field.offset - low) + field.size), 0)
    const read = (offset: bigint, count: number) =>
      client.readMemory(from + offset, count).pipe(Effect.catchTag("RequestFailed", () => Effect.succeed(nothing)))
    const whole = size <= mostTogether ? yield* read(low, size) : undefined
    return yield* Effect.forEach(fields, (field) => {
      const at = Number(field.offset - low)
      const bytes =
        whole === undefined ? read(field.offset, field.size) : Effect.succeed(whole.subarray(at, at + field.size))
      return Effect.map(bytes, (found) => ({ field, text: TracedValue.textOf(field, found) }))
    })
  })

  return {
    arm: Effect.fnUntraced(function* (entry) {
      since ??= yield* MonotonicTime.now
      begin = entry
      byAddress = new Map(points.map((point) => [entry + point.address, point]))
      for (const address of byAddress.keys()) yield* client.insert({ kind: "software", address })
    }),
    record: Effect.fnUntraced(function* (stop, address, thread) {
      const point = byAddress.get(address)
      if (point === undefined) return false
      const now = yield* MonotonicTime.now
      const frame = point.fields.some(({ base }) => base === "frame") ? yield* framePointer(stop, thread) : undefined
      const inFrame =
        frame === undefined
          ? []
          : yield* textsOf(
              point.fields.filter(({ base }) => base === "frame"),
              frame
            )
      const statics = point.fields.filter(({ base }) => base === "static")
      const texts = [...inFrame, ...(statics.length === 0 ? [] : yield* textsOf(statics, begin))]
      const values = point.fields.map((field) => texts.find((one) => one.field === field)?.text ?? "<unknown>")
      counts.set(point.id, (counts.get(point.id) ?? 0) + 1)
      hits.push({ id: point.id, thread, time: Math.round((now - (since ?? now)) * 1000) / 1000, values })
      if (hits.length >= 2 * newest) hits = hits.slice(-newest)
      return true
    }),
    traced: () => ({ hits: hits.slice(-newest), counts })
  }
}
