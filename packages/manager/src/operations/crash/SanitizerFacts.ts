/**
 * The report of a sanitizer at the current stop.
 */
import { type Explanation, FunctionName, type Location } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as AddressReport from "../../model/crashes/AddressReport.ts"
import * as CoreProcess from "../../model/cores/CoreProcess.ts"
import * as CoreText from "../../model/cores/CoreText.ts"
import * as RaceReport from "../../model/crashes/RaceReport.ts"
import * as RuntimeFrames from "../../model/RuntimeFrames.ts"
import { FileReader } from "../../ports/FileReader.ts"
import type { Faults, MemoryEvent } from "../../ports/Faults.ts"
import type { Session } from "../../session/Session.ts"
import { type Finding, present, type StopPlace } from "./StopFindings.ts"
import * as UserFrame from "../frames/UserFrame.ts"

const userPlaces = ({ frames }: MemoryEvent): ReadonlyArray<Location.Position> => {
  const own = frames.filter(RuntimeFrames.isUserFrame)
  return (own.length === 0 ? frames.slice(0, 1) : own)
    .slice(0, 3)
    .map(({ hidden: _, locals: __, repeat: ___, raised: ____, ...place }) => place)
}

const eventOf = (event: MemoryEvent | undefined): Explanation.MemoryEvent | undefined =>
  event === undefined ? undefined : { thread: event.thread, frames: userPlaces(event) }

/** `written before in add`: an earlier access in a line. */
const earlier = ({ access, frames: [first] }: Explanation.RacingAccess): string =>
  `${access === "read" ? "read" : "written"} before in ${first?.function ?? "an unknown function"}`

const hex = (value: bigint) => `0x${value.toString(16)}`

/** The reports in core files, by session. */
const kept = new WeakMap<Session, { readonly report: AddressReport.AddressReport | undefined }>()

/** Returns the report that AddressSanitizer kept in the memory of a core file. */
const reportInCore = Effect.fnUntraced(function* (session: Session, tool: "AddressSanitizer" | "LeakSanitizer") {
  const { existing } = session.launch
  if (existing?.kind !== "core") return undefined
  const known = kept.get(session)
  if (known !== undefined) return known.report
  const files = yield* FileReader
  const pid = session.log.snapshot.pid ?? (yield* CoreProcess.pid(existing.file, files))
  if (pid === undefined) return undefined
  const text = yield* CoreText.find(existing.file, AddressReport.begin(pid, tool), AddressReport.longest, files)
  const report = text === undefined ? undefined : AddressReport.parse(text)
  kept.set(session, { report })
  return report
})

/** Returns the parts of a report of ThreadSanitizer that an answer has. */
export const partsOf = (
  report: RaceReport.RaceReport | undefined
): Pick<Explanation.SanitizerReport, "accesses" | "allocated" | "freed" | "object"> => {
  if (report === undefined) return {}
  const { accesses, allocated, freed, object } = report
  return {
    ...(accesses.length < 2 ? {} : { accesses }),
    ...(object === undefined ? {} : { object }),
    ...(allocated === undefined ? {} : { allocated }),
    ...(freed === undefined ? {} : { freed })
  }
}

/** ` in main app.cpp:34`: the innermost frame of an event. */
const placeText = ([first]: ReadonlyArray<Location.Position>): string => {
  if (first?.function === undefined) return ""
  const { file, function: name, line } = first
  const at =
    file === undefined ? "" : ` ${file.slice(file.lastIndexOf("/") + 1)}${line === undefined ? "" : `:${line}`}`
  return ` in ${FunctionName.short(name)}${at}`
}

const threadText = (thread: number) => (thread === 0 ? "the main thread" : `thread T${thread}`)

/** Says which locks form a cycle, and where a thread was created that was not joined. */
const threadFacts = Effect.fnUntraced(function* (
  { created, order = [] }: RaceReport.RaceReport,
  faults: Faults | undefined
) {
  const nameOf = Effect.fnUntraced(function* (address: string) {
    const symbol = faults === undefined ? undefined : yield* faults.symbol(BigInt(address))
    return symbol === undefined || symbol.offset !== 0 ? address : symbol.name
  })
  const texts: Array<string> = []
  for (const { frames, held, locked, thread } of order) {
    const [one, other] = [yield* nameOf(locked), yield* nameOf(held)]
    texts.push(`${threadText(thread)} locked ${one} while it held ${other}${placeText(frames)}`)
  }
  if (created?.thread !== undefined) {
    texts.push(`${threadText(created.thread)}, created${placeText(created.frames)}, was not joined`)
  }
  return texts.map((text): Explanation.Fact => ({ kind: "report", text, by: "output" }))
})

/** Returns the report in the output before the stop, which has more than the debugger knows, or in the core file. */
const writtenReport = Effect.fnUntraced(function* (session: Session, tool: string) {
  if (tool !== "AddressSanitizer" && tool !== "LeakSanitizer") return undefined
  if (session.launch.existing?.kind === "core") return yield* reportInCore(session, tool)
  return AddressReport.inOutput(UserFrame.outputAtStop(session, AddressReport.longest))
})

/** Explains the report of a sanitizer at a stop. */
export const find = Effect.fnUntraced(function* (
  session: Session,
  place: StopPlace,
  cause: RuntimeFrames.Cause | undefined
) {
  const { faults } = (yield* session.connection).inspection
  const report = faults === undefined ? undefined : yield* faults.report(place.top.handle)
  const description = cause?.description === undefined ? undefined : session.secrets.inText(cause.description)
  const [tool = "sanitizer", words = ""] = description?.split(": ") ?? []
  const found = yield* writtenReport(session, report?.tool ?? tool)
  // A report that was written before another one is of another error.
  const written = report?.kind === undefined || report.kind === found?.kind ? found : undefined
  // LLDB has the address 0 where its own report has none.
  const address = report?.address === 0n ? written?.address : (report?.address ?? written?.address)
  const history = faults === undefined || address === undefined ? [] : yield* faults.history(address)
  const kind = report?.kind ?? written?.kind ?? RuntimeFrames.sanitizerKind(words)
  const output = tool === "ThreadSanitizer" ? UserFrame.outputAtStop(session, AddressReport.longest) : ""
  const read = output === "" ? undefined : RaceReport.parse(output)
  const race = read?.kind === kind ? read : undefined
  const [racing, ...others] = race?.accesses ?? []
  const allocated =
    eventOf(history.find((event) => event.kind === "allocated")) ?? race?.allocated ?? written?.allocated
  const freed = eventOf(history.find((event) => event.kind === "freed")) ?? race?.freed ?? written?.freed
  const { access = racing?.access, size = racing?.size } =
    report?.access === undefined ? (written ?? {}) : { access: report.access, size: report.size }
  const at = address ?? (racing === undefined ? undefined : BigInt(racing.address))
  const object = race?.object ?? (written?.object === undefined ? undefined : session.secrets.inText(written.object))
  const sanitizer: Explanation.SanitizerReport = {
    tool: report?.tool ?? tool,
    kind: kind === "" ? "unknown" : kind,
    ...(access === undefined ? {} : { access }),
    ...(size === undefined ? {} : { size }),
    ...(at === undefined || at === 0n ? {} : { address: hex(at) }),
    ...partsOf(race),
    ...(allocated === undefined ? {} : { allocated }),
    ...(freed === undefined ? {} : { freed }),
    ...(object === undefined ? {} : { object })
  }
  const detail = written?.detail === undefined ? "" : ` (${session.secrets.inText(written.detail)})`
  const what =
    access === undefined ? "" : ` ${access === "read" ? "reading" : "writing"} ${size} byte${size === 1 ? "" : "s"}`
  const where = sanitizer.address === undefined ? "" : ` at ${sanitizer.address}`
  const said = report?.summary ?? written?.summary ?? description
  const isCore = session.launch.existing?.kind === "core"
  const fact: Explanation.Fact | undefined =
    said === undefined
      ? undefined
      : {
          kind: "report",
          text: session.secrets.inText(RuntimeFrames.withoutBuild(said)),
          by: report?.summary !== undefined ? "sanitizer" : isCore && written !== undefined ? "core" : "output"
        }
  const more = race === undefined ? [] : yield* threadFacts(race, faults)
  const finding: Finding = {
    what: "sanitizer",
    // Without the name of the tool, the word before the summary says what it is.
    summary: `${sanitizer.tool === "sanitizer" ? "" : `${sanitizer.tool}: `}${sanitizer.kind}${detail}${what}${where}`,
    line: [
      `${sanitizer.kind}${detail}${what}`,
      ...others.map(earlier),
      ...(sanitizer.tool === "AddressSanitizer" && object !== undefined ? [object] : []),
      ...(freed === undefined ? [] : [`freed in ${freed.frames[0]?.function ?? "an unknown function"}`]),
      ...(allocated === undefined ? [] : [`allocated in ${allocated.frames[0]?.function ?? "an unknown function"}`])
    ].join(", "),
    facts: [...present(fact), ...more],
    sanitizer
  }
  return finding
})
