/**
 * What the stream tells of one session: its state, its newest events and its newest output.
 */
import { batch, computed, signal } from "@preact/signals"
import * as Fold from "@sigtrap/protocol/Snapshot"
import type { EventLine, Line, OutputLine, Snapshot } from "../connection/Answers.ts"
import { inTasks, newTask } from "../connection/Lines.ts"
import { inNextFrame } from "./NextFrame.ts"
import { type OutputPiece, type OutputRow, OutputRows } from "./output/OutputRows.ts"

/** Most events, and most pieces of output, that are kept. */
const kept = 5000

/** One session. Another one that takes its name later is another object. */
export class Session {
  readonly name: string
  /** The first identity: what this page knows of the session by its own. It stays when the daemon was killed. */
  readonly firstId: string
  readonly #id = signal("")
  readonly snapshot = signal<Snapshot>({ ...Fold.initial })
  readonly events = signal<ReadonlyArray<EventLine>>([])
  /** The output as rows. The signal changes when rows were added. */
  readonly output = signal<{ readonly rows: ReadonlyArray<OutputRow>; readonly lines: number }>({ rows: [], lines: 0 })
  /** The first piece of output after each event: when the program wrote something. */
  readonly writes = signal<ReadonlyArray<OutputPiece>>([])
  /** What the debugger itself wrote. */
  readonly words = signal<ReadonlyArray<OutputLine>>([])
  /** The number of events that are not kept. */
  readonly gone = signal(0)
  /** When the state began, in milliseconds since 1970. */
  readonly since = signal(Date.now())
  /** Since when nothing was heard of the debugger, if a request waits for it; in milliseconds since 1970. */
  readonly silentSince = computed((): number | undefined => {
    const { unanswered } = this.snapshot.value
    if (unanswered === undefined) return undefined
    const noticed = this.events.value.findLast(({ event }) => event._tag === "Unanswered")
    return (noticed?.time ?? Date.now()) - unanswered.millis
  })
  /** The number of the newest event. */
  readonly seq = computed(() => this.events.value.at(-1)?.seq ?? 0)
  /** The number of the first event in this daemon, if an earlier daemon had the session and was killed. */
  #earlier: number | undefined
  /** True if the session is lost because its daemon was killed, which the debugger has nothing to do with. */
  readonly lostWithDaemon = computed(
    () =>
      this.snapshot.value.state === "lost" &&
      this.#earlier !== undefined &&
      !this.events.value.some(({ event, seq }) => event._tag === "Starting" && seq >= (this.#earlier ?? 0))
  )
  /** The number of the first event that is not in the state yet. */
  #next: number
  #newEvents: Array<EventLine> = []
  #newOutput: Array<OutputPiece> = []
  #rows = new OutputRows()
  /** True if the newest line is output of the program. */
  #wrote = false
  #waiting = false
  /** The events and the output that the rows do not have yet. */
  #newRows: Array<EventLine | OutputPiece> = []
  #adding = false
  #drawing = false

  /** `next` is the number of the first event after the snapshot; `isKept` is true for a session of a daemon that was killed. */
  constructor(name: string, id: string, snapshot: Snapshot, next: number, isKept: boolean) {
    this.name = name
    this.firstId = id
    this.#id.value = id
    this.snapshot.value = snapshot
    this.#next = next
    this.#earlier = isKept ? next : undefined
  }

  /** The identity, which no other session of this name has. It changes when the daemon was killed. */
  get id(): string {
    return this.#id.value
  }

  /** Continues in another daemon, after the one that had it was killed. That one sends what is stored of the session again. */
  continue(id: string, snapshot: Snapshot, next: number): void {
    this.#next = next
    this.#earlier = next
    this.#newEvents = []
    this.#newOutput = []
    this.#newRows = []
    this.#rows = new OutputRows()
    this.#wrote = false
    batch(() => {
      this.events.value = []
      this.output.value = { rows: [], lines: 0 }
      this.writes.value = []
      this.words.value = []
      this.#id.value = id
      this.#set(snapshot)
    })
  }

  /** Replaces the state by one of the server. */
  replace(snapshot: Snapshot, next: number | undefined): void {
    if (next !== undefined && next < this.#next) return
    this.#next = next ?? this.#next
    this.#set(snapshot)
  }

  /** Takes an event or output of this session. Lines of one turn become visible together. */
  take(line: Line): void {
    if (line.type === "event") this.#newEvents.push(line)
    if (line.type === "output") this.#newOutput.push(line)
    if (line.type === "gap") this.#newOutput.push({ ...line, type: "dropped", seq: line.next })
    if (this.#waiting) return
    this.#waiting = true
    queueMicrotask(() => batch(() => this.#flush()))
  }

  #set(snapshot: Snapshot): void {
    if (snapshot.state !== this.snapshot.value.state) this.since.value = Date.now()
    this.snapshot.value = snapshot
  }

  #flush(): void {
    this.#waiting = false
    const [events, output] = [this.#newEvents, this.#newOutput]
    this.#newEvents = []
    this.#newOutput = []
    this.#takeOutput(events, output)
    if (events.length === 0) return
    const all = [...this.events.value, ...events]
    this.gone.value = (all[0]?.seq ?? 1) - 1
    const before = this.snapshot.value
    let snapshot: Fold.Snapshot = before
    for (const { event, seq } of events.filter((line) => line.seq >= this.#next)) {
      snapshot = Fold.fold(snapshot, event)
      this.#next = seq + 1
    }
    if (snapshot !== before) this.snapshot.value = { ...before, ...snapshot }
    const last = events.findLast(({ event }) => Session.changesState(event._tag))
    if (last !== undefined) this.since.value = last.time
    this.events.value = all.slice(-kept)
  }

  /** Adds output, with the places where the program stopped, in the order of their numbers. */
  #takeOutput(events: ReadonlyArray<EventLine>, output: ReadonlyArray<OutputPiece>): void {
    const writes: Array<OutputPiece> = []
    const words = output.filter((piece) => piece.type === "output" && piece.channel === "console")
    for (const line of [...events, ...output].toSorted((a, b) => a.seq - b.seq)) {
      this.#newRows.push(line)
      const isProgram = line.type === "output" && (line.channel === "stdout" || line.channel === "stderr")
      if (isProgram && !this.#wrote) writes.push(line)
      if (isProgram || line.type === "event") this.#wrote = isProgram
    }
    if (!this.#adding) void this.#addRows()
    if (writes.length > 0) this.writes.value = [...this.writes.value, ...writes].slice(-kept)
    if (words.length > 0)
      this.words.value = [...this.words.value, ...words].filter((piece) => piece.type === "output").slice(-kept)
  }

  /** Adds what is new to the rows, in tasks of a bounded time. */
  async #addRows(): Promise<void> {
    this.#adding = true
    while (this.#newRows.length > 0) {
      await newTask()
      const [added, rows] = [this.#newRows, this.#rows]
      this.#newRows = []
      await inTasks(added, (line) => (line.type === "event" ? rows.mark(line) : rows.add(line)))
      if (rows.rows.length > 0) this.#showOutput()
    }
    this.#adding = false
  }

  /** Shows the new rows. What arrives until the next frame is drawn together, in a task of its own. */
  #showOutput(): void {
    if (this.#drawing) return
    this.#drawing = true
    inNextFrame(() => {
      this.#drawing = false
      this.output.value = { rows: this.#rows.rows, lines: this.#rows.lines }
    })
  }

  /** True for events that begin a state. */
  private static changesState(tag: EventLine["event"]["_tag"]): boolean {
    return ["Starting", "Resumed", "Stopped", "Exited", "Terminated", "Detached", "Lost"].includes(tag)
  }
}
