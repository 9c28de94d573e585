/**
 * The handler of `output`: the program's output by pages. `follow` waits until a page is not empty.
 */
import { Errors, Hint, type Operations, OutputPage, Pattern } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Session } from "../../session/Session.ts"
import * as OutputReader from "../OutputReader.ts"
import type { Reply } from "../Reply.ts"
import * as JournalPages from "./JournalPages.ts"

type OutputData = Operations.Data<"output">

const badPattern = ({ problem }: Pattern.Invalid) =>
  new Errors.Usage({ problem, near: [], remedies: [Hint.again("output", { match: "error|warning" })] })

const end: OutputPage.Cursor = { seq: Number.MAX_SAFE_INTEGER, offset: 0 }

/** Handles `output`. */
export const output = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"output">) {
  const pattern =
    payload.match === undefined ? undefined : yield* Effect.mapError(Pattern.compile(payload.match), badPattern)
  const { journal } = session.log
  const shown = payload.reveal ? journal : session.maskedOutput
  if (payload.new && (payload.since !== undefined || payload.tail !== undefined)) {
    const problem = "new reads from where this client stopped reading, so since and tail cannot be used with it"
    return yield* new Errors.Usage({ problem, near: [], remedies: [Hint.again("output", { new: true })] })
  }
  const viewpoint = yield* session.viewpoints.current
  const from = payload.new ? viewpoint.outputRead : OutputPage.read(payload.since ?? 0)
  const request: OutputReader.Request = {
    direction: payload.new ? { backward: false, lines: false } : OutputPage.directionOf(payload),
    channels: payload.channel,
    from,
    to: payload.before === undefined ? end : OutputPage.read(payload.before),
    limit: payload.limit,
    lines: payload.tail,
    pattern
  }
  const read = Effect.suspend(() => {
    // Before the page is read: what arrives meanwhile is read at once.
    const { next } = journal
    return Effect.map(OutputReader.page(shown, request), (page) => ({
      page,
      found: page.entries.length > 0 || page.truncated === true,
      next
    }))
  })
  // What lies before a cursor does not grow.
  const follow = payload.follow && payload.before === undefined
  const page = yield* JournalPages.following(session, { ...payload, follow }, read)
  // With `before`, a surface takes back what it could not show.
  if (payload.new && payload.before !== undefined) viewpoint.outputRead = OutputPage.read(payload.before)
  else if (payload.before === undefined) viewpoint.readOutput(OutputPage.read(OutputPage.nextOf(page)))
  const cleared = payload.clear ? { cleared: journal.clearOutput() } : {}
  // Stored output is cleared too; otherwise a later daemon would show it again.
  if (payload.clear) yield* session.spool.clear
  const data: OutputData = {
    ...page,
    ...(session.launch.terminal === undefined ? {} : { channels: "merged" as const }),
    ...cleared
  }
  return { data, truncated: OutputPage.truncations(data) } satisfies Reply<OutputData>
})
