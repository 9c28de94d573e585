/** Runs one walk through a program under GDB and under sigtrap, and compares what both say at each stop. */
import { Effect, Result } from "effect"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type { Frame, Stop, Variable } from "@sigtrap/protocol"
import { environment, type Debugging } from "../support/fixturePrograms.ts"

const script = fileURLToPath(new URL("gdbAnswers.py", import.meta.url))

/** The GDB to compare with. */
export const gdb = environment["SIGTRAP_GDB"] ?? "gdb"

/** A command that both understand. */
export type Command = "continue" | "next" | "step" | "finish"

/** A program, where it stops, and how it is walked through. Places are written as both debuggers understand them. */
export interface Walk {
  readonly name: string
  /** A source file of fixtures/compared. */
  readonly source: string
  readonly breakpoints: ReadonlyArray<string>
  readonly commands: ReadonlyArray<Command>
  /** The only compiler whose programs are walked; absent for both. */
  readonly compiler?: "gcc" | "clang"
  /** The builds of `npm test`, such as `gcc-O0`; the others are part of `npm run ci`. */
  readonly brief?: ReadonlyArray<string>
}

/** A backend of sigtrap. */
export type Backend = "dap" | "lldb-cli"

/** What both debuggers need of a walk. */
type Places = Pick<Walk, "breakpoints" | "commands"> & { readonly addresses?: ReadonlyArray<string> }

/** A value as GDB's script prints it: the text of a scalar, or the members of an aggregate in order. */
type Plain = string | number | boolean | { readonly char: number } | ReadonlyArray<Plain>

interface GdbFrame {
  readonly function: string | null
  readonly line: number | null
  /** Copied into its caller by the compiler. */
  readonly inlined?: boolean
  /** The lines of all rows of the line table that begin where the row of this frame begins. */
  readonly lines?: ReadonlyArray<number>
}

/** What GDB says at one stop. */
interface GdbStop {
  readonly event: "stopped" | "exited"
  readonly exit_code?: number
  readonly pc?: string
  readonly frames?: ReadonlyArray<GdbFrame>
  readonly args?: { readonly [name: string]: Plain }
  readonly locals?: { readonly [name: string]: Plain }
  readonly returned?: Plain
}

const run = promisify(execFile)

/** Returns what GDB says at each stop of a walk. */
const gdbStops = (program: string, walk: Places) =>
  Effect.promise(async () => {
    const env = { ...process.env, GDB_WALK: JSON.stringify(walk) }
    const { stdout } = await run(gdb, ["-nx", "-batch", "-x", script, program], { env, timeout: 60_000 })
    return [...stdout.matchAll(/ANSWER (\{"event".*\})$/gm)].map(([, text = ""]): GdbStop => JSON.parse(text))
  })

/** What sigtrap says at one stop. */
interface OurStop {
  readonly report: Stop.StopReport
  readonly frames: ReadonlyArray<Frame.Frame>
  readonly args: ReadonlyArray<Variable.Variable>
  readonly locals: ReadonlyArray<Variable.Variable>
}

/** Returns the name of a function without its parameters, as GDB's `frame.name()`. */
const bare = (name: string) =>
  name
    .replace(/^.* \[inlined\] /, "")
    .replace(/^::/, "")
    .replace(/^(?:static |virtual (?!thunk ))/, "")
    .replace(/(?<!operator)\((?:[^()]|\([^()]*\))*\)(?: const)?(?=$|::)/g, "")
    .replace(/^(?:int|double|T|bool) (?=larger)/, "")

const looked = Effect.fnUntraced(function* ({ call }: Debugging, report: Stop.StopReport) {
  if (report.event !== "stopped") return { report, frames: [], args: [], locals: [] }
  const { frames } = (yield* call("backtrace", {})).data
  const args = (yield* call("args", {})).data.variables.map(({ name }) => name)
  const { variables } = (yield* call("locals", { depth: 3 })).data
  const stop: OurStop = {
    report,
    frames,
    args: variables.filter(({ name }) => args.includes(name)),
    locals: variables.filter(({ name }) => !args.includes(name))
  }
  return stop
})

/** Runs a walk with sigtrap and returns what it says at each stop. `theirs` is what GDB says, if the steps shall be the same. */
const ourStops = Effect.fnUntraced(function* (
  debugging: Debugging,
  program: string,
  walk: Places,
  backend: Backend,
  theirs?: ReadonlyArray<GdbStop>
) {
  // In optimized code some places do not exist; sigtrap refuses these with the reason.
  const first = theirs === undefined ? ["main"] : [...walk.breakpoints]
  const started = yield* debugging.start(program, { backend, break: first })
  if (theirs === undefined) {
    for (const at of walk.breakpoints) {
      yield* debugging.call("break", { at }).pipe(Effect.catchTag("BreakpointUnresolved", () => Effect.void))
    }
  }
  const stops = [yield* looked(debugging, started.data)]
  for (const command of walk.commands) {
    let answer = yield* Effect.result(debugging.call(command, {}))
    // After a function has returned LLDB stops in the middle of the caller's line. sigtrap says so, and GDB may run to the next.
    if (theirs !== undefined && Result.isSuccess(answer) && answer.success.data.returned_from !== undefined) {
      const there = theirs[stops.length]?.frames?.[0]
      const { location } = answer.success.data
      if (there?.line !== location?.line || there?.function !== bare(location?.function ?? "")) {
        answer = yield* Effect.result(debugging.call(command, {}))
      }
    }
    if (Result.isFailure(answer) || answer.success.data.event !== "stopped") {
      if (Result.isSuccess(answer)) stops.push(yield* looked(debugging, answer.success.data))
      break
    }
    const stop = yield* looked(debugging, answer.success.data)
    // What is below main belongs to libc.
    if (!stop.frames.some((frame) => bare(frame.function) === "main")) break
    stops.push(stop)
  }
  yield* debugging.call("stop", {})
  return stops
})

const isList = (value: Plain): value is ReadonlyArray<Plain> => Array.isArray(value)

const missing: Frame.Frame = { index: 0, ref: "", function: "" }

const absent = /partly optimized out|^<unknown: /

/** Returns the bytes of an array of characters; undefined for other lists. */
const charactersOf = (list: ReadonlyArray<Plain>): ReadonlyArray<number> | undefined => {
  const codes = list.flatMap((one) => (typeof one === "object" && "char" in one ? [one.char & 255] : []))
  return codes.length === list.length && codes.length > 0 ? codes : undefined
}

/** The characters that C writes as a backslash and a letter. */
const escapes: { readonly [letter: string]: number } = { a: 7, b: 8, e: 27, f: 12, n: 10, r: 13, t: 9, v: 11, 0: 0 }

/** Returns whether a quoted text is that of some bytes. LLDB leaves out the zero bytes at the end. */
const isSameText = (bytes: ReadonlyArray<number>, said: string): boolean => {
  const text = /^"(.*)"$/s.exec(said)?.[1] ?? ""
  const codes = [...text.matchAll(/\\x([0-9a-f]{2})|\\(.)|(.)/gs)].map(([, hex, letter, plain = ""]) =>
    hex === undefined
      ? letter === undefined
        ? (plain.codePointAt(0) ?? 0)
        : (escapes[letter] ?? letter.codePointAt(0) ?? 0)
      : Number.parseInt(hex, 16)
  )
  const last = bytes.findLastIndex((one) => one !== 0)
  return codes.length > last && bytes.every((one, index) => one === (codes[index] ?? 0))
}

/** Returns where one value differs; nothing where sigtrap says that it does not know. */
const valueDiffers = (path: string, theirs: Plain, ours: Variable.Variable | undefined): ReadonlyArray<string> => {
  if (theirs === "<not set>" || theirs === "<deeper>") return []
  // GDB cannot compute where a virtual base is, and says nothing of the object then.
  if (typeof theirs === "string" && theirs.startsWith("<error: Cannot access memory")) return []
  // LLDB lists only variables of the blocks around the instruction.
  if (theirs === "<optimized out>" && ours === undefined) return []
  if (ours === undefined) return [`${path}: ${JSON.stringify(theirs)} | -`]
  const said = ours.value
  // Values that sigtrap reports as unknown are not compared.
  if (absent.test(said)) return []
  const differs = [`${path}: ${JSON.stringify(theirs)} | ${said}`]
  if (/optimized out|not available|unavailable/.test(said)) {
    const all = isList(theirs) ? theirs.flat(3) : [theirs]
    return all.includes("<optimized out>") ? [] : differs
  }
  if (isList(theirs)) {
    const text = charactersOf(theirs)
    if (text !== undefined && said.startsWith('"')) return isSameText(text, said) ? [] : differs
    const members = ours.children ?? []
    // GDB knows no part of the value.
    if (theirs.flat(3).every((one) => one === "<optimized out>") && members.length === 0) return []
    if (members.length === 0) return theirs.length === 0 ? [] : [`${path}: ${JSON.stringify(theirs)} | ${said}`]
    return theirs.flatMap((one, index) => valueDiffers(`${path}.${index}`, one, members[index]))
  }
  if (typeof theirs === "object" && "char" in theirs) {
    const escaped = /'\\x([0-9a-f]{2})'/.exec(said)?.[1]
    const text = escaped === undefined ? /'(.)'/.exec(said)?.[1]?.codePointAt(0) : Number.parseInt(escaped, 16)
    // A character has its number before it, except a char from 0x80 on.
    const number = /^(-?\d+)(?: '|$)/.exec(said)?.[1]
    if (number !== undefined) return Number(number) === theirs.char ? [] : differs
    return text === (theirs.char & 255) ? [] : differs
  }
  if (typeof theirs === "number") {
    return Math.fround(Number(said)) === Math.fround(theirs) ||
      Math.abs(Number(said) - theirs) <= Math.abs(theirs) * 1e-6
      ? []
      : differs
  }
  if (theirs === "<null>") return /^0x0+\b|^NULL/i.test(said) ? [] : differs
  if (theirs === "<pointer>")
    return /^(?:0x0*[1-9a-f]|\{|.*@ 0x)/.test(said) || ours.children !== undefined ? [] : differs
  return said === String(theirs) ? [] : differs
}

const named = (
  what: string,
  theirs: { readonly [name: string]: Plain },
  ours: ReadonlyArray<Variable.Variable>
): ReadonlyArray<string> => {
  const names = new Set([...Object.keys(theirs), ...ours.map(({ name }) => name.replace(/ @ .*/, ""))])
  return [...names].flatMap((name) => {
    const theirValue = theirs[name]
    // A variable that another one hides is `NAME @ FILE:LINE`.
    const ourValue = ours.findLast((one) => one.name === name || one.name.startsWith(`${name} @ `))
    return theirValue === undefined
      ? [`${what} ${name}: - | ${ourValue?.value ?? ""}`]
      : valueDiffers(`${what} ${name}`, theirValue, ourValue)
  })
}

/** Returns whether both frames are at one place; where several rows begin at one address, each debugger chooses another. */
const isSameFrame = (theirs: GdbFrame, ours: Frame.Frame) =>
  bare(theirs.function ?? "") === bare(ours.function) &&
  (theirs.line === (ours.line ?? null) || (ours.line !== undefined && theirs.lines?.includes(ours.line) === true))

const stackDiffers = (theirs: ReadonlyArray<GdbFrame>, ours: ReadonlyArray<Frame.Frame>): ReadonlyArray<string> => {
  // At the first instruction of inlined code a debugger may show it as called or as about to be called.
  const pending = theirs.length - ours.length
  const shown = pending > 0 && theirs.slice(0, pending).every((frame) => frame.inlined) ? theirs.slice(pending) : theirs
  if (shown.length === ours.length && shown.every((frame, index) => isSameFrame(frame, ours[index] ?? missing)))
    return []
  const theirText = theirs.map((frame) => `${frame.function ?? "?"}:${frame.line ?? "?"}`).join(" < ")
  return [`stack: ${theirText} | ${ours.map((frame) => `${bare(frame.function)}:${frame.line ?? "?"}`).join(" < ")}`]
}

/** Returns where one stop differs: what GDB says, a bar, what sigtrap says. */
const stopDiffers = (theirs: GdbStop | undefined, ours: OurStop | undefined): ReadonlyArray<string> => {
  if (theirs === undefined || ours === undefined || theirs.event !== ours.report.event) {
    return [`event: ${theirs?.event ?? "none"} | ${ours?.report.event ?? "none"}`]
  }
  if (theirs.event === "exited") {
    return theirs.exit_code === ours.report.exit_code
      ? []
      : [`exit code: ${theirs.exit_code} | ${ours.report.exit_code ?? "none"}`]
  }
  // What is below main has names and lines only with the debug information of libc.
  const frames = theirs.frames ?? []
  if (!frames.some((frame) => frame.function === "main")) return []
  const main = ours.frames.findIndex((frame) => bare(frame.function) === "main")
  const whole = main === -1 ? ours.frames : ours.frames.slice(0, main + 1)
  const stack = stackDiffers(frames, whole)
  // At another place other variables are to be expected.
  if (stack.length > 0) return stack
  const value = ours.report.return_value
  // Shown as about to be called: the variables of the inlined function are not visible yet.
  if (whole.length < frames.length) return []
  const returned = theirs.returned === undefined ? [] : valueDiffers("returned", theirs.returned, value)
  return [
    ...returned,
    ...named("argument", theirs.args ?? {}, ours.args),
    ...named("local", theirs.locals ?? {}, ours.locals)
  ]
}

const described = (index: number, stop: OurStop | undefined, lines: ReadonlyArray<string>) => {
  const { function: name = "", line } = stop?.report.location ?? {}
  return lines.map((one) => `stop ${index + 1} at ${name}:${line ?? ""} ${one}`)
}

/** Compares stop by stop, and returns the differences up to the first at which the two are at different places. */
const sameSteps = Effect.fnUntraced(function* (debugging: Debugging, program: string, walk: Places, backend: Backend) {
  const all = yield* gdbStops(program, walk)
  const left = all.findIndex(
    ({ event, frames = [] }) => event === "stopped" && !frames.some((one) => one.function === "main")
  )
  const theirs = left === -1 ? all : all.slice(0, left)
  const ours = yield* ourStops(debugging, program, walk, backend, theirs)
  const found: Array<string> = []
  for (let index = 0; index < Math.max(theirs.length, ours.length); index++) {
    const lines = stopDiffers(theirs[index], ours[index])
    found.push(...described(index, ours[index], lines))
    if (lines.some((one) => /^(?:event|stack)/.test(one))) break
  }
  return { stops: ours.length, found }
})

/** Most stops of GDB at the addresses of a walk. */
const mostStops = 400

/** Compares what both say at the same instructions: GDB stops at every address at which sigtrap stopped. */
const sameTruth = Effect.fnUntraced(function* (debugging: Debugging, program: string, walk: Places, backend: Backend) {
  const ours = yield* ourStops(debugging, program, walk, backend)
  const addresses = [...new Set(ours.flatMap(({ frames: [first] }) => first?.address ?? []))]
  const theirs = yield* gdbStops(program, {
    breakpoints: ["*main"],
    // Addresses of a loaded program.
    addresses,
    commands: Array.from({ length: mostStops }, (): Command => "continue")
  })
  const found: Array<string> = []
  let from = 0
  for (const [index, stop] of ours.entries()) {
    const address = stop.frames[0]?.address
    if (address === undefined) continue
    const places = [...theirs.keys()].filter((place) => {
      const { pc } = theirs[place] ?? {}
      // A step into inlined code does not move.
      return place >= from - 1 && pc !== undefined && BigInt(pc) === BigInt(address)
    })
    const at = places.find((place) => stopDiffers(theirs[place], stop).length === 0) ?? places[0]
    const lines = at === undefined ? ["event: never there | stopped"] : stopDiffers(theirs[at], stop)
    found.push(...described(index, stop, lines))
    if (at === undefined) break
    from = at + 1
  }
  return { stops: ours.length, found }
})

/** Runs a walk under both debuggers and returns the number of stops and the differences. Optimized code is stepped differently. */
export const compare = (debugging: Debugging, program: string, walk: Places, backend: Backend, optimized: boolean) =>
  optimized ? sameTruth(debugging, program, walk, backend) : sameSteps(debugging, program, walk, backend)
