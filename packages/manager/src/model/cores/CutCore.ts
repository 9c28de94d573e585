/**
 * Finds core files of which the end is missing: the limit of their size (`ulimit -c`, RLIMIT_CORE in setrlimit(2)) or the disk was too small,
 * or they were not copied as a whole. LLDB opens such a file without a warning, and may show missing memory as zeros.
 *
 * Reads Linux core files (ELF). Other formats and unreadable files give no warning.
 */
import { type Answer, Errors, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import { type FileReader, purposes } from "../../ports/FileReader.ts"
import * as CoreFile from "./CoreFile.ts"

/** How much of a core file is there, and whether its registers are. */
interface Cut {
  readonly size: number
  /** The size of the whole file; absent if the table that says it is cut itself. */
  readonly whole?: number
  readonly hasNotes: boolean
}

/** Returns what is there of a core file; undefined if it is whole, or not known. */
const cutOf = (file: string, files: FileReader["Service"]): Effect.Effect<Cut | undefined> =>
  Effect.gen(function* () {
    const [read, { size }] = yield* Effect.all([CoreFile.readerOf(files, file), files.parts(file, purposes.binary)])
    const elf = yield* CoreFile.parsed(read)
    if (elf?.core !== true) return undefined
    if (elf.segments.length < Number(elf.count)) return { size, hasNotes: false }
    const end = ({ offset, size }: CoreFile.Segment) => Number(offset + size)
    const whole = Math.max(0, ...elf.segments.map(end))
    const hasNotes = elf.segments.every((one) => !CoreFile.isNote(one) || end(one) <= size)
    return whole <= size ? undefined : { size, whole, hasNotes }
  }).pipe(
    Effect.scoped,
    Effect.orElseSucceed(() => undefined)
  )

/** Fails for a core file that is cut before its registers. Returns a warning for one of which memory is missing. */
export const check = (file: string, files: FileReader["Service"]) =>
  Effect.flatMap(cutOf(file, files), (cut): Effect.Effect<ReadonlyArray<Answer.Warning>, Errors.Usage> => {
    if (cut === undefined) return Effect.succeed([])
    const whole = cut.whole === undefined ? "" : ` of ${cut.whole.toLocaleString("en")}`
    const parts = `${cut.size.toLocaleString("en")}${whole} bytes are there`
    if (!cut.hasNotes) {
      const problem = `the core file ${file} is cut before its registers: ${parts}`
      return Effect.fail(new Errors.Usage({ problem, near: [], remedies: [Hint.remedy("ulimit -c unlimited")] }))
    }
    const message = `the core file is cut: ${parts}. The debugger may show missing memory as zeros, and the stack may be cut`
    return Effect.succeed([{ code: "CORE_CUT", message, hints: [Hint.remedy("ulimit -c unlimited")] }])
  })
