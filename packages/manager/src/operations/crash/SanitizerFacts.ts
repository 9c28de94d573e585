/**
 * The report of a sanitizer at the current stop.
 */
import type { Explanation, Location } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as AddressReport from "../../model/crashes/AddressReport.ts"
import * as CoreText from "../../model/cores/CoreText.ts"
import * as RaceReport from "../../model/crashes/RaceReport.ts"
import * as RuntimeFrames from "../../model/RuntimeFrames.ts"
import { FileReader } from "../../ports/FileReader.ts"
import type { MemoryEvent } from "../../ports/Faults.ts"
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
const reportInCore = Effect.fnUntraced(function* (session: Session) {
  const { existing } = session.launch
  const { pid } = session.log.snapshot
  if (existing?.kind !== "core" || pid === undefined) return undefined
  const known = kept.get(session)
  if (known !== undefined) return known.report
  const files = yield* FileReader
  const text = yield* CoreText.find(existing.file, AddressReport.begin(pid), AddressReport.longest, files)
  const report = text === undefined ? undefined : AddressReport.parse(text)
  kept.set(session, { report })
  return report
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
  const core = report === undefined && tool === "AddressSanitizer" ? yield* reportInCore(session) : undefined
  const history = faults === undefined || report?.address === undefined ? [] : yield* faults.history(report.address)
  const kind = report?.kind ?? core?.kind ?? RuntimeFrames.sanitizerKind(words)
  const race = kind === "data race" ? RaceReport.parse(UserFrame.outputAtStop(session)) : undefined
  const [racing, ...others] = race?.accesses ?? []
  const allocated = eventOf(history.find(({ kind }) => kind === "allocated")) ?? race?.allocated ?? core?.allocated
  const freed = eventOf(history.find(({ kind }) => kind === "freed")) ?? core?.freed
  const { access = racing?.access, size = racing?.size } = report ?? core ?? {}
  const address = (report ?? core)?.address ?? (racing === undefined ? undefined : BigInt(racing.address))
  const sanitizer: Explanation.SanitizerReport = {
    tool: report?.tool ?? tool,
    kind: kind === "" ? "unknown" : kind,
    ...(access === undefined ? {} : { access }),
    ...(size === undefined ? {} : { size }),
    ...(address === undefined || address === 0n ? {} : { address: hex(address) }),
    ...(allocated === undefined ? {} : { allocated }),
    ...(freed === undefined ? {} : { freed }),
    ...(race === undefined ? {} : { accesses: race.accesses }),
    ...(race?.object === undefined ? {} : { object: race.object })
  }
  const what =
    access === undefined ? "" : ` ${access === "read" ? "reading" : "writing"} ${size} byte${size === 1 ? "" : "s"}`
  const at = sanitizer.address === undefined ? "" : ` at ${sanitizer.address}`
  const said = report?.summary ?? core?.summary ?? description
  const fact: Explanation.Fact | undefined =
    said === undefined
      ? undefined
      : {
          kind: "report",
          text: session.secrets.inText(said),
          by: report?.summary !== undefined ? "sanitizer" : core === undefined ? "output" : "core"
        }
  const finding: Finding = {
    what: "sanitizer",
    summary: `${sanitizer.tool}: ${sanitizer.kind}${what}${at}`,
    line: [
      `${sanitizer.kind}${what}`,
      ...others.map(earlier),
      ...(freed === undefined ? [] : [`freed in ${freed.frames[0]?.function ?? "an unknown function"}`]),
      ...(allocated === undefined ? [] : [`allocated in ${allocated.frames[0]?.function ?? "an unknown function"}`])
    ].join(", "),
    facts: present(fact),
    sanitizer
  }
  return finding
})
