/**
 * What identifies a moment of a program: why it stopped, the stack, and the values of local and global variables. Two runs are
 * only taken for the same if everything that is known of both is equal. Addresses are compared too, because they are not
 * randomized.
 */
import { Errors, type Stop } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as RuntimeFrames from "../../model/RuntimeFrames.ts"
import type { Secrets } from "../../model/secrets/Secrets.ts"
import type { Connection, StackFrame } from "../../ports/Backend.ts"
import type { PastStop } from "../../session/stops/PastStops.ts"

type Reason = Pick<PastStop["stopped"], "reason" | "signal" | "fault_address">

type Place = Pick<StackFrame, "function" | "file" | "line" | "address" | "activation">

/** A variable of a frame, or of none if it is global. Secret values are masked. */
interface KnownValue {
  readonly frame?: number
  readonly name: string
  readonly value: string
}

/** What is known of a moment. */
export interface Evidence {
  readonly stopped: Reason
  readonly threads?: number
  /** From the innermost frame on, as far as they are known. */
  readonly frames: ReadonlyMap<number, Place>
  /** The number of frames; absent if the stack was not read to its end. */
  readonly depth?: number
  readonly values: ReadonlyArray<KnownValue>
}

/** Most frames that are read, most of them whose variables are read, and most global variables. */
const most = { frames: 64, locals: 12, globals: 1000 }

const masked = (secrets: Secrets, name: string, value: string) => secrets.shown({ name, value }, false).value

/** Reads everything that identifies the current stop of a program. */
export const present = Effect.fnUntraced(function* (
  connection: Connection,
  stopped: PastStop["stopped"],
  secrets: Secrets
) {
  const threads = yield* connection.threads
  const thread = stopped.thread ?? threads[0]?.id ?? 0
  const stack = yield* connection.stack(thread, 0, most.frames)
  const own = stack.frames.flatMap((frame, index) => (RuntimeFrames.isUserFrame(frame) ? [{ frame, index }] : []))
  const locals = yield* Effect.forEach(own.slice(0, most.locals), ({ frame, index }) =>
    connection.locals(frame.handle).pipe(
      Effect.map((all) => all.map(({ name, value }) => ({ frame: index, name, value: masked(secrets, name, value) }))),
      Effect.catchTag("AdapterError", () => Effect.succeed([]))
    )
  )
  const globals = yield* connection.inspection.otherGlobals(undefined).pipe(
    Effect.map((all) =>
      all.slice(0, most.globals).map(({ address = "", file = "", name, value }) => ({
        name: [file, name, address].filter((part) => part !== "").join(" "),
        value: masked(secrets, name, value)
      }))
    ),
    Effect.catchTag(["AdapterError", "Unsupported"], () => Effect.succeed([]))
  )
  const evidence: Evidence = {
    stopped,
    threads: threads.length,
    frames: new Map(stack.frames.map((frame, index) => [index, frame])),
    ...(stack.total === undefined ? {} : { depth: stack.total }),
    values: [...locals.flat(), ...globals]
  }
  return evidence
})

/** Returns what was read at a past stop. */
export const past = ({ readings, report, stopped }: PastStop): Evidence => {
  const thread = stopped.thread ?? report?.thread?.id ?? readings?.threads[0]
  const stack = thread === undefined ? undefined : readings?.stack(thread)
  const frames = new Map<number, Place>(stack?.frames.map((frame) => [frame.index, frame]) ?? [])
  const index = report?.user_frame ?? 0
  if (report?.location !== undefined && !frames.has(index)) {
    const { function: name = "", ...place } = report.location
    frames.set(index, { ...place, function: name })
  }
  const values = [...(stack?.frames ?? [])].flatMap((frame) =>
    (readings?.locals(frame.ref) ?? []).map(({ name, value }) => ({ frame: frame.index, name, value }))
  )
  const reported = report?.locals?.map(({ name, value }) => ({ frame: index, name, value })) ?? []
  return {
    stopped,
    ...(report?.threads === undefined ? {} : { threads: report.threads }),
    frames,
    ...(stack?.total === undefined ? {} : { depth: stack.total }),
    values: values.length > 0 ? values : reported
  }
}

/** True if a place is known, without which no moment is identified. */
export const isUsable = ({ frames }: Evidence): boolean => frames.size > 0

const baseName = (file: string) => file.slice(file.lastIndexOf("/") + 1)

/** A frame in a sentence: `walk crash.c:14`. */
export const placeText = ({ address, file, function: name, line }: Place): string =>
  file === undefined || line === undefined ? `${name} ${address ?? ""}`.trim() : `${name} ${baseName(file)}:${line}`

const reasonText = ({ fault_address, reason, signal }: Reason): string =>
  [reason, signal, fault_address === undefined ? undefined : `at ${fault_address}`]
    .filter((part) => part !== undefined)
    .join(" ")

/** Reasons that say the same about a place: what stopped the program there. */
const atPlaces: ReadonlySet<Stop.StopReason> = new Set<Stop.StopReason>([
  "breakpoint",
  "function-breakpoint",
  "instruction-breakpoint",
  "until",
  "step",
  "finish"
])

/** A breakpoint after a write is a stop of the watchpoint in a new run. */
const inNewRun: ReadonlySet<Stop.StopReason> = new Set<Stop.StopReason>([...atPlaces, "watchpoint"])

/** Compares the reason of a stop with that of a new run. */
const sameReason = (a: Reason, b: Reason): boolean =>
  (a.reason === b.reason || (atPlaces.has(a.reason) && inNewRun.has(b.reason))) &&
  a.signal === b.signal &&
  (a.fault_address === undefined || b.fault_address === undefined || a.fault_address === b.fault_address)

const samePlace = (a: Place, b: Place): boolean =>
  (a.function === b.function || a.address !== undefined) &&
  a.file === b.file &&
  a.line === b.line &&
  (a.address === undefined || b.address === undefined || BigInt(a.address) === BigInt(b.address)) &&
  (a.activation === undefined || b.activation === undefined || a.activation === b.activation)

/**
 * Returns the part of a value that is the same in each run: a scalar, or the address in a pointer. A preview of members is cut by
 * time, so structures have none.
 */
const scalarOf = (value: string): string | undefined => {
  const address = /^0x[0-9a-f]+/i.exec(value)?.[0]
  if (address !== undefined) return BigInt(address).toString(16)
  return /[{[]|\.\.\./.test(value) ? undefined : value
}

/** Returns the first difference of a new run from an earlier one, at `moment`; undefined if there is none. */
export const difference = (moment: string, expected: Evidence, got: Evidence): Errors.NotReproduced | undefined => {
  const differs = (at: string, a: string, b: string) =>
    new Errors.NotReproduced({ at: at === "" ? moment : `${moment}, ${at}`, expected: a, got: b })
  const [first, second] = [expected.frames.get(0), got.frames.get(0)]
  const where = (place: Place | undefined) => (place === undefined ? "" : ` in ${placeText(place)}`)
  if (!sameReason(expected.stopped, got.stopped)) {
    return differs("", reasonText(expected.stopped) + where(first), reasonText(got.stopped) + where(second))
  }
  if (expected.threads !== undefined && got.threads !== undefined && expected.threads !== got.threads) {
    return differs("threads", String(expected.threads), String(got.threads))
  }
  for (const [index, place] of expected.frames) {
    const other = got.frames.get(index)
    if (other !== undefined && samePlace(place, other)) continue
    if (other === undefined && got.depth === undefined) continue
    const [a, b] = [placeText(place), other === undefined ? "no frame" : placeText(other)]
    return differs(`frame ${index}`, a, a === b ? `the same at another address` : b)
  }
  if (expected.depth !== undefined && got.depth !== undefined && expected.depth !== got.depth) {
    return differs("the stack", `${expected.depth} frames`, `${got.depth}`)
  }
  const values = new Map(got.values.map((one) => [`${one.frame ?? ""} ${one.name}`, one.value]))
  for (const { frame, name, value } of expected.values) {
    const other = values.get(`${frame ?? ""} ${name}`)
    const [a, b] = [scalarOf(value), other === undefined ? undefined : scalarOf(other)]
    if (other === undefined || a === undefined || b === undefined || a === b) continue
    const place = frame === undefined ? undefined : expected.frames.get(frame)
    return differs(place === undefined ? name : `${name} in ${placeText(place)}`, value, other)
  }
  return undefined
}
