/**
 * What sessions own, as one file a session in the runtime directory, and the sweep after a daemon that was killed.
 *
 * Whoever builds this layer holds the daemon's lock: every record found at that moment belongs to a daemon that is
 * gone. Its adapters are given a moment to end by themselves, since the end of their input lets go of the program in
 * the right order; what remains is killed, each process only after its start time was compared. A program that was
 * attached to is never touched.
 */
import { Ledger, Processes } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { RuntimeDirectory } from "../runtime/RuntimeDirectory.ts"

/** How long an adapter may take to end by itself after its daemon died, in milliseconds. */
const GRACE = 300

const Record = Schema.fromJsonString(Ledger.Entry)
const decode = Schema.decodeEffect(Record)
const encode = Schema.encodeSync(Record)

const attempt = (what: string, body: () => void) =>
  Effect.try(body).pipe(Effect.catch((error) => Effect.logWarning(`ledger: cannot ${what}: ${String(error.cause)}`)))

const same = (a: Processes.ProcessId, b: Processes.ProcessId | undefined) => a.pid === b?.pid && a.started === b.started

/** Ends what a session of a dead daemon left behind. */
const sweep = Effect.fnUntraced(function* (entry: Ledger.Entry) {
  const processes = yield* Processes.Processes
  const { adapter, debuggee, launched } = entry
  if (adapter !== undefined) {
    const now = yield* processes.identify(adapter.pid)
    if (now._tag === "Some" && same(now.value, adapter)) {
      const below = yield* processes.descendants(adapter.pid)
      yield* processes.awaitExit(adapter, GRACE)
      yield* processes.kill(adapter, "SIGKILL")
      yield* Effect.forEach(
        below.filter((process) => launched || !same(process, debuggee)),
        (process) => processes.kill(process, "SIGKILL")
      )
    }
  }
  if (launched && debuggee !== undefined) {
    yield* processes.kill(debuggee, "SIGKILL")
    yield* processes.awaitExit(debuggee, 1000)
  }
})

const read = Effect.fnUntraced(function* (path: string) {
  const text = yield* Effect.try(() => readFileSync(path, "utf8"))
  return yield* decode(text)
})

/** Keeps the records in `sessions/` of the runtime directory, and sweeps those of the daemon before. */
export const layer: Layer.Layer<Ledger.Ledger, never, RuntimeDirectory | Processes.Processes> = Layer.effect(
  Ledger.Ledger,
  Effect.gen(function* () {
    const { sessions } = yield* RuntimeDirectory
    yield* attempt(`make ${sessions}`, () => mkdirSync(sessions, { recursive: true, mode: 0o700 }))
    const path = (name: string) => join(sessions, `${name}.json`)
    const found = yield* Effect.try(() => readdirSync(sessions)).pipe(
      Effect.orElseSucceed((): ReadonlyArray<string> => [])
    )
    const records = yield* Effect.forEach(
      found.filter((file) => file.endsWith(".json")),
      Effect.fnUntraced(function* (file) {
        const entry = yield* read(join(sessions, file)).pipe(
          Effect.tapError((error) => Effect.logWarning(`ledger: ${file} is unreadable: ${String(error)}`)),
          Effect.option
        )
        if (entry._tag === "Some") yield* sweep(entry.value)
        yield* attempt(`remove ${file}`, () => rmSync(join(sessions, file), { force: true }))
        return entry
      }),
      { concurrency: "unbounded" }
    )
    const lost = yield* Ref.make(records.flatMap((entry) => (entry._tag === "Some" ? [entry.value] : [])))
    let written = 0
    return Ledger.Ledger.of({
      write: (entry) =>
        attempt(`write the record of ${entry.name}`, () => {
          const draft = `${path(entry.name)}.${process.pid}.${written++}`
          writeFileSync(draft, encode(entry), { mode: 0o600, flag: "wx", flush: true })
          renameSync(draft, path(entry.name))
        }),
      remove: (name) => attempt(`remove the record of ${name}`, () => rmSync(path(name), { force: true })),
      lost: Ref.getAndSet(lost, [])
    })
  })
)
