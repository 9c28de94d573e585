/**
 * Intent records and events of the sessions, in the runtime directory: `intent/NAME.jsonl`, `events/NAME.jsonl` and, for
 * older events, `events.old/NAME.jsonl`.
 *
 * The runtime directory belongs to one daemon at a time, whose lock is held when this layer is built, so every record that
 * exists then belongs to a daemon that has ended. The first line of an intent record has the version of its format. A
 * record is compacted when it is opened again, and when it is much larger than its content. Nothing is flushed to the
 * disk: a record survives the end of the daemon, not a power cut. Records are removed after seven days.
 */
import { FileReader, IntentStore } from "@sigtrap/manager"
import { Session } from "@sigtrap/protocol"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import { randomBytes } from "node:crypto"
import { readdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { RuntimeDirectory } from "../../runtime/RuntimeDirectory.ts"
import * as IntentRecord from "./IntentRecord.ts"
import { draftSuffix, type Write } from "./RecordFile.ts"
import * as RecordLines from "./RecordLines.ts"

/** Time for which the records of a lost session are kept, in milliseconds. */
const lifetime = 7 * 24 * 60 * 60_000

/** Largest record that is read, in bytes. */
const purpose: FileReader.Purpose = { limit: 64 * 1024 * 1024, owned: true, direct: true }

const namesIn = (directory: string): ReadonlyArray<string> => {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

const ageOf = (path: string, now: number): number => {
  try {
    return now - statSync(path).mtimeMs
  } catch {
    return 0
  }
}

const suffix = IntentRecord.fileOf("")

/** Removes drafts, and files of sessions that are not open and did not change for seven days. */
const sweep = (directory: string, isOpen: (name: string) => boolean, now: number): void => {
  for (const file of namesIn(directory)) {
    const path = join(directory, file)
    const isOld = ageOf(path, now) > lifetime && !isOpen(file.slice(0, -suffix.length))
    if (file.endsWith(draftSuffix) || isOld) rmSync(path, { force: true })
  }
}

const isName = Schema.is(Session.Name)

/** Returns why a record that was read cannot be used. */
const problemOf = ({ version }: IntentRecord.Read): string =>
  version === undefined
    ? "it is damaged from its first line on"
    : version === IntentRecord.version
      ? "it contains no complete request"
      : `it has version ${version} of the format, and this sigtrap reads version ${IntentRecord.version}`

/** Why changes at the end of a record are missing. */
const damage = "its record is damaged, so the newest changes are missing"

/** The records of an earlier daemon. */
interface Earlier {
  readonly lost: ReadonlyArray<IntentStore.Lost>
  readonly unreadable: ReadonlyArray<IntentStore.Unreadable>
}

/** Reads the records of an earlier daemon. A record that cannot be used is reported and stays. */
const readAll = Effect.fnUntraced(function* (
  at: IntentRecord.Directories
): Effect.fn.Return<Earlier, never, FileReader.FileReader> {
  const reader = yield* FileReader.FileReader
  const text = (path: string) => reader.text(path, purpose)
  const events = (directory: string, file: string) =>
    text(join(directory, file)).pipe(
      Effect.map(IntentRecord.readEvents),
      Effect.orElseSucceed((): ReadonlyArray<IntentStore.StoredEvent> => [])
    )
  const lost: Array<IntentStore.Lost> = []
  const unreadable: Array<IntentStore.Unreadable> = []
  for (const file of namesIn(at.intent).filter((name) => name.endsWith(suffix))) {
    const name = file.slice(0, -suffix.length)
    if (!isName(name)) continue
    const { intent, isDamaged, problem } = yield* text(join(at.intent, file)).pipe(
      Effect.map(IntentRecord.read),
      Effect.map((read) => ({ ...read, problem: problemOf(read) })),
      Effect.catch((error) => Effect.succeed({ intent: undefined, isDamaged: true, problem: error.message }))
    )
    if (intent === undefined) {
      yield* Effect.logWarning(`intent: the record of ${name} cannot be used: ${problem}`)
      unreadable.push({ name, problem, record: IntentRecord.unusable(name, { directories: at }) })
      continue
    }
    if (isDamaged) yield* Effect.logWarning(`intent: ${name}: ${damage}`)
    const stored = [...(yield* events(at.older, file)), ...(yield* events(at.events, file))]
    lost.push({ name, intent, events: stored, ...(isDamaged ? { damage } : {}) })
  }
  return { lost, unreadable }
})

/** Options of a store. */
export interface Options {
  /** Writes to a descriptor; used by tests to make writes fail. */
  readonly write?: Write
}

/** Keeps records in the runtime directory; first reads those of the previous daemon. */
export const layerWith = (
  options: Options
): Layer.Layer<IntentStore.IntentStore, never, RuntimeDirectory | FileReader.FileReader> =>
  Layer.effect(
    IntentStore.IntentStore,
    Effect.gen(function* () {
      const at = IntentRecord.directories((yield* RuntimeDirectory).directory)
      const run = Effect.runForkWith(yield* Effect.context<never>())
      const open = new Set<string>()
      const sweepAll = Effect.map(Clock.currentTimeMillis, (now) => {
        for (const directory of Object.values(at)) sweep(directory, (name) => open.has(name), now)
      })
      yield* sweepAll
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep("1 hour"), sweepAll)))
      const earlier = yield* Ref.make(yield* readAll(at))

      const recordOptions: IntentRecord.Options = {
        directories: at,
        write: options.write,
        report: (problem) => void run(Effect.logWarning(`intent: cannot write: ${problem}`)),
        renamed: (before, next) => {
          open.delete(before)
          if (next !== undefined) open.add(next)
        }
      }
      const begin = (name: string, intent: Parameters<typeof IntentRecord.make>[1], keepsEvents: boolean) => {
        open.add(name)
        return IntentRecord.make(name, intent, keepsEvents, recordOptions)
      }
      return IntentStore.IntentStore.of({
        create: (name, intent) => begin(name, intent, false),
        open: ({ intent, name }) => begin(name, intent, true),
        lost: Ref.modify(earlier, (all) => [all.lost, { ...all, lost: [] }]),
        unreadable: Ref.modify(earlier, (all) => [all.unreadable, { ...all, unreadable: [] }]),
        environment: Object.fromEntries(
          Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
        ),
        salt: () => randomBytes(12).toString("hex"),
        digest: RecordLines.digest
      })
    })
  )

/** Keeps records in the runtime directory. */
export const layer = layerWith({})
