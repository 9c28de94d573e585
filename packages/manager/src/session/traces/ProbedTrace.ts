/**
 * The part of a trace that probes of the kernel record.
 *
 * A point is recorded by the debugger until its values were found at the same place twice. Its breakpoint is then disabled, and a probe
 * is armed before the program is resumed. Before each stop is reported the probes are removed, so no command meets a probe. The thread
 * that stopped at the point executes the instruction again: the first record of the kernel must have the values that the debugger
 * printed, and is left out.
 */
import { MonotonicTime } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { Failure } from "../../ports/Backend.ts"
import type { Probe, ProbeFailure, Recording, Row as ProbeRow } from "../../ports/KernelProbes.ts"
import type { Row } from "../../ports/Tracer.ts"
import { textOf } from "../../model/TracedValue.ts"

/** Dependencies: the probes of the process, the breakpoints of the session, how a value is shown. */
export interface Options {
  readonly recording: Recording
  /** Disables the breakpoint of a trace point. */
  readonly disable: (id: number) => Effect.Effect<void, Failure>
  /** True if the text of a value is the one that `print` showed. */
  readonly isShown: (id: number, index: number, text: string, printed: string) => boolean
}

/** The values that the debugger printed at a stop of a thread at a point. */
interface Printed {
  readonly id: number
  readonly thread: number
  readonly values: ReadonlyArray<string>
}

/** The probes of one trace. */
export class ProbedTrace {
  readonly #options: Options
  readonly #probes = new Map<number, Probe>()
  readonly #disabled = new Set<number>()
  readonly #oneAtATime = Semaphore.makeUnsafe(1)
  #printed: ReadonlyArray<Printed> = []
  /** What was printed at the current stop. */
  #present: ReadonlyArray<Printed> = []
  #rows: ReadonlyArray<Row> = []
  #offset = 0
  #lost = 0
  #isArmed = false
  #wasArmed = false
  #refused: string | undefined

  constructor(options: Options) {
    this.#options = options
  }

  /** Why the trace cannot be recorded by probes; undefined while it can. */
  get refused(): string | undefined {
    return this.#refused
  }

  /** True while probes are in the program. */
  get isArmed(): boolean {
    return this.#isArmed
  }

  /** True if probes were in the program. */
  get wasArmed(): boolean {
    return this.#wasArmed
  }

  /** The number of records without room. */
  get lost(): number {
    return this.#lost
  }

  /** The number of records that were not taken. */
  readonly count: Effect.Effect<number> = Effect.suspend(() =>
    this.#isArmed ? this.#options.recording.count : Effect.succeed(0)
  )

  /** Ends the trace because of a reason. */
  refuse(reason: string): void {
    this.#refused ??= reason
  }

  /** Records where the values of a point are. */
  learned(probe: Probe): void {
    this.#probes.set(probe.id, probe)
  }

  /**
   * Records what the debugger printed for a thread that stopped at a point. If another thread of the same stop teaches where the values
   * of the point are, its probe is armed when both are resumed.
   */
  stoppedAt(printed: Printed): void {
    this.#present = [...this.#present.filter(({ thread }) => thread !== printed.thread), printed]
  }

  /** Arms the probes. Called while the program is stopped, before it is resumed. Returns false if that failed. */
  readonly resuming: Effect.Effect<boolean> = Effect.suspend(() => {
    const present = this.#present.filter(({ id }) => this.#probes.has(id))
    this.#present = []
    if (this.#probes.size === 0 || this.#refused !== undefined || this.#isArmed) return Effect.succeed(true)
    this.#printed = [...this.#printed, ...present]
    return this.#oneAtATime.withPermit(this.#arm)
  })

  get #arm(): Effect.Effect<boolean> {
    return Effect.gen({ self: this }, function* () {
      for (const id of this.#probes.keys()) {
        if (!this.#disabled.has(id)) yield* this.#options.disable(id)
        this.#disabled.add(id)
      }
      const armedAt = yield* this.#options.recording.arm([...this.#probes.values()])
      this.#offset = (yield* MonotonicTime.now) - armedAt
      this.#isArmed = true
      this.#wasArmed = true
      return true
    }).pipe(Effect.catch((failure) => this.#failed(failure)))
  }

  #failed(failure: Failure | ProbeFailure) {
    return Effect.sync(() => {
      this.refuse(failure._tag === "ProbeFailure" ? failure.reason : failure.message)
      return false
    })
  }

  /** Removes the probes from the program and keeps what they recorded. */
  readonly disarm: Effect.Effect<void> = Effect.suspend(() =>
    this.#oneAtATime.withPermit(
      Effect.suspend(() => {
        if (!this.#isArmed) return Effect.void
        this.#isArmed = false
        return this.#options.recording.disarm.pipe(
          Effect.map(({ lost, rows }) => {
            this.#lost += lost
            this.#rows = [...this.#rows, ...this.#checked(rows)]
          }),
          Effect.catch((failure) => Effect.asVoid(this.#failed(failure)))
        )
      })
    )
  )

  /** Compares the first record of each thread that stopped at a point with what was printed, and leaves it out. */
  #checked(rows: ReadonlyArray<ProbeRow>): ReadonlyArray<Row> {
    const expected = [...this.#printed]
    const checked = rows.flatMap(({ id, thread, time, values }): ReadonlyArray<Row> => {
      const fields = this.#probes.get(id)?.fields ?? []
      const texts = fields.map((field, index) => textOf(field, values[index] ?? new Uint8Array()))
      const at = expected.findIndex((one) => one.id === id && one.thread === thread)
      const [printed] = at < 0 ? [] : expected.splice(at, 1)
      if (printed === undefined) return [{ id, thread, time: time + this.#offset, values: texts }]
      const other = texts.findIndex(
        (text, index) => !this.#options.isShown(id, index, text, printed.values[index] ?? "")
      )
      if (other >= 0) this.refuse(`the kernel read ${texts[other]} where print showed ${printed.values[other]}`)
      return []
    })
    this.#printed = expected
    return checked
  }

  /** Returns the records that were kept, in order, and drops them. None if the trace was refused. */
  take(): ReadonlyArray<Row> {
    const rows = this.#refused === undefined ? this.#rows : []
    this.#rows = []
    return rows
  }
}
