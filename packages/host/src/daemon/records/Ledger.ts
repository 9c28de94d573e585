/**
 * Records of the processes that each session owns, one file per session in the runtime directory, and the cleanup after
 * a daemon that was killed.
 *
 * This layer is built under the daemon's lock, so every record that exists then belongs to a daemon that has ended. Its
 * adapters get a short time to exit: at the end of their input they detach from the program or kill it, in the right
 * order. Remaining processes are killed, each only if its start time matches. An attached program is never killed. Probes of the kernel
 * are removed.
 */
import { Ledger, Processes } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { purposes } from "@sigtrap/manager/ports/FileReader"
import { reader } from "../../files/FileReader.ts"
import * as KernelProbes from "../../process/KernelProbes.ts"
import * as Directories from "../../runtime/Directories.ts"
import { RuntimeDirectory } from "../../runtime/RuntimeDirectory.ts"
import { draftSuffix, RecordFile } from "./RecordFile.ts"

/** Time for an adapter to exit after its daemon was killed, in milliseconds. */
const GRACE = 300

const Record = Schema.fromJsonString(Ledger.Entry)
const decode = Schema.decodeEffect(Record)
const encode = Schema.encodeSync(Record)

const attempt = <A>(what: string, body: () => A) =>
  Effect.try(body).pipe(Effect.catch((error) => Effect.logWarning(`ledger: cannot ${what}: ${String(error.cause)}`)))

const same = (a: Processes.ProcessId, b: Processes.ProcessId | undefined) => a.pid === b?.pid && a.started === b.started

/** Kills the remaining processes of a session of a killed daemon. */
const cleanUp = Effect.fn("Ledger.cleanUp")(function* (entry: Ledger.Entry) {
  const processes = yield* Processes.Processes
  const { adapter, debuggee, home, launched } = entry
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
  // Helpers of an adapter that had exited before. Those of an attached one may still detach.
  const helpers = home === undefined ? [] : yield* processes.carrying(home)
  yield* Effect.forEach(
    helpers.filter((process) => launched || !same(process, debuggee)),
    (process) => Effect.andThen(processes.awaitExit(process, GRACE), processes.kill(process, "SIGKILL")),
    { concurrency: "unbounded" }
  )
  if (launched && debuggee !== undefined) {
    yield* processes.kill(debuggee, "SIGKILL")
    yield* processes.awaitExit(debuggee, 1000)
  }
})

const read = Effect.fnUntraced(function* (path: string) {
  const text = yield* reader.text(path, purposes.record)
  return yield* decode(text)
})

/** Keeps records in `sessions/` of the runtime directory; first cleans up those of the previous daemon. */
export const layer: Layer.Layer<Ledger.Ledger, never, RuntimeDirectory | Processes.Processes> = Layer.effect(
  Ledger.Ledger,
  Effect.gen(function* () {
    const { sessions } = yield* RuntimeDirectory
    yield* attempt(`make ${sessions}`, () => Directories.make(sessions, 0o700))
    const path = (name: string) => join(sessions, `${name}.json`)
    const found = yield* Effect.try(() => readdirSync(sessions)).pipe(
      Effect.orElseSucceed((): ReadonlyArray<string> => [])
    )
    for (const draft of found.filter((file) => file.endsWith(draftSuffix))) {
      yield* attempt(`remove ${draft}`, () => rmSync(join(sessions, draft), { force: true }))
    }
    const records = yield* Effect.forEach(
      found.filter((file) => file.endsWith(".json")),
      Effect.fnUntraced(function* (file) {
        const entry = yield* read(join(sessions, file)).pipe(
          Effect.tapError((error) => Effect.logWarning(`ledger: ${file} is unreadable: ${String(error)}`)),
          Effect.option
        )
        if (entry._tag === "Some") yield* cleanUp(entry.value)
        yield* attempt(`remove ${file}`, () => rmSync(join(sessions, file), { force: true }))
        return entry
      }),
      { concurrency: "unbounded" }
    )
    const { identify } = yield* Processes.Processes
    if (process.platform === "linux") yield* KernelProbes.removeLeftovers(KernelProbes.thisMachine(identify))
    const lost = yield* Ref.make(
      records.flatMap((entry) => (entry._tag === "Some" && entry.value.prestarted !== true ? [entry.value] : []))
    )
    return Ledger.Ledger.of({
      write: Effect.fn("Ledger.write")((entry) =>
        Effect.map(
          attempt(`write the record of ${entry.name}`, () => {
            new RecordFile(path(entry.name)).replace(encode(entry))
            return true
          }),
          (isWritten) => isWritten === true
        )
      ),
      remove: Effect.fn("Ledger.remove")((name) =>
        attempt(`remove the record of ${name}`, () => rmSync(path(name), { force: true }))
      ),
      lost: Ref.getAndSet(lost, [])
    })
  })
)
