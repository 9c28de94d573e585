/**
 * The audit log of the daemon: a record for every operation that was accepted or refused.
 *
 * Recording only appends to a queue. One fiber (ends with the daemon) writes the queue in batches, at most 100 ms later, each
 * with one append. Nothing that goes wrong here fails an operation: a log that cannot be written is reported in the daemon's
 * log, and the number of lost records is written once it can be again.
 */
import { Caller, type Errors, type Operation } from "@sigtrap/protocol"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { closeSync, write } from "node:fs"
import { join } from "node:path"
import { RuntimeDirectory } from "../runtime/RuntimeDirectory.ts"
import * as AuditFiles from "./AuditFiles.ts"
import * as AuditLine from "./AuditLine.ts"
import { AuditRecord, type Pending } from "./AuditRecord.ts"
import * as OwnerRecord from "./OwnerRecord.ts"
import * as RefusalRecord from "./RefusalRecord.ts"

/** Time until a record is written. */
const BATCH = "80 millis"

/** Records that wait for a log that cannot be written. Later ones are counted only. */
const maxQueue = 10_000

/** Records whose lines are computed before other fibers run. */
const turn = 64

/** The audit log. */
export class AuditLog extends Context.Service<
  AuditLog,
  {
    /** Records a call that begins now. Its end is noted with `AuditRecord.end`, then passed to `ended`. */
    readonly begin: (actor: Caller.Actor, operation: Operation.Any, payload: unknown) => AuditRecord
    readonly ended: (record: AuditRecord) => void
    /** Records what the owner did beside operations. */
    readonly acted: (action: OwnerRecord.Action) => void
    /** Records a refusal that did not reach an operation. */
    readonly refused: (refusal: RefusalRecord.Refusal) => void
    /** Writes what is recorded so far. */
    readonly flush: Effect.Effect<void>
  }
>()("@sigtrap/host/AuditLog") {}

/** An open file with the end of the chain in it. */
interface Open {
  readonly descriptor: number
  readonly file: string
  size: number
}

const append = (descriptor: number, text: string) =>
  Effect.callback<number, NodeJS.ErrnoException>((resume) => {
    write(descriptor, text, null, "utf8", (error, written) =>
      resume(error === null ? Effect.succeed(written) : Effect.fail(error))
    )
  })

/** Joins equal reads. Calls that still run get a line only if they can change something. */
const joined = (batch: ReadonlyArray<Pending>) => {
  const all: Array<{ readonly record: Pending; count: number }> = []
  const reads = new Map<string, { count: number }>()
  for (const record of batch) {
    const { key } = record
    const earlier = key === undefined ? undefined : reads.get(key)
    if (record.isChatter) continue
    if (record.outcome === undefined && record.isRead) record.queued = false
    else if (earlier !== undefined) earlier.count += 1
    else {
      const one = { record, count: 1 }
      all.push(one)
      if (key !== undefined) reads.set(key, one)
    }
  }
  return all
}

/** Makes the audit log of a directory. */
export const make = Effect.fnUntraced(function* (directory: string, limits: AuditFiles.Limits = AuditFiles.limits) {
  const clock = yield* Clock.Clock
  const recorded = yield* Latch.make(false)
  let queue: Array<Pending> = []
  let lost = 0
  let failing = false
  let open: Open | undefined
  let seq = 0
  let hash = AuditLine.origin

  const now = () => clock.currentTimeMillisUnsafe()

  const push = (record: Pending) => {
    if (queue.length >= maxQueue) {
      lost += 1
      return
    }
    queue.push(record)
    recorded.openUnsafe()
  }

  const lineOf = (content: (seq: number) => AuditLine.Content): string => {
    seq += 1
    const line = AuditLine.encode(content(seq), hash)
    hash = line.hash
    return `${line.text}\n`
  }

  /** Opens the file for the next batch. Returns the lines that must come before it. */
  const prepare = (): { readonly file: Open; readonly lines: string } => {
    const time = new Date(now()).toISOString()
    let lines = ""
    if (open === undefined) {
      AuditFiles.prepare(directory)
      const end = AuditFiles.end(directory)
      seq = end.seq
      hash = end.hash
      const { file, size } = end
      if (file !== undefined) {
        open = { descriptor: AuditFiles.open(join(directory, file)), file, size }
        if (size === 0) lines += lineOf((number) => ({ seq: number, time, file }))
        if (end.cut > 0) lines += "\n"
        if (end.cut > 0 && !end.complete) lines += lineOf((number) => ({ seq: number, time, cut: end.cut }))
      }
    }
    const file = AuditFiles.next(open?.file, open?.size ?? 0, time.slice(0, 10), limits)
    // What completes an older file is written before the next one begins.
    if (open !== undefined && (open.file === file || lines !== "")) return { file: open, lines }
    if (open !== undefined) closeSync(open.descriptor)
    open = { descriptor: AuditFiles.open(join(directory, file)), file, size: 0 }
    AuditFiles.prune(directory, time.slice(0, 10), limits)
    return { file: open, lines: lineOf((number) => ({ seq: number, time, file })) }
  }

  const writeBatch = Effect.fnUntraced(function* (batch: ReadonlyArray<Pending>) {
    const { file, lines } = prepare()
    const texts = [lines]
    if (lost > 0) {
      const count = lost
      texts.push(lineOf((number) => ({ seq: number, time: new Date(now()).toISOString(), lost: count })))
    }
    for (const [index, { count, record }] of joined(batch).entries()) {
      if (index % turn === turn - 1) yield* Effect.yieldNow
      texts.push(lineOf((number) => record.entry(number, count)))
      if (record.outcome === undefined) {
        record.line = seq
        record.queued = false
      }
    }
    const text = texts.join("")
    if (text === "") return
    const bytes = Buffer.byteLength(text)
    const written = yield* append(file.descriptor, text)
    file.size += written
    if (written < bytes) return yield* Effect.fail(new Error("only a part of the records was written"))
    lost = 0
  })

  const flushOnce = Effect.gen(function* () {
    recorded.closeUnsafe()
    const batch = queue
    queue = []
    yield* Effect.suspend(() => writeBatch(batch)).pipe(
      Effect.andThen(() => (failing ? Effect.logInfo("audit: the log can be written again") : Effect.void)),
      Effect.tap(() =>
        Effect.sync(() => {
          failing = false
        })
      ),
      Effect.catchCause((cause) => {
        // The end of the file is read again, since a part of the batch may be in it.
        if (open !== undefined) closeSync(open.descriptor)
        open = undefined
        lost += batch.length
        for (const record of batch) record.queued = false
        const first = !failing
        failing = true
        return first
          ? Effect.logError("audit: records are lost, the log cannot be written (durable: false)", cause)
          : Effect.void
      })
    )
  })
  const oneAtATime = yield* Semaphore.make(1)
  const flush = Effect.uninterruptible(oneAtATime.withPermit(flushOnce))

  yield* Effect.addFinalizer(() =>
    Effect.andThen(
      flush,
      Effect.sync(() => {
        if (open !== undefined) closeSync(open.descriptor)
        open = undefined
      })
    )
  )
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(recorded.await, Effect.andThen(Effect.sleep(BATCH), flush))))

  return AuditLog.of({
    begin: (actor, operation, payload) => {
      const record = new AuditRecord(now(), actor, operation, payload)
      push(record)
      return record
    },
    ended: (record) => {
      if (record.queued) return
      record.queued = true
      push(record)
    },
    acted: (action) => push(OwnerRecord.make(now(), action)),
    refused: (refusal) => push(RefusalRecord.make(now(), refusal)),
    flush
  })
})

/** The audit log of the runtime directory. */
export const layer = (limits?: Partial<AuditFiles.Limits>): Layer.Layer<AuditLog, never, RuntimeDirectory> =>
  Layer.effect(
    AuditLog,
    Effect.flatMap(RuntimeDirectory, ({ audit }) => make(audit, { ...AuditFiles.limits, ...limits }))
  )

/** Runs a call of an operation and records it. */
export const around = <A extends { readonly session?: string | undefined }, E extends Errors.SigtrapError, R>(
  log: AuditLog["Service"],
  operation: Operation.Any,
  payload: unknown,
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.flatMap(Caller.Current, ({ actor }) => {
    const record = log.begin(actor, operation, payload)
    return Effect.onExit(Effect.provideService(work, Caller.Witness, record.witness), (exit) =>
      Effect.sync(() => {
        record.end(exit)
        log.ended(record)
      })
    )
  })
