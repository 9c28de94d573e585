/**
 * One run of a program in which the hits of a watchpoint are counted, to a moment or to a number of hits.
 *
 * On x86-64 a watchpoint stops the program after the instruction that wrote. Each hit is recorded as the address of the next
 * instruction and the bytes after the write. A sum over the records identifies the writes of a run so far.
 */
import type { WriteRuns } from "@sigtrap/manager"
import { Hex, Registers, type Client, type Errors, type StopReply } from "@sigtrap/rsp"
import * as Effect from "effect/Effect"
import * as SignalActions from "./SignalActions.ts"

/** Why a run stopped. `lost`: it ended, or something happened that is not expected. */
export type Arrival = "moment" | "hits" | "lost"

/** The counted writes of one run. */
export interface WriteRun {
  /** Runs on until the moment, or until this number of hits in all. */
  readonly to: (hits: number) => Effect.Effect<Arrival, Errors.RequestError>
  /** The bytes at the first instruction, if they can be read there. */
  readonly initial: Uint8Array | undefined
  readonly hits: () => number
  /** Returns the sum over the first hits, of at least one. */
  readonly sum: (hits: number) => number | undefined
  /** Returns the number of a hit that changed the memory, counted back from the last one; undefined if there is none. */
  readonly change: (nth: number) => number | undefined
  /** The bytes after the last hit in hexadecimal digits, or those at the first instruction. */
  readonly bytes: () => string | undefined
  /** The number of hits at the last end of the function call. */
  readonly ended: () => number
  /** The numbers of hits at the allocation of the memory and at the pass of its address before; undefined if it was not passed. */
  readonly allocated: () => WriteRuns.FoundWrites["allocated"]
}

type Allocation = NonNullable<WriteRuns.WriteSearch["allocation"]>

const addressOf = ({ addresses, thread, threads }: StopReply.Stopped): bigint | undefined =>
  thread === undefined ? undefined : addresses[threads.indexOf(thread)]

const mixed = (sum: number, word: number) => Math.imul(sum ^ word, 0x01000193) ^ (sum >>> 15)

/** Inserts the watchpoint and the breakpoints into a program that is stopped at its first instruction. */
export const make = Effect.fnUntraced(function* (
  client: Client.Client,
  options: Pick<WriteRuns.WriteSearch, "address" | "size" | "until" | "end" | "allocation">,
  heard: () => void
) {
  const { address, allocation, end, size, until } = options
  const moments = [...until]
  const sums: Array<number> = []
  const changes: Array<number> = []
  const initial = yield* client.readMemory(address, size).pipe(
    Effect.map((bytes) => (bytes.length === size ? Hex.encode(bytes) : undefined)),
    Effect.catchTag("RequestFailed", () => Effect.succeed(undefined))
  )
  let bytes = initial
  let at = 0n
  let isUnreadable = false
  let count = 0
  let ended = 0
  let passes = 0
  let passed = 0
  let allocated: WriteRuns.FoundWrites["allocated"]

  /** Inserts the breakpoints of the moment that comes next, and removes all others. */
  const arm = Effect.gen(function* () {
    const [next] = moments
    const wanted = [
      ...(next?.kind === "pass" ? next.addresses : []),
      ...(end === undefined ? [] : [end]),
      ...(allocation === undefined || passes >= allocation.passes ? [] : [allocation.returns])
    ]
    for (const one of client.breakpoints()) {
      if (one.kind === "software" && !wanted.includes(one.address)) yield* client.remove(one)
    }
    for (const one of wanted) yield* client.insert({ kind: "software", address: one })
  })
  /** Counts a signal, or a pass of the moment that comes next. Returns true if it was the last moment. */
  const counted = Effect.gen(function* () {
    if (++count < (moments[0]?.count ?? 0)) return false
    if (moments.length === 1) return true
    moments.shift()
    count = 0
    yield* arm
    return false
  })
  const isNext = (place: bigint) => moments[0]?.kind === "pass" && moments[0].addresses.includes(place)

  yield* client.insert({ kind: "write", address, size })
  yield* arm
  const registers = yield* client.registers
  const sp = Registers.find(registers, "sp")?.number
  const result = Registers.find(registers, "rax")?.number

  const value = (digits: string) => {
    if (digits === "") isUnreadable = true
    const words = [
      Number(at & 0xffffffffn),
      Number.parseInt(digits.slice(0, 8), 16),
      Number.parseInt(digits.slice(8), 16)
    ]
    let sum = sums.at(-1) ?? 0x811c9dc5
    for (const word of words) sum = mixed(sum, Number.isNaN(word) ? 0 : word)
    sums.push(sum)
    if (digits !== bytes) changes.push(sums.length)
    bytes = digits
    heard()
  }

  /** Counts a hit that came with a step. */
  const stepped = Effect.fnUntraced(function* (stop: StopReply.Stopped) {
    at = addressOf(stop) ?? 0n
    value(Hex.encode(yield* client.readMemory(address, size)))
  })

  /** Counts a pass of the address where the memory was allocated. Returns false if that is not possible. */
  const allocating = Effect.fnUntraced(function* ({ passes: wanted, result: given }: Allocation, thread: number) {
    if (result === undefined) return false
    if (Hex.toBigInt(yield* client.readRegister(result, thread)) === given && ++passes === wanted) {
      allocated = { before: passed, at: sums.length }
      yield* arm
    }
    passed = sums.length
    return true
  })

  /** Passes a stop. Returns why the run stops there; undefined if it continues. */
  const pass = Effect.fnUntraced(function* (
    outcome: Client.Outcome,
    limit: number
  ): Effect.fn.Return<Arrival | undefined, Errors.RequestError> {
    if (outcome.kind !== "stopped" || isUnreadable) return "lost"
    const { reason, signal, thread } = outcome
    if (thread === undefined || reason === "exec" || reason === "fork" || reason === "vfork") return "lost"
    if (reason === "watchpoint") return sums.length >= limit ? "hits" : undefined
    if (reason === "trace") return undefined
    const place = addressOf(outcome)
    if (reason === "breakpoint" && place !== undefined) {
      if (isNext(place) && (yield* counted)) return "moment"
      if (place === end) {
        if (sp === undefined) return "lost"
        if (Hex.toBigInt(yield* client.readRegister(sp, thread)) > address) ended = sums.length
      }
      if (allocation !== undefined && place === allocation.returns && passes < allocation.passes) {
        if (!(yield* allocating(allocation, thread))) return "lost"
      }
      const after = yield* client.step(thread)
      if (after.kind === "stopped" && after.reason === "watchpoint") yield* stepped(after)
      return yield* pass(after, limit)
    }
    if (signal === 0 || signal === 5) return "lost"
    const isOwn = !SignalActions.harmless.includes(signal)
    if (isOwn && moments[0]?.kind === "signal" && (yield* counted)) return "moment"
    // The signal is delivered by a step, which ends in its handler or after the next instruction.
    const after = yield* client.run([{ kind: "step", signal, thread }])
    if (after.kind === "stopped" && after.reason === "watchpoint") yield* stepped(after)
    return yield* pass(after, limit)
  })

  const run: WriteRun = {
    to: Effect.fnUntraced(function* (limit) {
      for (;;) {
        const outcome = yield* client.runThroughHits({
          address,
          size,
          hit: (place) => {
            at = place
            return !isUnreadable && sums.length + 1 < limit
          },
          value
        })
        const arrival = yield* pass(outcome, limit)
        if (arrival !== undefined) return arrival
      }
    }),
    initial: initial === undefined ? undefined : Hex.decode(initial),
    hits: () => sums.length,
    sum: (hits) => sums[hits - 1],
    change: (nth) => changes.at(-nth),
    bytes: () => bytes,
    ended: () => ended,
    allocated: () => allocated
  }
  return run
})
