// No deadline depends on the wall clock, which an administrator or a time server may set at any moment: a step backwards would
// hold the end of a program for that long. Elapsed time is measured with `MonotonicTime`.
import { assert, describe, it } from "@effect/vitest"
import { members } from "./syntax.ts"
import { inBrowser, none, read, sources } from "./sources.ts"

/** Modules that read the wall clock, and what for. */
const timestamps = new Map([
  ["packages/host/src/audit/AuditLog.ts", "the time of a record"],
  ["apps/cli/src/commands/GrantCommand.ts", "the time at which a token expires"],
  ["apps/cli/src/commands/AuditCommand.ts", "times of today and before now in `log --audit`"],
  ["packages/host/src/daemon/Daemon.ts", "the start time in `daemon status`"],
  ["packages/manager/src/session/OwnedProcesses.ts", "the start time in the record of a session"],
  ["packages/backends/src/dap/start/PrestartedAdapters.ts", "the start time in the record of an adapter"],
  ["packages/manager/src/session/events/EventLog.ts", "the time of an event"],
  ["packages/manager/src/launch/IntentRequest.ts", "the time of a recorded request"],
  ["packages/host/src/daemon/tokens/GrantStore.ts", "the times of a token, which also count while no daemon runs"],
  ["packages/host/src/daemon/tokens/PageCodes.ts", "the time at which a page code expires"],
  ["packages/host/src/daemon/records/IntentStore.ts", "the age of a file, compared with its modification time"],
  ["packages/host/src/config/ConfigCache.ts", "the age of a file, compared with its modification time"],
  ["packages/manager/src/session/SessionFeed.ts", "the time of a beat"],
  ["packages/manager/src/session/consent/Questions.ts", "when a question began and until when it is open"],
  ["packages/manager/src/session/callers/SessionLease.ts", "since when and until when a client has control"],
  ["packages/manager/src/session/callers/Viewpoints.ts", "since when a client is known"],
  ["packages/host/src/daemon/SlowCalls.ts", "the time at which a call began"],
  ["packages/host/src/tracing/Collector.ts", "the period of a metric"],
  ["packages/manager/src/breakpoints/HitCounts.ts", "the time of a hit"]
])

/** The wall clock, and the parts of Effect that measure with it (their sources read `currentTimeMillis`). */
const wall = new RegExp(
  [
    String.raw`\.currentTime(?:Millis|Nanos)(?:Unsafe)?$`,
    String.raw`^Date\.now$`,
    String.raw`^new Date\(\)$`,
    String.raw`^DateTime\.now`,
    String.raw`^Effect\.cached\w*WithTTL$`,
    String.raw`^Schedule\.(?:fixed|windowed|cron|during|elapsed)$`,
    String.raw`^Stream\.(?:throttle|debounce|groupedWithin)`,
    String.raw`^(?:Cache|ScopedCache|Pool|RcMap|LayerMap)\.make`
  ].join("|")
)

/** Returns the places where a module reads the wall clock. */
const reads = (path: string, text: string): ReadonlyArray<string> =>
  members(text)
    .filter(({ name }) => wall.test(name))
    .map(({ line, name }) => `${path}:${line} ${name} is the wall clock; measure with MonotonicTime`)

const modules = sources.filter(
  (path) => /^(?:packages|apps)\/\w+\/src\//.test(path) && !path.includes("/testing/") && !inBrowser(path)
)

describe("the wall clock", () => {
  it("is read only for timestamps", () => {
    none(modules.filter((path) => !timestamps.has(path)).flatMap((path) => reads(path, read(path))))
  })

  it("is read by every module of the list", () => {
    none([...timestamps.keys()].filter((path) => reads(path, read(path)).length === 0))
  })

  it("is found in every form", () => {
    for (const line of [
      "yield* Clock.currentTimeMillis",
      "clock.currentTimeMillisUnsafe()",
      "yield* Clock.currentTimeNanos",
      "Date.now()",
      "setTimeout(end, Date.now() - since)",
      "new Date().getTime()",
      "Effect.cachedWithTTL(read, 1000)",
      "Schedule.fixed(100)"
    ]) {
      assert.lengthOf(reads("a.ts", `const run = function* () { ${line} }`), 1, line)
    }
    for (const line of ["new Date(time).toISOString()", "MonotonicTime.now", "Effect.cached(read)"]) {
      assert.lengthOf(reads("a.ts", `const run = () => { ${line} }`), 0, line)
    }
  })
})
