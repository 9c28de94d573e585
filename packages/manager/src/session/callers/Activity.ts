/**
 * Records what callers do in a session as `Acted` events.
 *
 * A call that does more than read is one event. Reads of one actor at one stop are joined: the first is an event at once, the
 * others are one event when the actor acts or the program leaves the stop. So an actor that only reads fills no journal. The
 * first reads of an agent, 8 with different commands, are events at once, so that a person who watches sees what it looks at.
 */
import { Caller, Effects, Errors, type Event, Operation, ShellWords } from "@sigtrap/protocol"
import * as Commands from "@sigtrap/protocol/grammar/Commands"
import * as Fiber from "effect/Fiber"
import * as Predicate from "effect/Predicate"
import * as CallArguments from "../../model/permissions/CallArguments.ts"
import * as Permission from "../../model/permissions/Permission.ts"
import type { Secrets } from "../../model/secrets/Secrets.ts"
import * as ActedValues from "./ActedValues.ts"
import type { EventLog } from "../events/EventLog.ts"

/** Maximum length of a command in an event, in characters. */
const maxCommand = 200

/** Maximum length of the message of an error in an event, in characters. */
const maxMessage = 200

/** Most reads that one event names. */
const mostNamed = 8

/** Reads of one actor at one stop that are not in the journal yet. */
interface Reads {
  readonly actor: Caller.Actor
  readonly stop: number
  readonly commands: Array<string>
  readonly expressions: Set<string>
  /** The commands that are in the journal. */
  readonly told: Set<string>
  count: number
}

/** The fields of operations that name expressions. */
const expressionFields = ["expressions", "expression", "names"]

type Given = ReturnType<typeof CallArguments.of>

/** Returns the expressions in the arguments of a call, at most 8. */
const expressionsOf = (given: Given): ReadonlyArray<string> =>
  expressionFields
    .flatMap((field) => given[field] ?? [])
    .filter(Predicate.isString)
    .slice(0, mostNamed)

/** What a call read or evaluated, and what it answered. */
interface Subjects {
  readonly expressions: Iterable<string>
  readonly values?: ReadonlyArray<Event.ActedValue>
}

const withSubjects = ({ expressions, values = [] }: Subjects) => {
  const named = [...expressions].slice(0, mostNamed)
  return { ...(named.length === 0 ? {} : { expressions: named }), ...(values.length === 0 ? {} : { values }) }
}

/** Returns the code of an error, and the first line of its message, which is cut. */
const failureOf = (error: Errors.SigtrapError, secrets: Secrets) => {
  const [line = ""] = error.message.split("\n")
  const masked = secrets.inData(line.slice(0, 4 * maxMessage))
  return {
    code: Errors.meta(error).code,
    message: masked.length > maxMessage ? `${masked.slice(0, maxMessage)}…` : masked,
    ...("reason" in error && typeof error.reason === "string" ? { reason: error.reason } : {})
  }
}

/** Returns a call as a command line, without the fields that have their default. */
const lineOf = (operation: Permission.Running["operation"], given: Given): string => {
  const line = ShellWords.join(Commands.wordsOf(operation, given))
  return line.length > maxCommand ? `${line.slice(0, maxCommand)}…` : line
}

/** Returns a call as a command line, without the fields that have their default. Secrets are masked. */
export const commandOf = ({ operation, payload }: Pick<Permission.Running, "operation" | "payload">): string =>
  lineOf(operation, CallArguments.of(operation._tag, payload))

/** True if none of these effects is more than reading. */
export const onlyReads = (uses: ReadonlyArray<Effects.Use>): boolean =>
  uses.every(({ effect }) => effect === "observe" || effect === "read-file")

/** Reads that do not count as activity, because clients repeat them to see what happens. */
const chatter: ReadonlySet<string> = new Set(["status", "events", "output", "wait", "session.info", "capabilities"])

/** Returns `emit` for events that a call causes, in the fiber of that call. The debugger moves breakpoints by itself. */
export const byCaller =
  ({ emit }: EventLog) =>
  (event: Event.Event): void => {
    if (event._tag !== "BreakpointChanged" || event.change === "moved") return emit(event)
    const fiber = Fiber.getCurrent()
    const operation = fiber?.getRef(Permission.Call)?.operation
    const isOfResume = operation !== undefined && Operation.meta(operation).execution === "resume"
    emit({ ...event, ...(isOfResume ? { operation: operation._tag } : {}) }, fiber?.getRef(Caller.Current).actor)
  }

/** The activity of one session. */
export class Activity {
  readonly #log: () => EventLog
  readonly #secrets: Secrets
  /** By actor. */
  readonly #reads = new Map<string, Reads>()

  /** `log` is made after the activity, which its observer uses. */
  constructor(log: () => EventLog, secrets: Secrets) {
    this.#log = log
    this.#secrets = secrets
  }

  /** Records a call that has ended: with its answer or its error. */
  record(
    actor: Caller.Actor,
    running: Permission.Running,
    ended: { readonly answer: unknown } | { readonly error: Errors.SigtrapError }
  ): void {
    if (chatter.has(running.operation._tag) && onlyReads(running.uses)) return
    // Secrets are masked in the arguments.
    const given = CallArguments.of(running.operation._tag, running.payload)
    const command = lineOf(running.operation, given)
    const expressions = expressionsOf(given)
    const failure = "error" in ended ? failureOf(ended.error, this.#secrets) : undefined
    const values = "answer" in ended ? ActedValues.of(running, ended.answer, expressions, this.#secrets) : []
    if (failure === undefined && onlyReads(running.uses)) return this.#read(actor, command, { expressions, values })
    this.#flush(Caller.id(actor))
    this.#log().emit(
      {
        _tag: "Acted",
        tier: Effects.strongest(running.uses),
        operation: running.operation._tag,
        command,
        ok: failure === undefined,
        ...(running.operation._tag === "eval" ? withSubjects({ expressions, values }) : {}),
        ...failure
      },
      actor
    )
  }

  /** Records the reads of all actors, because the program leaves the stop. */
  leave(): void {
    for (const id of this.#reads.keys()) this.#flush(id)
  }

  #read(actor: Caller.Actor, command: string, subjects: Subjects): void {
    const id = Caller.id(actor)
    const { stop } = this.#log().snapshot
    const known = this.#reads.get(id)
    if (known?.stop === stop) {
      if (Caller.role(actor) === "agent" && known.told.size < mostNamed && !known.told.has(command)) {
        known.told.add(command)
        return this.#tell(actor, command, subjects)
      }
      known.count += 1
      if (known.commands.length < mostNamed && !known.commands.includes(command)) known.commands.push(command)
      for (const one of subjects.expressions) known.expressions.add(one)
      return
    }
    this.#flush(id)
    this.#reads.set(id, { actor, stop, commands: [], expressions: new Set(), told: new Set([command]), count: 0 })
    this.#tell(actor, command, subjects)
  }

  /** Records one read. */
  #tell(actor: Caller.Actor, command: string, subjects: Subjects): void {
    const read = { _tag: "Acted", tier: "observe", operation: "read", command, ok: true } as const
    this.#log().emit({ ...read, ...withSubjects(subjects) }, actor)
  }

  #flush(id: string): void {
    const reads = this.#reads.get(id)
    if (reads === undefined) return
    this.#reads.delete(id)
    if (reads.count === 0) return
    const read = { _tag: "Acted", tier: "observe", operation: "read", ok: true } as const
    this.#log().emit(
      {
        ...read,
        command: reads.commands.join("; "),
        ...withSubjects(reads),
        joined: reads.count
      },
      reads.actor
    )
  }
}

/** True for a payload that waits for what comes next. */
export const isFollowing = (payload: unknown): boolean =>
  Predicate.isReadonlyObject(payload) && payload["follow"] === true
