/**
 * The handler of `diff`: the values of two stops, of one session or of two.
 *
 * The current stop of a session is read from the program. An earlier stop has only what was read while it was current.
 */
import { Errors, type Operations, type Variable } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Permission from "../../model/permissions/Permission.ts"
import * as Policy from "../../model/permissions/Policy.ts"
import * as StopDifference from "../../model/StopDifference.ts"
import type { Manager } from "../../session/Manager.ts"
import type { Session } from "../../session/Session.ts"
import type { StopView } from "../../session/values/StopView.ts"
import type { Reply } from "../Reply.ts"
import * as PastStops from "./PastStops.ts"
import * as Selection from "../frames/Selection.ts"

type Payload = Operations.Payload<"diff">
type Data = Operations.Data<"diff">

/** Most frames whose values are compared, members of one value, and lists of members that are read of one stop. */
const most = { frames: 32, members: 50, lists: 300 }

/** One of two stops with its stack. `isCut` is true if members were left out because there are too many. */
interface Side {
  readonly stop: Data["a"]
  readonly frames: ReadonlyArray<StopDifference.FrameNode>
  readonly isCut: boolean
  /** True if the stack has frames beyond those that were read. */
  readonly isDeeper: boolean
  /** Name of the debugger that wrote the types. */
  readonly writer: string
  /** The process, if it is known. */
  readonly pid: number | undefined
}

/** Names the debugger of a session. Debuggers write the same type in different ways. */
const writerOf = (session: Session) => session.adapter()?.name ?? ""

type Room = { lists: number }

const base = ({ attributes, name, type, value }: Variable.Variable) => ({
  name,
  value,
  ...(type === undefined ? {} : { type }),
  ...(attributes === undefined ? {} : { attributes })
})

/** Returns a value with its members, read from the program. */
const readNode = (
  session: Session,
  view: StopView,
  variable: Variable.Variable,
  depth: number,
  room: Room
): Effect.Effect<StopDifference.Node, Effect.Error<StopView["check"]>> =>
  Effect.gen(function* () {
    const node = base(variable)
    if (variable.ref === undefined) return node
    if (depth === 0 || room.lists <= 0) return { ...node, more: true }
    room.lists -= 1
    const members = yield* session.references.resolve(variable.ref, view.stop).pipe(
      Effect.flatMap((reference) => view.children(reference, 0, most.members)),
      // A value that cannot be opened is compared by its text.
      Effect.orElseSucceed(() => undefined)
    )
    yield* view.check
    if (members === undefined) return { ...node, more: true }
    const below = yield* Effect.forEach(members, (member) => readNode(session, view, member, depth - 1, room))
    return { ...node, members: below, ...(members.length >= most.members ? { more: true } : {}) }
  })

/** Returns a value with the members that were opened at a past stop. */
const keptNode = (variable: Variable.Variable, depth: number): StopDifference.Node => {
  const { child_count: count = 0, children } = variable
  // A kept value has no reference, so a pointer without members may have some.
  return children === undefined || depth === 0
    ? {
        ...base(variable),
        ...(count > 0 || children !== undefined || /0x0*[1-9a-f]/.test(variable.value) ? { more: true } : {})
      }
    : {
        ...base(variable),
        members: children.map((member) => keptNode(member, depth - 1)),
        ...(children.length >= most.members || children.length < count ? { more: true } : {})
      }
}

/** Reads the current stop of a session. */
const present = Effect.fnUntraced(function* (session: Session, depth: number) {
  const view = yield* session.view
  const thread = yield* Selection.threadOf(session, view, undefined)
  const { frames } = yield* view.stack(thread.id, 0, most.frames)
  const room: Room = { lists: most.lists }
  const shown = yield* Effect.forEach(
    frames.filter(({ hidden }) => hidden !== true),
    Effect.fnUntraced(function* (frame) {
      const located = yield* view.frame(thread.id, frame.index)
      const locals = yield* view.locals(located).pipe(Effect.catchTag("AdapterError", () => Effect.undefined))
      const values =
        locals === undefined
          ? undefined
          : yield* Effect.forEach(locals, (variable) => readNode(session, view, variable, depth, room))
      const { function: name, line } = frame
      return {
        function: name,
        ...(line === undefined ? {} : { line }),
        ...(values === undefined ? {} : { values })
      }
    })
  )
  yield* view.check
  const place = frames.find(({ hidden }) => hidden !== true)
  const side: Side = {
    stop: {
      session: session.name,
      stop: view.stop,
      from: "program",
      ...(place === undefined ? {} : { location: placeOf(place) })
    },
    frames: shown,
    isCut: room.lists <= 0,
    isDeeper: frames.length >= most.frames,
    writer: writerOf(session),
    pid: session.log.snapshot.pid
  }
  return side
})

const placeOf = ({
  file,
  function: name,
  line
}: {
  readonly file?: string
  readonly function: string
  readonly line?: number
}) => ({
  function: name,
  ...(file === undefined ? {} : { file }),
  ...(line === undefined ? {} : { line })
})

/** Returns what was read at an earlier stop of a session. */
const kept = Effect.fnUntraced(function* (session: Session, stop: number, depth: number) {
  const past = yield* PastStops.find(session, stop)
  const { readings, report, stopped } = past
  const thread = stopped.thread ?? report?.thread?.id ?? readings?.threads[0]
  const stack = thread === undefined ? undefined : readings?.stack(thread)
  const own = report?.user_frame ?? 0
  const frames = (stack?.frames ?? report?.frames ?? []).filter(({ hidden }) => hidden !== true)
  const location = past.place
  const side: Side = {
    stop: { session: session.name, stop, from: "record", ...(location === undefined ? {} : { location }) },
    frames: frames.slice(0, most.frames).map(({ function: name, index, line, ref }) => {
      const values = readings?.locals(ref) ?? (index === own ? report?.locals : undefined)
      return {
        function: name,
        ...(line === undefined ? {} : { line }),
        ...(values === undefined ? {} : { values: values.map((variable) => keptNode(variable, depth)) })
      }
    }),
    isCut: false,
    isDeeper: frames.length >= most.frames,
    writer: writerOf(session),
    pid: past.pid
  }
  return side
})

/** A stop as a caller names it: `3`, `-1`, `web#3`, or `web` for the current stop of a session. */
const parsed = (text: string): { readonly session?: string; readonly stop?: number } => {
  const [, session, stop] = /^(?:([A-Za-z][\w.-]*))?(?:#?(-?\d+))?$/.exec(text) ?? []
  // A session may have a name that ends with digits: only `#` separates the number from it.
  if (session !== undefined && !text.includes("#")) return { session: text }
  return {
    ...(session === undefined ? {} : { session }),
    ...(stop === undefined ? {} : { stop: Number(stop) })
  }
}

/** Returns the payload with the session of the second stop, if no stop is one of the selected session. */
export const selecting = (payload: Payload): Payload => {
  const [a, b] = [parsed(payload.a ?? ""), parsed(payload.b ?? "")]
  const isNamed = b.session !== undefined && (payload.a === undefined || a.session !== undefined)
  return payload.session === undefined && isNamed ? { ...payload, session: b.session } : payload
}

/** Finds the session of a stop, which the caller may read. */
const sessionOf = Effect.fnUntraced(function* (manager: Manager["Service"], selected: Session, name?: string) {
  if (name === undefined || name === selected.name) return selected
  const found = yield* manager.select({ session: name })
  yield* Policy.check(found.policy, yield* Permission.Uses)
  return found
})

const read = Effect.fnUntraced(function* (session: Session, stop: number | undefined, depth: number) {
  const { state, stop: newest } = session.log.snapshot
  const number = stop === undefined ? undefined : PastStops.numberOf(session, stop)
  if (number === undefined) {
    // The last stop of a program that has ended is the newest that there is.
    return state === "stopped" ? yield* present(session, depth) : yield* endedOrRunning(session, depth)
  }
  return state === "stopped" && number === newest ? yield* present(session, depth) : yield* kept(session, number, depth)
})

const endedOrRunning = Effect.fnUntraced(function* (session: Session, depth: number) {
  const { state, stop } = session.log.snapshot
  if (state !== "exited" && state !== "terminated") return yield* present(session, depth)
  return yield* kept(session, stop, depth)
})

const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`

/** Returns what was not compared, in sentences. */
const leftOut = (found: StopDifference.Difference, sides: ReadonlyArray<Side>): ReadonlyArray<string> => [
  ...(found.notRead.length === 0 ? [] : [`values of ${found.notRead.join(", ")}: not read at both stops`]),
  ...(found.cut === 0 ? [] : [`${plural(found.cut, "value")} beyond the text or the members that were read`]),
  ...(found.unknown === 0 ? [] : [`${plural(found.unknown, "value")} that the debugger cannot read`]),
  ...(found.owners === 0 ? [] : [`${plural(found.owners, "value")} with the owner of a lock, which is a thread id`]),
  ...(found.ignored === 0 ? [] : [`${plural(found.ignored, "value")} that ignore names`]),
  ...(sides.some(({ isCut }) => isCut) ? [`members beyond the first ${most.lists} lists`] : []),
  ...sides.flatMap(({ frames, stop }) =>
    frames.length > 0 ? [] : [`stop #${stop.stop} of ${stop.session}: its stack was not read`]
  ),
  ...(sides.some(({ isDeeper }) => isDeeper) ? [`frames beyond the innermost ${most.frames}`] : []),
  "globals, registers, frames of runtimes, and other threads than the one that stopped"
]

/** How values are compared, and how many differences are shown. */
type Options = Pick<Payload, "depth" | "ignore" | "limit">

/** Compares two stops that were read. */
const compared = (a: Side, b: Side, { ignore, limit }: Options): Reply<Data> => {
  const found = StopDifference.compare(a.frames, b.frames, {
    ignore,
    types: a.writer === b.writer,
    sameProcess: a.stop.session === b.stop.session && a.pid !== undefined && a.pid === b.pid
  })
  const total = found.frames.reduce((sum, { vars }) => sum + vars.length, 0)
  let room = limit
  const frames = found.frames.map((frame) => {
    const vars = frame.vars.slice(0, room)
    room -= vars.length
    return { ...frame, vars }
  })
  const data: Data = {
    a: a.stop,
    b: b.stop,
    frames,
    values: found.values,
    compared: found.compared,
    left_out: leftOut(found, [a, b])
  }
  return {
    data,
    truncated: total <= limit ? [] : [{ path: "data.frames", shown: limit, total, hints: [] }]
  }
}

/** Compares the current stops of two sessions. */
export const between = Effect.fnUntraced(function* (a: Session, b: Session, options: Options) {
  return compared(yield* present(a, options.depth), yield* present(b, options.depth), options)
})

/** Handles `diff`. */
export const diff = Effect.fnUntraced(function* (manager: Manager["Service"], selected: Session, payload: Payload) {
  const second = parsed(payload.b ?? "")
  const other = yield* sessionOf(manager, selected, second.session)
  const b = yield* read(other, second.stop, payload.depth)
  const first = payload.a === undefined ? { session: other.name, stop: b.stop.stop - 1 } : parsed(payload.a)
  if (payload.a === undefined && b.stop.stop < 2) {
    return yield* new Errors.InvalidState({
      problem: "this is the first stop, so there is none to compare with"
    })
  }
  const a = yield* read(yield* sessionOf(manager, selected, first.session), first.stop, payload.depth)
  return compared(a, b, payload)
})
