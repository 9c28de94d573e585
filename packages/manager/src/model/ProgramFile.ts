/**
 * Reads facts about a program file that its user needs before and after the start: whether this machine can run it, and
 * whether it has debug information.
 *
 * Reads ELF files and the header of Mach-O files. Nothing is said about other formats and about files that cannot be read.
 */
import { type Answer, Errors, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import { Backend, type LaunchRequest } from "../ports/Backend.ts"
import * as CoreFile from "./cores/CoreFile.ts"
import * as DebugFiles from "./DebugFiles.ts"
import { type FileReader, purposes } from "../ports/FileReader.ts"
import type { Machine } from "../ports/Processes.ts"

/** Maximum size of a table that is read, in bytes. */
const maxTable = 1024 * 1024

/** Names of processors by their number in an ELF header, as `uname -m` writes them. */
const elfMachines: Readonly<Record<number, string>> = {
  3: "i386",
  8: "mips",
  20: "powerpc",
  21: "ppc64",
  22: "s390x",
  40: "arm",
  62: "x86_64",
  183: "arm64",
  243: "riscv",
  258: "loongarch"
}

/** Names of processors by their number in a Mach-O header. */
const machoMachines: Readonly<Record<number, string>> = { 0x1000007: "x86_64", 0x100000c: "arm64" }

/** Names of processors by those of Node.js, and the processors whose programs each of them can run. */
const runs: Readonly<Record<string, { readonly name: string; readonly also: ReadonlyArray<string> }>> = {
  x64: { name: "x86_64", also: ["i386"] },
  arm64: { name: "arm64", also: ["arm"] }
}

/** The file's format, its processor, and for ELF its loader and the names of its sections. */
interface Program {
  readonly format: "ELF" | "Mach-O"
  readonly machine: string
  readonly loader?: string
  readonly sections: ReadonlySet<string>
  /** The name of the file that has the debug information, if the program names one. */
  readonly debugFile?: string
}

const ascii = (bytes: Uint8Array) => new TextDecoder("latin1").decode(bytes)

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

type Read = (at: number, length: number) => Effect.Effect<Uint8Array>

/** Offsets in a header and its tables: of 64-bit files, then of 32-bit files. */
interface Layout {
  readonly word: (view: DataView, at: number) => number
  readonly headers: readonly [table: number, size: number, count: number]
  readonly sections: readonly [table: number, size: number, count: number, names: number]
  readonly segment: readonly [offset: number, size: number]
  readonly section: readonly [offset: number, size: number]
}

const layoutOf = (wide: boolean, little: boolean): Layout =>
  wide
    ? {
        word: (view, at) => Number(view.getBigUint64(at, little)),
        headers: [32, 54, 56],
        sections: [40, 58, 60, 62],
        segment: [8, 32],
        section: [24, 32]
      }
    : {
        word: (view, at) => view.getUint32(at, little),
        headers: [28, 42, 44],
        sections: [32, 46, 48, 50],
        segment: [4, 16],
        section: [16, 20]
      }

/** Reads the entries of a table in an ELF file; none if the file ends before its end. */
const entriesOf = Effect.fnUntraced(function* (read: Read, at: number, size: number, count: number) {
  const table = size < 32 ? new Uint8Array(0) : yield* read(at, size * count)
  return Array.from({ length: Math.floor(table.length / Math.max(size, 1)) }, (_, index) =>
    viewOf(table.subarray(index * size, (index + 1) * size))
  )
})

const elfOf = Effect.fnUntraced(function* (header: Uint8Array, read: Read) {
  const view = viewOf(header)
  const little = header[5] === 1
  const layout = layoutOf(header[4] === 2, little)
  const number = view.getUint16(18, little)
  const half = (at: number) => view.getUint16(at, little)
  const [segmentTable, segmentSize, segmentCount] = layout.headers
  const segments = yield* entriesOf(read, layout.word(view, segmentTable), half(segmentSize), half(segmentCount))
  const named = segments.find((segment) => segment.getUint32(0, little) === 3)
  const loader =
    named === undefined
      ? undefined
      : ascii(yield* read(layout.word(named, layout.segment[0]), Math.min(layout.word(named, layout.segment[1]), 4096)))
  const [table, size, count, names] = layout.sections
  const sections = yield* entriesOf(read, layout.word(view, table), half(size), half(count))
  const strings = sections[half(names)]
  const [offset, length] = layout.section
  const textOf = (section: DataView | undefined) =>
    section === undefined
      ? Effect.succeed("")
      : Effect.map(read(layout.word(section, offset), layout.word(section, length)), ascii)
  const text = yield* textOf(strings)
  const nameOf = (section: DataView) => {
    const at = section.getUint32(0, little)
    return text.slice(at, text.indexOf("\0", at))
  }
  const link = sections.find((section) => nameOf(section) === ".gnu_debuglink")
  const debugFile = (yield* textOf(link)).replace(/\0.*$/s, "")
  const program: Program = {
    format: "ELF",
    machine: elfMachines[number] ?? `processor ${number}`,
    ...(loader === undefined ? {} : { loader: loader.replace(/\0.*$/s, "") }),
    ...(debugFile === "" ? {} : { debugFile }),
    sections: new Set(sections.map(nameOf))
  }
  return program
})

/** Reads a program file; undefined if it has another format or cannot be read. */
const programOf = (file: string, files: FileReader["Service"]): Effect.Effect<Program | undefined> =>
  Effect.gen(function* () {
    const opened = yield* files.parts(file, purposes.binary)
    const read: Read = (at, length) =>
      length > maxTable || !Number.isSafeInteger(at) ? Effect.succeed(new Uint8Array(0)) : opened.read(at, length)
    const header = yield* read(0, 64)
    if (header.length < 52) return undefined
    const magic = viewOf(header).getUint32(0)
    if (magic === 0x7f454c46) return header[4] === 2 && header.length < 64 ? undefined : yield* elfOf(header, read)
    if (magic !== 0xcffaedfe) return undefined
    const number = viewOf(header).getUint32(4, true)
    const program: Program = {
      format: "Mach-O",
      machine: machoMachines[number] ?? `processor ${number}`,
      sections: new Set()
    }
    return program
  }).pipe(
    Effect.scoped,
    Effect.orElseSucceed(() => undefined)
  )

/** Returns why this machine cannot run a program; undefined if it can, or if that is unknown. */
const obstacle = Effect.fnUntraced(function* (
  { format, loader, machine }: Program,
  own: Machine,
  exists: (file: string) => Effect.Effect<boolean>
) {
  const here = runs[own.arch]
  if (format === "Mach-O") {
    // Rosetta runs programs for x86_64.
    const isRunnable = own.platform === "darwin" && !(machine === "arm64" && own.arch === "x64")
    return isRunnable
      ? undefined
      : `it is a macOS program for ${machine}, and this machine is ${own.platform} ${here?.name ?? own.arch}`
  }
  if (own.platform === "darwin") return `it is an ELF program for ${machine}, and this machine runs macOS programs`
  if (here === undefined || machine === here.name) return undefined
  if (!here.also.includes(machine)) return `it is built for ${machine}, and this machine is ${here.name}`
  return loader === undefined || loader === "" || (yield* exists(loader))
    ? undefined
    : `it is built for ${machine}, and the loader of such programs, ${loader}, is not installed`
})

/** Fails if this machine cannot run the program of a launch request. */
export const checkRunnable = Effect.fnUntraced(function* (
  { existing, program: file }: LaunchRequest,
  files: FileReader["Service"],
  machine: Machine | undefined,
  exists: (file: string) => Effect.Effect<boolean>
) {
  if (existing !== undefined || machine === undefined) return
  const program = yield* programOf(file, files)
  const detail = program === undefined ? undefined : yield* obstacle(program, machine, exists)
  if (detail !== undefined) return yield* new Errors.LaunchFailed({ program: file, detail })
})

/** Largest first line of a script that is read, in bytes. */
const firstLine = 256

/** The first bytes of ELF and Mach-O files. */
const headers = /^(?:\x7fELF|\xcf\xfa\xed\xfe|\xce\xfa\xed\xfe|\xfe\xed\xfa[\xce\xcf]|\xca\xfe\xba\xbe)/

/**
 * Fails with the error of a start. If a debugger of native programs could not start a file, the error says that the file is a script, and
 * what runs it, or that it is not a program.
 */
export const explained = Effect.fnUntraced(function* (
  error: Errors.LaunchFailed,
  launch: LaunchRequest,
  files: FileReader["Service"]
): Effect.fn.Return<never, Errors.LaunchFailed, Backend> {
  const { runsSource } = yield* Backend
  const isSource = yield* runsSource?.(launch.program, launch) ?? Effect.succeed(false)
  return yield* isSource ? error : yield* withContents(error, files)
})

const withContents = Effect.fnUntraced(function* (error: Errors.LaunchFailed, files: FileReader["Service"]) {
  if (error.remedies !== undefined || error.build !== undefined) return error
  const bytes = yield* files.parts(error.program, purposes.binary).pipe(
    Effect.flatMap((opened) => opened.read(0, firstLine)),
    Effect.scoped,
    Effect.orElseSucceed(() => undefined)
  )
  if (bytes === undefined) return error
  const [, interpreter, rest = ""] = /^#!\s*(\S+)([^\n]*)/.exec(new TextDecoder().decode(bytes)) ?? []
  if (interpreter === undefined) {
    if (headers.test(ascii(bytes.subarray(0, 4)))) return error
    const detail =
      bytes.length === 0
        ? "the file is empty"
        : "it is not a program: the file begins like no ELF or Mach-O executable, and not with #!"
    return new Errors.LaunchFailed({ program: error.program, detail })
  }
  const words = [
    interpreter,
    ...rest
      .trim()
      .split(/\s+/)
      .filter((word) => word !== "")
  ]
  // Options of env and its variables precede the program that it runs (env(1)).
  const named = words.findIndex((word, index) => index > 0 && !/^-|=/.test(word))
  const runs = interpreter.endsWith("/env") && named > 0 ? words.slice(named) : words
  const [program = interpreter, ...args] = runs
  return new Errors.LaunchFailed({
    program: error.program,
    detail: `it is a script, and ${program} runs it: start that program to debug it`,
    remedies: [Hint.call("start", { program, args: [...args, error.program] })]
  })
})

/** Sections that have debug information. */
const debugging = [".debug_info", ".zdebug_info", ".debug_line", ".stab"]

/** Returns the files that may have the debug information of a program. */
const debugFiles = (file: string, debugFile: string | undefined, build: string | undefined): ReadonlyArray<string> => {
  const directory = file.slice(0, file.lastIndexOf("/"))
  const byBuildId = DebugFiles.byBuildId(build ?? "")
  return [
    ...(byBuildId === undefined ? [] : [byBuildId]),
    ...(debugFile === undefined
      ? []
      : [directory, `${directory}/.debug`, `${DebugFiles.installed}${directory}`].map(
          (folder) => `${folder}/${debugFile}`
        ))
  ]
}

/** Returns a warning if a program has no debug information, in the file itself or where packages install it. */
export const withoutDebugInformation = Effect.fnUntraced(function* (
  file: string,
  files: FileReader["Service"],
  exists: (file: string) => Effect.Effect<boolean>
): Effect.fn.Return<ReadonlyArray<Answer.Warning>> {
  const program = file === "" ? undefined : yield* programOf(file, files)
  // Debug information of a Mach-O program is in other files.
  if (program?.format !== "ELF" || debugging.some((name) => program.sections.has(name))) return []
  const others = debugFiles(file, program.debugFile, yield* CoreFile.buildId(file, files))
  const found = yield* Effect.forEach(others, exists)
  if (found.includes(true)) return []
  const name = file.split("/").at(-1) ?? file
  return [{ code: "NO_DEBUG_INFORMATION", message: `no debug information in ${name} (compile with -g)` }]
})

/** Returns a warning if the file of an attached program is not the one that the process runs. */
export const replaced = ({ existing, program }: LaunchRequest): ReadonlyArray<Answer.Warning> =>
  existing?.kind === "process" && existing.replaced === true
    ? [
        {
          code: "PROGRAM_REPLACED",
          message: `${program} was replaced after this process had started: functions, lines and values may be wrong`
        }
      ]
    : []
