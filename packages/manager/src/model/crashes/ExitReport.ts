/**
 * What the runtime of an ended program wrote about its end: a sanitizer, Rust, Go or Python. Its text counts only together with the exit code
 * that this runtime uses, and for a sanitizer with the line with which it ends the program: a program may continue after a report.
 */
import * as RuntimeFrames from "../RuntimeFrames.ts"
import * as RustPanic from "./RustPanic.ts"

/** What was written. `summary` is the finding in one line, `text` the line that has it. */
export interface ExitReport {
  readonly what: "sanitizer" | "crash" | "exit"
  readonly summary: string
  readonly text: string
  readonly sanitizer?: { readonly tool: string; readonly kind: string }
  /** LeakSanitizer ended the program because it has a debugger. */
  readonly isLeakCheck?: true
}

/** A sanitizer: the exit codes that it uses, and the line with which it ends the program, if it writes one. */
interface Tool {
  readonly codes: ReadonlyArray<number>
  readonly last?: RegExp
}

const tools: { readonly [name: string]: Tool } = {
  AddressSanitizer: { codes: [1], last: /^==\d+==ABORTING$/ },
  MemorySanitizer: { codes: [1, 77], last: /^Exiting$/ },
  ThreadSanitizer: { codes: [66] }
}

/** The exit codes of a program with leaks: of AddressSanitizer, and of LeakSanitizer alone. */
const leakCodes: ReadonlySet<number> = new Set([1, 23])

const sanitizer = (lines: ReadonlyArray<string>, code: number): ExitReport | undefined => {
  const index = lines.findLastIndex((line) => /^SUMMARY: \w+Sanitizer: /.test(line))
  const text = lines[index]?.slice("SUMMARY: ".length).replace(/\.$/, "")
  if (text === undefined) return undefined
  const [tool = "", words = ""] = text.split(": ")
  const { codes, last } = tools[tool] ?? { codes: [] }
  const isEnd = codes.includes(code) && (last === undefined || lines.slice(index).some((line) => last.test(line)))
  const isLeak = / leaked in \d+ allocation/.test(words) && leakCodes.has(code)
  if (!isEnd && !isLeak) return undefined
  const kind = RuntimeFrames.sanitizerKind(words)
  return { what: "sanitizer", summary: `${tool}: ${kind}`, text, sanitizer: { tool, kind } }
}

/** LeakSanitizer, which ends the program because it has a debugger. */
const leakCheck = (lines: ReadonlyArray<string>, code: number): ExitReport | undefined =>
  leakCodes.has(code) && lines.some((line) => /LeakSanitizer has encountered a fatal error/.test(line))
    ? {
        what: "exit",
        summary: `exited with code ${code}: LeakSanitizer does not work under a debugger`,
        text: "LeakSanitizer ended the program; with ASAN_OPTIONS=detect_leaks=0 it is not used",
        isLeakCheck: true
      }
    : undefined

/** The exit code after a panic of the main thread of Rust. */
const rustCode = 101

const rust = (lines: ReadonlyArray<string>, code: number): ExitReport | undefined => {
  const found = code === rustCode ? RustPanic.of(lines) : undefined
  if (found === undefined) return undefined
  return { what: "crash", summary: `panic: ${found.message}`, text: found.line.replace(/:$/, "") }
}

/** The exit code after a panic or a fatal error of Go. */
const goCode = 2

const go = (lines: ReadonlyArray<string>, code: number): ExitReport | undefined => {
  const index = code === goCode ? lines.findIndex((line) => /^(?:panic|fatal error): /.test(line)) : -1
  const line = lines[index]
  if (line === undefined || !lines.slice(index).some((one) => /^goroutine \d+ .*\[/.test(one))) return undefined
  const text = lines.slice(index).find((one) => /^\t\S+\.go:\d+/.test(one))
  return { what: "crash", summary: line, text: text === undefined ? line : text.trim().replace(/ \+0x[0-9a-f]+$/, "") }
}

/** The exit code of a program with data races that the race detector of Go found. */
const goRaceCode = 66

/** An access of a data race, and the function and the place of it. */
const goAccess = /^((?:Previous )?(?:atomic )?(?:read|write)) at 0x[0-9a-f]+ by .*:$/i

const goRace = (lines: ReadonlyArray<string>, code: number): ExitReport | undefined => {
  const isEnd = code === goRaceCode && lines.some((line) => /^Found \d+ data race\(s\)$/.test(line))
  const index = isEnd ? lines.lastIndexOf("WARNING: DATA RACE") : -1
  if (index === -1) return undefined
  const after = lines.slice(index)
  const accesses = after.flatMap((line, at) => {
    const access = goAccess.exec(line)?.[1]?.toLowerCase()
    const name = after[at + 1]?.trim().replace(/\(\)$/, "")
    const place = /^\s+(\S.*:\d+)/.exec(after[at + 2] ?? "")?.[1]
    return access === undefined || name === undefined || place === undefined ? [] : [`${access} in ${name} ${place}`]
  })
  const sanitizer = { tool: "Go race detector", kind: "data race" }
  return {
    what: "sanitizer",
    summary: `${sanitizer.tool}: ${sanitizer.kind}`,
    text: accesses.length === 0 ? "WARNING: DATA RACE" : accesses.join(", "),
    sanitizer
  }
}

/** The exit code after an exception of Python that nothing caught. A program may also write a traceback itself and exit so. */
const pythonCode = 1

/** Files of pydevd, a debugger for Python, which may be on the stack of an exception that its trace function raised. */
const debuggers = /(?:^|[/\\])_?pydevd\w*[/\\]/

const python = (lines: ReadonlyArray<string>, code: number): ExitReport | undefined => {
  const index = code === pythonCode ? lines.lastIndexOf("Traceback (most recent call last):") : -1
  if (index === -1) return undefined
  const written = lines.slice(index + 1)
  const end = written.findIndex((line) => /^[A-Za-z_][\w.]*(?:: |$)/.test(line))
  const exception = written[end]
  const places = written.slice(0, Math.max(end, 0)).flatMap((line) => {
    const [, file = "", number, name = ""] = /^ {2}File "(.*)", line (\d+)(?:, in (.*))?$/.exec(line) ?? []
    return number === undefined || debuggers.test(file) ? [] : [`${name} ${file}:${number}`.trim()]
  })
  const place = places.at(-1)
  if (exception === undefined || place === undefined) return undefined
  const summary = `exited with code ${code}; the last traceback is of ${exception}`
  return { what: "exit", summary, text: `${exception}, in ${place}` }
}

/** Returns what the last text on standard error says about an exit with a code; undefined if it says nothing. */
export const of = (stderr: string, code: number): ExitReport | undefined => {
  const lines = stderr.split("\n").map((line) => line.trimEnd())
  return (
    sanitizer(lines, code) ??
    leakCheck(lines, code) ??
    rust(lines, code) ??
    go(lines, code) ??
    goRace(lines, code) ??
    python(lines, code)
  )
}
