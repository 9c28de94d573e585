/**
 * Makes the stream of `Feed` from the journals of the sessions.
 *
 * A reader has numbers into the journals and no queue: it reads the next lines when it is ready for them, so that a slow one takes
 * no memory and holds up no session. After an event it waits some milliseconds more, so that 20 observers of a program that
 * steps quickly cost little; a step after a pause is shown at once, its start and its stop. It asks the debugger nothing.
 */
import {
  Caller,
  Effects,
  Errors,
  Feed,
  type Lease,
  MonotonicTime,
  type Question,
  type Session as Model
} from "@sigtrap/protocol"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as AllowedSession from "../model/permissions/AllowedSession.ts"
import type { Questions } from "./consent/Questions.ts"
import type { Recorded } from "./events/Journal.ts"
import { Manager } from "./Manager.ts"
import type { Session } from "./Session.ts"

/**
 * Time after an event in which later ones are gathered, in milliseconds: at least, and of one of many. The first two sends after a
 * `pause` are of the first kind: the start and the stop of a step.
 */
const gathering = { least: 5, between: 50, pause: 250 }

/** Most lines that are sent at a time. */
const mostLines = 256

/** The position in the journal of one followed session. */
interface Position {
  readonly session: string
  /** The identity of the session that is read; undefined before the first one, unless the client knows it. */
  id: string | undefined
  /** Number of the first event that is sent, and of the first output; undefined if output is not asked for. */
  since: number
  output: number | undefined
  /** Number of the next entry; undefined before the first read. */
  next: number | undefined
  /** Number of the newest dropped entry that a gap has counted. */
  counted: number
  /** How much the program wrote before `next`, in bytes; undefined until it is known. */
  written: number | undefined
}

/** What a reader knows of one session. */
interface Known {
  readonly session: Session
  readonly state: Model.SessionState
  readonly lease: Lease.Lease | undefined
}

/** The state of one reader. */
interface Reader {
  /** The number of the next change of the questions that wait for an answer. */
  change: number
  readonly request: Feed.Request
  readonly positions: ReadonlyArray<Position>
  readonly known: Map<string, Known>
  /** Numbers of the questions that were sent and have not ended. */
  readonly asked: Set<number>
  /** False before `hello`. */
  greeted: boolean
  /** When lines were sent last, and the time before, as `MonotonicTime`. */
  sentAt: readonly [latest: number, before: number]
}

const snapshotOf = ({ log, secrets }: Session): typeof Feed.State.Type => secrets.inData(log.snapshot)

const nextOf = (session: Session): number => session.log.journal.next

/** What `hello` and `session` say of a session. */
const stateOf = (session: Session) => ({
  session: session.name,
  id: session.id,
  ...(session.continues === undefined ? {} : { continues: session.continues }),
  snapshot: snapshotOf(session),
  next: nextOf(session)
})

const stateLine = (session: Session): Feed.SessionLine => ({ type: "session", ...stateOf(session) })

/** The lines of events, so that many observers share one. */
const known = new WeakMap<Recorded, Feed.EventLine>()

/** Returns the line of an event. */
const eventLine = ({ name, secrets }: Session, entry: Recorded): Feed.EventLine => {
  const before = known.get(entry)
  if (before?.session === name) return before
  const { actor, event, seq, stop, time } = entry
  const by = actor === undefined ? {} : { actor }
  const line: Feed.EventLine = { type: "event", session: name, seq, time, stop, ...by, event: secrets.inData(event) }
  known.set(entry, line)
  return line
}

/** Returns the line of an entry; none for output that is not asked for. */
const lineOf = (session: Session, entry: Recorded, { output }: Position): Option.Option<Feed.Line> => {
  const { event, seq, time } = entry
  if (event._tag !== "Output") return Option.some(eventLine(session, entry))
  if (output === undefined || seq < output) return Option.none()
  const { maskedOutput, name } = session
  const masked = maskedOutput.at(seq)?.event
  return masked?._tag !== "Output"
    ? Option.none()
    : Option.some({ type: "output", session: name, seq, time, channel: masked.channel, text: masked.text })
}

/** Returns the line that counts what was dropped and not sent; each entry is counted once. */
const gapOf = ({ log: { journal }, name }: Session, position: Position, next: number): Array<Feed.Line> => {
  const from = Math.max(next, position.counted + 1)
  const { count, newest } = journal.droppedFor(from, position.output !== undefined)
  if (count === 0) return []
  position.counted = newest
  const [oldest] = journal.from(next)
  const before = position.written ?? (next <= 1 ? journal.writtenAtFirst : undefined)
  position.written = journal.writtenBefore(next)
  const isKnown = before !== undefined && position.output !== undefined
  return [
    {
      type: "gap",
      session: name,
      count,
      ...(isKnown ? { bytes: Math.max(0, position.written - before) } : {}),
      next: oldest?.seq ?? journal.next
    }
  ]
}

/** Moves a position to the beginning of a session if it belongs to an earlier one of its name. Returns the number of the next entry. */
const identify = ({ id, log: { journal } }: Session, position: Position): number => {
  if (position.id !== undefined && position.id !== id) {
    ;[position.since, position.counted, position.next, position.written] = [0, 0, 1, undefined]
    if (position.output !== undefined) position.output = 0
  }
  position.id = id
  return Math.min(position.next ?? journal.next, journal.next)
}

/** Returns the lines of a followed session from its position on, and moves the position. */
const read = (session: Session, position: Position): ReadonlyArray<Feed.Line> => {
  const { journal } = session.log
  const next = identify(session, position)
  const lines: Array<Feed.Line> = gapOf(session, position, next)
  for (const entry of journal.from(next)) {
    // Events before a piece of output that was dropped may still be kept.
    position.written = Math.max(position.written ?? 0, entry.written)
    if (lines.length >= mostLines) return lines
    position.next = entry.seq + 1
    if (entry.event._tag !== "Output" && entry.seq < position.since) continue
    lines.push(...Option.toArray(lineOf(session, entry, position)))
  }
  position.next = journal.next
  position.written = journal.outputBytes
  return lines
}

/** Returns all lines of a followed session from its position on. */
const rest = (session: Session, position: Position): ReadonlyArray<Feed.Line> => {
  const lines: Array<Feed.Line> = []
  for (let more = read(session, position); more.length > 0; more = read(session, position)) lines.push(...more)
  return lines
}

/** Returns the sessions that began, changed their state or who has control, or are gone since the last call. */
const changes = ({ known, positions, request }: Reader, sessions: ReadonlyArray<Session>): ReadonlyArray<Feed.Line> => {
  const watched = request.sessions === true ? undefined : new Set(request.follow?.map(({ session }) => session))
  const listed = sessions.filter(({ name }) => watched?.has(name) ?? true)
  const lines: Array<Feed.Line> = []
  for (const [name, { session, state }] of known) {
    const now = listed.find((one) => one.name === name)
    if (now?.id === session.id) continue
    // How it ended comes before it is gone or replaced. A renamed session has not ended.
    if (session.name === name) {
      if (session.log.snapshot.state !== state) lines.push(stateLine(session))
      for (const position of positions)
        if (position.session === name && position.id === session.id) lines.push(...rest(session, position))
    }
    if (now !== undefined) continue
    known.delete(name)
    lines.push({ type: "session", session: name })
  }
  for (const session of listed) {
    const { lease, state } = session.log.snapshot
    const before = known.get(session.name)
    if (before?.session === session && before.state === state && before.lease === lease) continue
    known.set(session.name, { session, state, lease })
    lines.push(stateLine(session))
  }
  return lines
}

/** Returns the number of events that all sessions have had, and of changes of questions. */
const written = (sessions: ReadonlyArray<Session>, questions: Questions): number =>
  sessions.reduce((sum, session) => sum + nextOf(session), questions.next)

/** True if the reader gets the lines of a question: it sees all sessions, or follows that of the question. One that began also ends. */
const concerns = ({ asked, request }: Reader, only: string | undefined, { id, session }: Question.Question): boolean =>
  asked.has(id) ||
  ((only === undefined || session === only) &&
    (request.sessions === true || request.follow?.some((followed) => followed.session === session) === true))

/** Returns the questions that began or ended since the last call. */
const requests = (reader: Reader, only: string | undefined, questions: Questions): ReadonlyArray<Feed.Line> => {
  const changes = questions.changesSince(reader.change)
  reader.change = questions.next
  return changes.flatMap(({ end, question }) => {
    if (!concerns(reader, only, question)) return []
    if (end === undefined) reader.asked.add(question.id)
    else reader.asked.delete(question.id)
    return [
      {
        type: "request" as const,
        request: question,
        ...(end === undefined ? {} : { ended: end.outcome }),
        ...(end?.by === undefined ? {} : { by: end.by })
      }
    ]
  })
}

/** Makes the service. `version` is that of the product. */
const make = Effect.fnUntraced(function* (version: string) {
  const manager = yield* Manager
  const questions = yield* manager.questions

  const hello = (
    reader: Reader,
    sessions: ReadonlyArray<Session>,
    waiting: ReadonlyArray<Question.Question>
  ): ReadonlyArray<Feed.Line> => {
    reader.change = questions.next
    changes(reader, sessions)
    for (const position of reader.positions) {
      const session = reader.known.get(position.session)?.session
      // Numbers that the client has not given begin where `hello` says; a session that does not exist yet is sent from its beginning.
      position.next = session === undefined ? (position.next ?? 1) : identify(session, position)
    }
    const all = [...reader.known.values()].map(({ session }) => stateOf(session))
    const asked = waiting.filter((question) => concerns(reader, undefined, question))
    for (const { id } of asked) reader.asked.add(id)
    return [{ type: "hello", version, sessions: all, requests: asked }]
  }

  /** Completes at the next event of any session after those that were read, or when there is another session. */
  const changed = (sessions: ReadonlyArray<Session>, read: number) =>
    Effect.callback<void>((resume) => {
      const wake = () => resume(Effect.void)
      if (written(sessions, questions) !== read) return wake()
      const ends = [...sessions.map(({ log }) => log.onEvent(wake)), manager.onChange(wake), questions.onChange(wake)]
      return Effect.sync(() => {
        for (const end of ends) end()
      })
    })

  /** Marks the caller as present in the sessions that it follows. */
  const attend = (reader: Reader) =>
    Effect.forEach([...reader.known.values()], ({ session }) => session.viewpoint, { discard: true })

  /** Returns the next lines; undefined if there are none after a change. */
  const round = (reader: Reader): Effect.Effect<ReadonlyArray<Feed.Line> | undefined> =>
    Effect.gen(function* () {
      const sessions = yield* manager.sessions
      if (!reader.greeted) {
        reader.greeted = true
        const first = hello(reader, sessions, yield* questions.list)
        yield* attend(reader)
        return first
      }
      const seen = written(sessions, questions)
      const only = yield* AllowedSession.onlySession
      const lines = [
        ...changes(reader, sessions),
        ...requests(reader, only, questions),
        ...reader.positions.flatMap((position) => {
          const session = sessions.find(({ name }) => name === position.session)
          return session === undefined ? [] : read(session, position)
        })
      ]
      if (lines.length > 0) {
        reader.sentAt = [yield* MonotonicTime.now, reader.sentAt[0]]
        return lines
      }
      const woken = yield* Effect.timeoutOption(changed(sessions, seen), (reader.request.beat ?? Feed.mostQuiet) * 1000)
      yield* attend(reader)
      if (Option.isNone(woken)) return [{ type: "beat", time: yield* Clock.currentTimeMillis }]
      const now = yield* MonotonicTime.now
      const [latest, before] = reader.sentAt
      const between = now - before >= gathering.pause ? 0 : gathering.between - (now - latest)
      yield* Effect.sleep(Math.max(gathering.least, between))
      return undefined
    })

  /** Returns the next lines. The session of a confined page may have another name in each round. */
  const next = (reader: Reader): Effect.Effect<ReadonlyArray<Feed.Line>> =>
    Effect.flatMap(manager.caller, (caller) => Effect.provideService(round(reader), Caller.Current, caller)).pipe(
      Effect.flatMap((lines) => (lines === undefined ? next(reader) : Effect.succeed(lines)))
    )

  return Feed.Feed.of({
    lines: (request) =>
      Stream.unwrap(
        Effect.gen(function* () {
          const { allowance } = yield* Caller.Current
          const missing = Caller.missing(allowance, [{ effect: "observe" }])
          if (missing.length > 0) {
            const needed = missing.map((use) => ({ ...use, tier: Effects.tierOf(use.effect) }))
            return yield* new Errors.TierRequired({ operation: "stream", missing: needed })
          }
          const positions = (request.follow ?? []).map(({ id, output, session, since }) => ({
            session,
            id,
            since: since ?? 0,
            output,
            next: since ?? output,
            counted: 0,
            written: undefined
          }))
          const reader: Reader = {
            request,
            positions,
            known: new Map(),
            change: 0,
            asked: new Set(),
            greeted: false,
            sentAt: [-Infinity, -Infinity]
          }
          yield* questions.presence.observe
          yield* manager.observing
          return Stream.fromIterableEffectRepeat(next(reader))
        })
      )
  })
})

/** The stream of the sessions of a manager. */
export const layer = (version: string): Layer.Layer<Feed.Feed, never, Manager> => Layer.effect(Feed.Feed, make(version))
