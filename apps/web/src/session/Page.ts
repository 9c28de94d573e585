/**
 * The state of the whole page: the connection, the sessions, and which one is shown.
 */
import { batch, computed, effect, signal } from "@preact/signals"
import type { Data, EventLine, Input, Line, Outcome, Question, Snapshot, Tag } from "../connection/Answers.ts"
import * as Calls from "../connection/Calls.ts"
import * as Address from "../connection/Address.ts"
import { type Credentials, forget } from "../connection/Credentials.ts"
import * as SharedStream from "../connection/SharedStream.ts"
import type { Connection } from "../connection/StreamReader.ts"
import { nameOf, whoIs } from "./words/ActorWords.ts"
import { failureNotice, wholeWords } from "./words/FailureWords.ts"
import { warningWords } from "./Warnings.ts"
import { refusedWords } from "./words/RefusalWords.ts"
import { type Notice, wholeMessage } from "./Notice.ts"
import { Session } from "./Session.ts"
import { SessionView } from "./SessionView.ts"
import { isAlive, timeOf } from "./words/StopWords.ts"

/** A long text and what it belongs to. */
interface Words {
  readonly title: string
  readonly text: string
}

/** What a line tells of a session. */
interface Told {
  readonly session: string
  readonly id: string
  /** The identity that it had in a daemon that was killed. */
  readonly continues?: string
  readonly snapshot: Snapshot
  readonly next: number | undefined
}

/** True for the report of a stop. */
const isStop = (data: object): boolean => "event" in data && data.event === "stopped"

/** Time that a notice stays, in milliseconds. */
const noticeTime = 8000

/** The state of one page in a browser. */
export class Page {
  readonly credentials: Credentials
  readonly calls: Calls.Calls
  readonly connection = signal<Connection>({ state: "connecting" })
  readonly sessions = signal<ReadonlyMap<string, Session>>(new Map())
  readonly chosen = signal<string | undefined>(undefined)
  /** The calls that wait for consent, by number, as the stream told last. */
  readonly #told = signal<ReadonlyMap<number, Question>>(new Map())
  /** True after the first line of the stream. */
  readonly ready = signal(false)
  /** True when the token is not accepted any more. */
  readonly refused = signal(false)
  readonly version = signal("")
  readonly notice = signal<Notice | undefined>(undefined)
  /** The command line of the last action or of what has the focus. */
  readonly command = signal("")
  readonly overlay = signal<"palette" | "keys" | "menu" | "sessions" | "words" | "start" | "debuggers" | undefined>(
    undefined
  )
  /** The whole text of what the debugger or a build wrote. */
  readonly words = signal<Words>({ title: "", text: "" })
  /** What screen readers say. */
  readonly spoken = signal("")
  #noticeTimer: ReturnType<typeof setTimeout> | undefined
  #retry: () => void = () => {}
  /** The shown session, once it has ended and is gone. */
  readonly #ended = signal<Session | undefined>(undefined)
  /** The identity of the shown session, once its name is gone. */
  #gone: string | undefined
  /** The newest event when the connection was lost. */
  #lostAt: number | undefined
  /** The notice that the page is connected again. It goes when the connection is lost once more. */
  #again: Notice | undefined
  readonly #views = new Map<string, SessionView>()

  constructor(credentials: Credentials, chosen: string | undefined) {
    this.credentials = credentials
    this.chosen.value = chosen
    this.calls = Calls.make(credentials.token, () => this.#refuse())
  }

  /** The view of the shown session. */
  readonly view = computed((): SessionView | undefined => {
    const name = this.chosen.value
    const ended = this.#ended.value
    const session =
      name === undefined ? undefined : (this.sessions.value.get(name) ?? (ended?.name === name ? ended : undefined))
    if (session === undefined) return undefined
    const known = this.#views.get(session.name)
    if (known?.session === session) return known
    known?.stop()
    const view = new SessionView(session, this.calls)
    this.#views.set(session.name, view)
    return view
  })

  /** True while the stream is read. */
  readonly connected = computed(() => this.connection.value.state === "open")

  /** The calls that wait for consent, by number. None is known while the connection is lost, and none can be answered. */
  readonly requests = computed((): ReadonlyMap<number, Question> =>
    this.connected.value ? this.#told.value : new Map()
  )

  /** Connects to the server. */
  start(): void {
    this.#retry = SharedStream.open(this.credentials.token, this.credentials.session ?? "all", {
      onLine: (line) => this.#take(line),
      onConnection: (connection) => this.#connect(connection),
      onRefused: () => this.#refuse()
    })
    let running: SessionView | undefined
    effect(() => {
      const view = this.view.value
      if (view === running) return
      running?.stop()
      running = view
      view?.start()
    })
    effect(() => {
      if (this.notice.value?.holds?.() === false) this.notice.value = undefined
    })
    effect(() => {
      const name = this.view.value?.session.name
      if (name !== undefined) Address.show(name)
    })
    Address.onSession((name) => (this.chosen.value = name))
  }

  /** Notes the state of the connection, and says what came in between after it was lost. */
  #connect(connection: Connection): void {
    const before = this.connection.value
    this.connection.value = connection
    const session = this.view.peek()?.session
    if (connection.state === "lost" && before.state !== "lost") {
      this.#lostAt = session?.seq.peek()
      if (this.notice.peek() === this.#again) this.notice.value = undefined
    }
    if (connection.state !== "open" || before.state !== "lost" || session === undefined) return
    const from = this.#lostAt ?? 0
    // The events follow the first line.
    setTimeout(() => {
      const shown = this.view.peek()?.session
      // The screen says that the session is gone.
      if (shown === undefined) return
      if (shown !== session && shown.name === session.name) {
        this.#sayAgain(`${session.name} is another session now.`)
        return
      }
      const count = Math.max(0, session.seq.peek() - from)
      const events = count === 1 ? "1 event" : `${count.toLocaleString("en")} events`
      if (this.connected.peek()) this.#sayAgain(`${events} came in between.`)
    }, 500)
  }

  #sayAgain(news: string): void {
    this.#again = { text: `Connected again. ${news}`, tone: "plain" }
    this.say(this.#again)
  }

  /** Tries to connect now. */
  retry(): void {
    this.#retry()
  }

  #refuse(): void {
    forget()
    this.refused.value = true
  }

  /** Returns the session that a line is about, with its state: the known one, or another one. */
  #sessionOf({ continues, id, next = 0, session, snapshot }: Told): Session {
    const known = this.sessions.value.get(session)
    if (known?.id === id) known.replace(snapshot, next)
    else if (known !== undefined && known.id === continues) known.continue(id, snapshot, next)
    else return new Session(session, id, snapshot, next, continues !== undefined)
    return known
  }

  #take(line: Line): void {
    switch (line.type) {
      case "hello":
        batch(() => {
          this.version.value = line.version
          const shown = this.view.peek()?.session
          this.sessions.value = new Map(line.sessions.map((listed) => [listed.session, this.#sessionOf(listed)]))
          // A session may have been renamed while the connection was lost.
          const renamed = line.sessions.find(({ id, session }) => id === shown?.id && session !== shown.name)
          if (renamed !== undefined) this.chosen.value = renamed.session
          this.#told.value = new Map(line.requests.map((request) => [request.id, request]))
          this.ready.value = true
          this.#chooseOnly()
        })
        return
      case "session": {
        const known = this.sessions.value.get(line.session)
        if (line.snapshot === undefined) {
          if (line.session === this.chosen.value) {
            this.#gone = known?.id
            // One that has ended stays shown. Another one was renamed, or is gone without its end.
            if (known !== undefined && !isAlive(known.snapshot.value)) this.#ended.value = known
          }
          this.sessions.value = new Map([...this.sessions.value].filter(([name]) => name !== line.session))
        } else {
          const { id = "", next, snapshot } = line
          const told = this.#sessionOf({ ...line, id, next, snapshot })
          if (told !== known) this.sessions.value = new Map(this.sessions.value).set(told.name, told)
        }
        // A session that was renamed is gone under its name, and has another one.
        if (this.#gone !== undefined && line.id === this.#gone) this.chosen.value = line.session
        this.#chooseOnly()
        return
      }
      case "request":
        this.#told.value = new Map(
          [...this.#told.value, [line.request.id, line.request] as const].filter(
            ([id]) => id !== line.request.id || line.ended === undefined
          )
        )
        return
      case "event":
        this.sessions.value.get(line.session)?.take(line)
        if (line.event._tag === "LeaseChanged" && this.notice.value?.ofLease === true) this.notice.value = undefined
        this.#tellTaken(line)
        this.#tellRefused(line)
        return
      case "output":
      case "gap":
        this.sessions.value.get(line.session)?.take(line)
        return
      default:
        return
    }
  }

  /** Says that another person took control from this page. */
  #tellTaken({ event, session: name, time }: EventLine): void {
    const own = this.credentials.actor.id
    if (event._tag !== "LeaseChanged" || event.reason !== "taken" || event.previous?.id !== own) return
    if (this.view.peek()?.session.name !== name || Date.now() - time > noticeTime) return
    const holder = event.lease?.holder
    this.say({
      text: `${nameOf(holder, own)} took control.`,
      tone: "plain",
      who: whoIs(holder, own),
      ofLease: true,
      action: this.takesControl(name)
    })
  }

  /** Says that another client was refused because this page drives. */
  #tellRefused({ actor, event, session: name, time }: EventLine): void {
    const session = this.view.peek()?.session
    const own = this.credentials.actor.id
    const lease = session?.snapshot.peek().lease
    if (session?.name !== name || lease?.holder.id !== own || actor?.id === own || time < lease.since) return
    // What happened before the page was opened is in Activity.
    if (Date.now() - time > noticeTime) return
    const words = refusedWords(event)
    if (words === undefined) return
    this.say({
      text: `${nameOf(actor, own)} ${words}. You drive since ${timeOf(lease.since)}.`,
      tone: "plain",
      who: whoIs(actor, own),
      ofLease: true,
      action: {
        label: "Give back",
        run: () => void this.act("control.release", { session: name }, `sigtrap control release --session ${name}`)
      }
    })
  }

  /** Shows all sessions instead of one. Without any, the next one that starts is shown at once. */
  showAll(): void {
    this.chosen.value = this.sessions.value.size === 0 ? undefined : ""
    Address.show(undefined)
  }

  /** An only session is shown at once, and the next one of a page that may see one only. */
  #chooseOnly(): void {
    const [only, ...others] = this.sessions.value.keys()
    if (only === undefined || others.length > 0) return
    const chosen = this.chosen.value
    if (chosen === undefined || (this.credentials.session !== undefined && !this.sessions.value.has(chosen)))
      this.chosen.value = only
  }

  /** Returns the action of a notice that takes control of a session. */
  takesControl(session: string): NonNullable<Notice["action"]> {
    const run = () => void this.act("control.take", { session }, `sigtrap control take --session ${session}`)
    return { label: "Take control", run }
  }

  /** Shows a sentence for a while. */
  say(notice: Notice): void {
    clearTimeout(this.#noticeTimer)
    this.notice.value = notice
    this.#noticeTimer = setTimeout(() => (this.notice.value = undefined), noticeTime)
  }

  /** Shows a long text over the page. */
  showWords(title: string, text: string): void {
    this.words.value = { title, text }
    this.overlay.value = "words"
  }

  /** Keeps the notice while it has the pointer or the focus. */
  holdNotice(): void {
    clearTimeout(this.#noticeTimer)
  }

  /** Lets the notice go after its time. */
  releaseNotice(): void {
    clearTimeout(this.#noticeTimer)
    this.#noticeTimer = setTimeout(() => (this.notice.value = undefined), noticeTime)
  }

  /** Shows a sentence that may be long: all of it is over the page on request. */
  sayLong(title: string, notice: Notice, whole: string): void {
    const isLong = whole.length > Math.max(160, notice.text.length) || notice.text.length > 160
    const run = () => this.showWords(title, whole)
    this.say(isLong ? { ...notice, action: { label: wholeMessage, run } } : notice)
  }

  /** Shows the warnings of an answer; `title` is the command line of the call. */
  warn(title: string, warnings: Parameters<typeof warningWords>[0]): void {
    const words = warningWords(warnings)
    if (words.length > 0) this.sayLong(title, { text: words.join(" "), tone: "warning" }, words.join("\n"))
  }

  /**
   * Calls an operation on behalf of the person; a failure and the warnings of an answer become a notice. Those of a stop are its notes,
   * which are read with it.
   */
  async act<T extends Tag>(tag: T, input: Input<T>, command: string): Promise<Outcome<Data<T>>> {
    this.command.value = command
    const outcome = await this.calls.call(tag, input)
    if (outcome.ok) {
      const { data, warnings } = outcome.answer
      if (!isStop(data)) this.warn(command, warnings)
    } else {
      const words = failureNotice(outcome.failure, this.credentials.tiers, {
        operation: tag,
        own: this.credentials.actor.id
      })
      const session = this.view.peek()?.session.name
      const isHeld = outcome.failure.code === "LEASE_HELD" && session !== undefined
      const offered = isHeld ? { ofLease: true, action: this.takesControl(session) } : {}
      // The banner says more of a lost connection.
      const isUnreachable = outcome.failure.code === "UNREACHABLE"
      const until = isUnreachable ? { holds: () => this.connected.value } : {}
      this.sayLong(command, { ...words, tone: "refused", ...offered, ...until }, wholeWords(outcome.failure))
    }
    return outcome
  }

  /** True if this page may do what needs a tier. */
  may(tier: string): boolean {
    return this.credentials.tiers.includes(tier)
  }
}
