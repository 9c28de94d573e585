/**
 * What the page shows of one session: the stop that is looked at, its stack, values, source and breakpoints. It reads at each
 * stop and throws answers away that are older than the newest stop. It never moves the selection of another client: each call names
 * its frame and its thread.
 */
import { batch, computed, effect, type ReadonlySignal, signal } from "@preact/signals"
import type { Breakpoint, PastStop, Report, StackFrame, ThreadRow, Value } from "../connection/Answers.ts"
import type { Calls } from "../connection/Calls.ts"
import { CodeLines } from "./breakpoints/CodeLines.ts"
import { followsStops } from "./breakpoints/EditedLine.ts"
import type { Session } from "./Session.ts"
import { AgentReads } from "./activity/AgentReads.ts"
import { mayWrite, tellsMore } from "./activity/ActsAtStop.ts"
import { ShownSource } from "./source/ShownSource.ts"
import type { NoSource, SourceText } from "./source/SourceText.ts"
import {
  framesAtATime,
  noFrame,
  reportedStack,
  type Stack,
  stackWith,
  valuesFrameOf,
  withoutVariables
} from "./stops/Stack.ts"
import { SessionStatus } from "./SessionStatus.ts"
import { StopWarnings } from "./stops/StopNotes.ts"
import { StopList } from "./stops/StopList.ts"
import { ThreadList } from "./stops/ThreadList.ts"
import { isAlive, placeOf } from "./words/StopWords.ts"
import { withOld } from "./words/ValueWords.ts"

/** The view of one session. */
export class SessionView {
  readonly session: Session
  readonly #calls: Calls
  /** The past stop that is looked at; undefined for the current one. */
  readonly looked = signal<number | undefined>(undefined)
  readonly report = signal<Report | undefined>(undefined)
  /** The stop of `report`. */
  readonly reportStop = signal(0)
  readonly #list: StopList
  readonly stops: ReadonlySignal<ReadonlyArray<PastStop>>
  readonly stopsByNumber = computed(() => new Map(this.stops.value.map((stop) => [stop.stop, stop])))
  readonly threadList: ThreadList
  /** The threads that were read. They are read after the report is shown. */
  readonly threads: ReadonlySignal<ReadonlyArray<ThreadRow>>
  readonly stacks = signal<ReadonlyMap<number, Stack>>(new Map())
  readonly breakpoints = signal<ReadonlyArray<Breakpoint>>([])
  /** The shown frame: its thread and its index. */
  readonly thread = signal<number | undefined>(undefined)
  readonly frame = signal(0)
  readonly #values = signal<ReadonlyArray<Value>>([])
  /** True if the shown frame is the one that the stop is about. */
  readonly reported = computed(() => this.#isReported(this.thread.value, this.frame.value))
  /**
   * The variables of the shown frame. Of the frame that the stop is about they say what they were at the stop before, also if this page
   * was not open then.
   */
  readonly values = computed((): ReadonlyArray<Value> =>
    this.#isReported(this.valuesFrame.value.thread, this.valuesFrame.value.index)
      ? withOld(this.#values.value, this.stopsByNumber.value.get(this.reportStop.value)?.changed ?? [])
      : this.#values.value
  )
  /** The frame of the shown values. Until those of another frame are read, it is not the shown frame. */
  readonly valuesFrame = signal(noFrame)
  readonly reading = computed(
    () => this.valuesFrame.value.thread !== this.thread.value || this.valuesFrame.value.index !== this.frame.value
  )
  /** What agents read at the shown stop. */
  readonly agentReads: AgentReads
  readonly shownSource: ShownSource
  readonly source: ReadonlySignal<SourceText | undefined>
  readonly noSource: ReadonlySignal<NoSource | undefined>
  /** The file that is shown, if that is not the file of the frame. */
  readonly opened = signal<{ readonly file: string; readonly line: number } | undefined>(undefined)
  /** The report of a stop whose place is not shown, because following is off. */
  readonly unseen = signal<Report | undefined>(undefined)
  readonly status: SessionStatus
  readonly stopWarnings = new StopWarnings()
  readonly codeLines: CodeLines
  #reading = 0
  #end: () => void = () => {}

  constructor(session: Session, calls: Calls) {
    this.session = session
    this.#calls = calls
    this.#list = new StopList(session, calls)
    this.stops = this.#list.stops
    this.threadList = new ThreadList(session, calls)
    this.status = new SessionStatus(session, calls)
    this.threads = this.threadList.rows
    this.codeLines = new CodeLines(session, calls)
    this.agentReads = new AgentReads(session, this.reportStop)
    this.shownSource = new ShownSource(session, calls)
    this.source = this.shownSource.text
    this.noSource = this.shownSource.missing
  }

  /** True while a past stop is looked at. */
  readonly past = computed(() => this.looked.value !== undefined)
  /** True if the values are those of now. */
  readonly live = computed(() => {
    const { state, stop } = this.session.snapshot.value
    return state === "stopped" && this.looked.value === undefined && this.reportStop.value === stop
  })
  /** True if the threads are where `threads` says. */
  readonly threadsLive = computed(() => this.live.value && this.threadList.stop.value === this.reportStop.value)
  /** The frame that is shown. */
  readonly shownFrame = computed((): StackFrame | undefined => {
    const thread = this.thread.value
    const frames =
      thread === undefined
        ? this.report.value?.frames
        : (this.stacks.value.get(thread)?.frames ?? this.report.value?.frames)
    return frames?.find(({ index }) => index === this.frame.value)
  })
  /** The input of a call that is about the shown frame. */
  readonly inFrame = computed((): { readonly frame?: string } =>
    this.shownFrame.value === undefined ? {} : { frame: this.shownFrame.value.ref }
  )
  /** The words of a command line that is about the shown frame; empty for the frame that the stop is about. */
  readonly frameWords = computed((): string => {
    const frame = this.shownFrame.value
    if (frame === undefined || this.reported.value) return ""
    return ` --frame ${this.thread.value === this.report.value?.thread?.id ? frame.index : frame.ref}`
  })
  /** The line that is shown as current, in the shown file. */
  readonly currentLine = computed(() => {
    const frame = this.shownFrame.value ?? this.report.value?.location
    const file = this.source.value?.file
    return frame?.file === file ? frame?.line : undefined
  })

  #isReported(thread: number | undefined, index: number): boolean {
    const report = this.report.value
    return thread === report?.thread?.id && index === (report?.user_frame ?? report?.frames?.[0]?.index ?? 0)
  }

  /** Begins to read; ends with `stop`. */
  start(): void {
    let [stop, state] = [-1, ""]
    // The stops before the page was opened are read, those after it are known from their events first.
    const first = this.session.snapshot.peek().stop
    let noted = first
    const onState = effect(() => {
      const { state: now, stop: number } = this.session.snapshot.value
      const looked = this.looked.value
      if (now === "stopped" && number > noted) {
        noted = number
        if (looked !== undefined) void this.#list.read()
      }
      if (looked !== undefined) return
      if (number === stop && now === state) return
      const isNew = number !== stop
      ;[stop, state] = [number, now]
      if (now === "stopped") void this.readStop(isNew)
      else {
        if (now !== "running") void this.readBreakpoints()
        if (now !== "running" || this.stops.peek().length === 0) void this.#list.read()
        // A page that opens later shows the last stop, as one that is not live.
        if (number > 0 && this.report.peek() === undefined) void this.#readKept(number)
      }
    })
    let seen = 0
    const onEvents = effect(() => {
      const events = this.session.events.value
      const fresh = events.slice(events.findLastIndex(({ seq }) => seq <= seen) + 1)
      const changed = fresh.some(({ event }) => event._tag === "BreakpointChanged")
      if (fresh.some(({ event }) => event._tag === "Starting")) {
        // The program may have been built anew. What is shown stays until it is read again.
        this.shownSource.clear()
        this.codeLines.clear()
      }
      const at = this.reportStop.peek()
      const written = fresh.some((line) => mayWrite(line, at) || tellsMore(line, at))
      // Who is there is read at each stop too, since a client that only reads causes no event.
      if (seen === 0 || this.status.isOld(fresh)) void this.status.read()
      seen = events.at(-1)?.seq ?? 0
      // The state of a stop may come before its event.
      const stopped = fresh.some(({ event }) => event._tag === "Stopped")
      if (stopped) this.#list.note(first)
      // The breakpoints are those of now, also beside a past stop.
      if (changed || (stopped && this.past.peek())) void this.readBreakpoints()
      if (written && this.live.peek()) void this.readStop(false)
    })
    void this.readBreakpoints()
    this.#end = () => {
      onState()
      onEvents()
    }
  }

  /** Ends reading. */
  stop(): void {
    this.#reading += 1
    this.#end()
  }

  /** Reads the breakpoints. */
  async readBreakpoints(): Promise<void> {
    const outcome = await this.#calls.call("breakpoint.list", { session: this.session.name })
    if (outcome.ok) this.breakpoints.value = outcome.answer.data.breakpoints
  }

  /** Reads the current stop. */
  async readStop(isNew: boolean): Promise<void> {
    const reading = (this.#reading += 1)
    const isOver = () => reading !== this.#reading || this.looked.value !== undefined
    const session = this.session.name
    // The place and the values are shown before the other threads are read.
    const context = await this.#calls.call("context", { session, lines: 0, sections: ["stack", "locals"] })
    if (isOver()) return
    if (!context.ok) {
      // The stop is read a second later if the server cannot be reached.
      if (context.failure.code === "UNREACHABLE")
        setTimeout(() => void (reading === this.#reading ? this.readStop(isNew) : undefined), 1000)
      return
    }
    const report = context.answer.data
    // A client has resumed the program before the stop was read. What is shown stays until the next stop.
    if (report.event !== "stopped") return void this.#list.read()
    const stop = context.answer.stop ?? this.session.snapshot.value.stop
    const again = !isNew && stop === this.reportStop.value
    this.stopWarnings.record(stop, context.answer.warnings)
    if (again) this.#showAgain(report)
    else this.#show(report, stop)
    if (!again) {
      if (isNew && !followsStops.value && this.source.value !== undefined) this.unseen.value = report
      else void this.showSource(report.location?.file)
    }
    // The stops of a page that was just opened do not wait for the threads, which the debugger reads.
    const isFirst = this.stops.peek().length === 0
    if (isFirst) await this.#list.read()
    await this.threadList.read(stop, isOver)
    if (isNew) void this.readBreakpoints()
    if (isOver()) return
    if (!isFirst) await this.#list.read()
    void this.status.read()
    const { deeper = false, more_frames = 0, thread } = report
    if (!again && (deeper || more_frames > 0) && thread !== undefined) void this.readStack(thread.id, false)
  }

  /** Looks at a past stop, or at the current one. */
  async look(stop: number | undefined): Promise<void> {
    if (stop === undefined || stop === this.session.snapshot.value.stop) {
      if (this.looked.value === undefined) return
      this.looked.value = undefined
      void this.readBreakpoints()
      await this.readStop(false)
      return
    }
    this.looked.value = stop
    await this.#readKept(stop)
  }

  /** Reads what is kept of a stop. */
  async #readKept(stop: number): Promise<void> {
    const reading = (this.#reading += 1)
    const outcome = await this.#calls.call("context", { session: this.session.name, stop: String(stop) })
    if (reading !== this.#reading || !outcome.ok) return
    this.#show(outcome.answer.data, stop)
    void this.showSource(outcome.answer.data.location?.file)
  }

  /** Shows the report of a stop. */
  #show(report: Report, stop: number): void {
    batch(() => {
      this.report.value = report
      this.reportStop.value = stop
      this.unseen.value = undefined
      this.thread.value = report.thread?.id
      this.frame.value = report.user_frame ?? report.frames?.[0]?.index ?? 0
      this.#values.value = report.locals ?? []
      this.valuesFrame.value = valuesFrameOf(report, this.frame.value)
      this.opened.value = undefined
      this.stacks.value = report.thread === undefined ? new Map() : new Map([[report.thread.id, reportedStack(report)]])
    })
  }

  /** Shows what was read again at the shown stop, because a client changed a value. The chosen frame stays. */
  #showAgain(report: Report): void {
    this.report.value = report
    if (this.reported.value) this.#values.value = report.locals ?? []
    else void this.#readValues()
  }

  /** Reads the variables of the shown frame. */
  async #readValues(): Promise<void> {
    const [reading, thread, frame] = [this.#reading, this.thread.value, this.shownFrame.value]
    if (frame === undefined) return
    const outcome = await this.#calls.call("locals", { session: this.session.name, frame: frame.ref })
    if (reading !== this.#reading || !outcome.ok) return
    // Another frame may have been chosen since.
    if (thread !== this.thread.value || frame.index !== this.frame.value) return
    batch(() => {
      this.#values.value = outcome.answer.data.variables
      this.valuesFrame.value = { thread, index: frame.index, name: frame.function, empty: withoutVariables(frame) }
    })
  }

  /** Reads the stack of a thread; `before` are the frames that were read, if more follow them. */
  async readStack(thread: number, all: boolean, before?: Stack): Promise<void> {
    const reading = this.#reading
    const outcome = await this.#calls.call("backtrace", {
      session: this.session.name,
      thread,
      limit: framesAtATime,
      ...(before === undefined ? {} : { start: before.read }),
      ...(all ? { all_frames: true } : {})
    })
    if (reading !== this.#reading || !outcome.ok) return
    // A second press has read them.
    if (before !== undefined && this.stacks.value.get(thread) !== before) return
    this.stacks.value = new Map(this.stacks.value).set(thread, stackWith(outcome.answer.data, all, before))
  }

  /** Shows the place of the stop that was not followed. */
  async showUnseen(): Promise<void> {
    const { file, line } = this.unseen.value?.location ?? {}
    this.unseen.value = undefined
    if (file === undefined || line === undefined) await this.showSource(file)
    else await this.open(file, line)
  }

  /** Shows a frame in this page only. */
  async choose(thread: number, frame: StackFrame): Promise<void> {
    batch(() => {
      ;[this.thread.value, this.frame.value] = [thread, frame.index]
      ;[this.opened.value, this.unseen.value] = [undefined, undefined]
    })
    void this.showSource(frame.file)
    if (this.past.value || this.session.snapshot.value.state !== "stopped") return
    await this.#readValues()
  }

  /** Moves the shown frame by one: up to the caller, down to the called function. */
  move(by: 1 | -1): void {
    const thread = this.thread.value
    if (thread === undefined) return
    const frames = this.stacks.value.get(thread)?.frames ?? []
    const at = frames.findIndex(({ index }) => index === this.frame.value)
    const next = frames[at + by]
    if (next !== undefined) void this.choose(thread, next)
  }

  /** Opens a file at a line. */
  async open(file: string, line: number): Promise<void> {
    await this.showSource(file)
    this.opened.value = { file, line }
  }

  /** Shows the text of a file; without one, that the shown frame has no source. */
  async showSource(file: string | undefined): Promise<void> {
    if (file === undefined) {
      return this.shownSource.showNone(`${this.shownFrame.value?.function ?? "This place"} has no source here.`)
    }
    await this.shownSource.show(file, () => {
      const shown = this.shownFrame.value?.file ?? this.report.value?.location?.file
      return shown === undefined || shown === file || this.opened.value !== undefined
    })
  }

  /** Returns where the session is, as a command line writes it. */
  place(): string | undefined {
    return placeOf(this.shownFrame.value ?? this.report.value?.location)
  }

  /** True if there is a program that can be driven. */
  alive(): boolean {
    return isAlive(this.session.snapshot.value)
  }
}
