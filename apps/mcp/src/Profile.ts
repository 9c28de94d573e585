/**
 * Which tools a client is offered. An agent pays for every tool it is shown, so it is shown what debugging takes from
 * day to day; whoever wants everything asks for it.
 */
import { Operations, type Operation } from "@sigtrap/protocol"

/** The profiles by name: `default` for everyday debugging, `ios` with simulators beside that, `full` for every operation. */
export const names = ["default", "ios", "full"] as const
/** The name of a profile. */
export type Name = (typeof names)[number]

const everyday: ReadonlySet<string> = new Set<Operations.Tag>([
  "start",
  "attach",
  "status",
  "wait",
  "stop",
  "continue",
  "next",
  "step",
  "finish",
  "until",
  "pause",
  "break",
  "breakpoint.list",
  "breakpoint.remove",
  "context",
  "backtrace",
  "threads",
  "locals",
  "print",
  "expand",
  "eval",
  "set",
  "output",
  "raw"
])

const simulators: ReadonlySet<string> = new Set<Operations.Tag>([
  "sim.debug",
  "sim.attach",
  "sim.guard",
  "sim.list",
  "sim.boot",
  "sim.install",
  "sim.launch",
  "sim.terminate",
  "sim.apps",
  "sim.log",
  "sim.openurl",
  "sim.screenshot",
  "sim.doctor",
  "defaults.show",
  "defaults.set",
  "detach"
])

/** Whether a word names a profile. */
export const isName = (word: string | undefined): word is Name => names.some((name) => name === word)

/** The operations of a profile, in reading order. */
export const operations = (name: Name): ReadonlyArray<Operation.Any> =>
  Operations.all.filter(({ _tag }) => name === "full" || everyday.has(_tag) || (name === "ios" && simulators.has(_tag)))
