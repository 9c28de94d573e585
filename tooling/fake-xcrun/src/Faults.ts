/**
 * Faults that a test injects: an ordered list of rules in `faults.json`. The first matching rule that is not used up applies
 * to a call. Faults for all commands are implemented here, others in their command.
 */
import { join } from "node:path"
import { envelope, license, noise, serviceDead, toolMissing, type Answer, type Envelope } from "./Failures.ts"
import { pause, read, write, type Phase, type World } from "./World.ts"

type Spoiled = "noise-before" | "text-instead-of-json" | "truncated" | "empty" | "invalid-utf8" | "huge" | "nul-bytes"

/** A fault; fields can be combined. */
export interface Fault {
  /** Hangs for this time, in milliseconds; with `before` before the effect, otherwise after it. */
  readonly hang?: number | "forever"
  readonly ignoreTerm?: boolean
  readonly before?: boolean
  readonly exit?: number
  readonly stderr?: string
  readonly error?: Envelope
  readonly prefix?: string
  readonly signal?: NodeJS.Signals
  /** With `exit` the text to print; otherwise how the output is corrupted. */
  readonly stdout?: Spoiled | (string & {})
  readonly stderrNoise?: boolean
  readonly slowBoot?: ReadonlyArray<Phase>
  readonly bootFails?: string
  readonly launchdDead?: boolean
  readonly stuckState?: "Booting" | "Shutting Down" | "Creating"
  /** Duration of `stuckState` in milliseconds; for ever by default. */
  readonly ms?: number
  /** The device with the stuck state, for a rule on `list`; by default every booted device. */
  readonly udid?: string
  readonly alreadyRace?: boolean
  readonly serviceDead?: "now" | `afterCalls:${number}`
  readonly sandbox?: boolean
  readonly heals?: number
  readonly launch?:
    | "exitsAtOnce"
    | "crashesAtOnce"
    | "refused"
    | "notInstalled"
    | "printsNoPid"
    | "samePid"
    | `denied:${number}`
    | `latePid:${number}`
  readonly row?: "missing" | "dash" | "duplicate" | "prefixSiblings" | "oldLabel"
  readonly pidReuse?: boolean
  readonly appDies?: number
  readonly toolMissing?: string
  readonly license?: boolean
  readonly xcodeSelect?: "clt"
  readonly locale?: string
  readonly unavailableRuntime?: string
  readonly booted?: boolean
  readonly installBlocks?: boolean
}

/** A fault and the calls that it applies to. */
export interface Rule {
  readonly match?: {
    /** `simctl`, `xcrun` (without simctl), or the name of another tool. */
    readonly tool?: string
    /** The subcommand of simctl; for `spawn` also the program, as in `spawn launchctl`. */
    readonly sub?: string
    readonly udid?: string
    /** A regular expression for the arguments, joined by blanks. */
    readonly argv?: string
  }
  /** Number of matching calls that succeed first. */
  readonly after?: number
  /** Number of calls that fail after those; -1 or absent: all. */
  readonly times?: number
  readonly do: Fault
}

interface Counters {
  readonly seq?: number
  readonly rules?: {
    readonly [index: string]: { readonly seen: number; readonly applied: number; readonly first: number }
  }
}

/** The fault of a call, with the counts of its rule. */
export interface Applied {
  readonly do: Fault
  /** Number of earlier calls that it applied to. */
  readonly applied: number
  /** Time of the first call that it applied to. */
  readonly first: number
}

/** Numbers a call and selects its fault. Requires the lock. */
export const number = (root: string, tool: string, words: ReadonlyArray<string>): { seq: number; fault?: Applied } => {
  const path = join(root, "counters.json")
  const counters = read<Counters>(path, {})
  const seq = (counters.seq ?? 0) + 1
  const rules: Record<string, { seen: number; applied: number; first: number }> = { ...counters.rules }
  const text = words.join(" ")
  let fault: Applied | undefined
  read<ReadonlyArray<Rule>>(join(root, "faults.json"), []).forEach((rule, index) => {
    const { match = {} } = rule
    const sub = match.sub?.split(" ")
    const fits =
      fault === undefined &&
      (match.tool === undefined || match.tool === tool) &&
      (sub === undefined || (tool === "simctl" && sub.every((word, at) => words[at === 0 ? 0 : at + 1] === word))) &&
      (match.udid === undefined || words.includes(match.udid)) &&
      (match.argv === undefined || new RegExp(match.argv).test(text))
    if (!fits) return
    const count = rules[index] ?? { seen: 0, applied: 0, first: Date.now() }
    const now = { ...count, seen: count.seen + 1 }
    const spent = rule.times !== undefined && rule.times >= 0 && count.applied >= rule.times
    if (!spent && now.seen > (rule.after ?? 0)) {
      fault = {
        do: rule.do,
        applied: count.applied,
        first: count.applied === 0 ? Date.now() : count.first
      }
      now.applied++
      now.first = fault.first
    }
    rules[index] = now
  })
  write(path, { seq, rules })
  return { seq, ...(fault === undefined ? {} : { fault }) }
}

/** Returns the world as changed by a fault. */
export const changed = (world: World, fault: Fault): World => {
  const clt = fault.xcodeSelect === "clt"
  const gone = fault.unavailableRuntime
  const devices = Object.entries(world.devices).map(([key, list]) => [
    key,
    key !== gone
      ? list
      : list.map((device, index) => ({
          availabilityError: 'runtime profile not found using "System" match policy',
          ...device,
          isAvailable: false,
          ...(fault.booted === true && index === 0 ? { state: "Booted" } : {})
        }))
  ])
  return {
    ...world,
    ...(fault.license === true ? { licenseAccepted: false } : {}),
    ...(fault.locale === undefined ? {} : { locale: fault.locale }),
    tools: {
      ...world.tools,
      ...(fault.toolMissing === undefined ? {} : { [fault.toolMissing]: null }),
      ...(clt ? { simctl: null, "lldb-dap": null } : {})
    },
    ...(clt ? { sdks: {}, xcode: { ...world.xcode, developerDir: "/Library/Developer/CommandLineTools" } } : {}),
    ...(gone === undefined
      ? {}
      : { devices: Object.fromEntries(devices), runtimes: world.runtimes.filter((one) => one.identifier !== gone) })
  }
}

/** Hangs as the fault says; for ever means until a signal. */
export const hang = async (fault: Fault): Promise<void> => {
  if (fault.hang === undefined) return
  if (fault.hang !== "forever") return pause(fault.hang)
  for (;;) await pause(60_000)
}

/** Returns the failure of a call, if the fault fails every command. */
export const failed = ({ do: fault, applied }: Applied, world: World): Answer | undefined => {
  if (fault.serviceDead !== undefined) {
    const good = fault.serviceDead === "now" ? 0 : Number(fault.serviceDead.replace("afterCalls:", ""))
    const failures = applied - good
    if (failures >= 0 && (fault.heals === undefined || failures < fault.heals)) {
      const dead = serviceDead(fault.sandbox === true, world.xcode.developerDir)
      return { ...dead, exit: fault.exit ?? 1 }
    }
    return undefined
  }
  if (fault.error !== undefined)
    return envelope(fault.error, fault.prefix === undefined ? undefined : { before: `${fault.prefix}\n` })
  if (fault.exit !== undefined) {
    return { exit: fault.exit, stderr: fault.stderr ?? "", stdout: fault.stdout ?? "" }
  }
  return undefined
}

/** Returns why no tool of Xcode can run, if so. */
export const unusable = (world: World, tool: string): Answer | undefined =>
  !world.licenseAccepted ? license : (world.tools[tool] ?? null) === null ? toolMissing(tool) : undefined

const size = 9 * 1024 * 1024

/** Corrupts the output as the fault says. */
export const spoiled = (answer: Answer, fault: Fault): Answer => {
  const stderr = (fault.stderrNoise === true ? noise() : "") + (answer.stderr ?? "")
  const text = typeof answer.stdout === "string" ? answer.stdout : ""
  const stdout = (): string | Uint8Array | undefined => {
    switch (fault.exit === undefined ? fault.stdout : undefined) {
      case "noise-before":
        return `Install Started\nInstall Succeeded\n${text}`
      case "text-instead-of-json":
        return "== Devices ==\n-- iOS 26.4 --\n    iPhone 17 (4E9D2A7B-1C3F-4D68-8B20-6FA15C7E9002) (Shutdown) \n"
      case "truncated":
        return text.slice(0, Math.floor(text.length / 2))
      case "empty":
        return ""
      case "invalid-utf8":
        // In the name of the first device; Latin-1 keeps each byte.
        return Buffer.from(
          Buffer.from(text).toString("latin1").replace('"name" : "', '"name" : "\xff\xfe\xc3('),
          "latin1"
        )
      case "nul-bytes":
        return `\0\0\0\0${text}`
      case "huge":
        return `${text.trimEnd()}${" ".repeat(size)}\n`
      default:
        return answer.stdout
    }
  }
  const printed = stdout()
  return {
    ...(answer.exit === undefined ? {} : { exit: answer.exit }),
    stderr,
    ...(printed === undefined ? {} : { stdout: printed })
  }
}
