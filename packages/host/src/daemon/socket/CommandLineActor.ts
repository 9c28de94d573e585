/**
 * Names the actor of a command line: its terminal, else the program that runs it.
 *
 * A person's calls at one terminal are one actor, and so are those of a coding agent, although it starts a new shell for each:
 * shells between the agent and the command are passed over.
 */
import type { Caller } from "@sigtrap/protocol"
import { Processes as Table } from "@sigtrap/manager"
import * as NodeServices from "../../runtime/NodeServices.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as ProcessDescription from "../../process/ProcessDescription.ts"
import * as Processes from "../../process/Processes.ts"

/** Where a command line comes from: the device number of its terminal (`st_rdev`), if its input is one, and its parent's pid. */
export const Origin = Schema.Struct({ device: Schema.optionalKey(Schema.Int), parent: Schema.Int })
/** Where a command line comes from. */
export type Origin = typeof Origin.Type

/** Programs that run a command line for another one. */
const shells = /^(?:-?(?:ba|da|a|z|k|fi|c|tc)?sh|busybox|env|timeout|nice|nohup|sudo|time|xargs|npx|npm)$/

/** Most parents that are passed over. */
const mostShells = 8

/**
 * Returns the name of a terminal by its device number: `pts/3`, `tty1`, `ttys003`. Linux has the majors 136 to 143 for
 * pseudo-terminals and 4 for consoles (devices.txt); macOS has its minor in the lower 24 bits.
 */
export const terminalName = (device: number, platform: string): string => {
  if (platform !== "linux") return `ttys${String(device & 0xff_ffff).padStart(3, "0")}`
  const major = (device >>> 8) & 0xfff
  const minor = (device & 0xff) | ((device >>> 12) & 0xfff00)
  if (major >= 136 && major <= 143) return `pts/${(major - 136) * 256 + minor}`
  return major === 4 ? `tty${minor}` : `tty${major}:${minor}`
}

const programOf = (pid: number): Effect.Effect<Option.Option<ProcessDescription.Program>> =>
  process.platform === "linux"
    ? Effect.sync(() => ProcessDescription.program(pid))
    : Effect.flatMap(Table.Processes, (processes) => processes.describe(pid)).pipe(
        Effect.provide(Processes.layer.pipe(Layer.provide(NodeServices.layer)))
      )

/** Returns the name of the program that runs a command line: `claude[4711]`. */
const programName = Effect.fnUntraced(function* (parent: number) {
  let outermost: { readonly name: string; readonly pid: number } | undefined
  let pid = parent
  for (let passed = 0; passed < mostShells && pid > 1; passed++) {
    const found = yield* programOf(pid)
    if (Option.isNone(found)) break
    outermost = { name: found.value.name, pid }
    if (!shells.test(found.value.name)) break
    pid = found.value.parent
  }
  return outermost === undefined ? `process[${parent}]` : `${outermost.name.slice(0, 64)}[${outermost.pid}]`
})

/** Returns the actor of a command line. One that the client named keeps its name. */
export const of = (client: Caller.Actor, origin: Origin | undefined): Effect.Effect<Caller.Actor> => {
  if (origin === undefined) return Effect.succeed(client)
  const { device, parent } = origin
  const person = device === undefined ? {} : { person: true as const }
  if (client.name !== undefined) return Effect.succeed({ ...client, ...person })
  return device === undefined
    ? Effect.map(programName(parent), (name) => ({ ...client, name }))
    : Effect.succeed({ ...client, ...person, name: terminalName(device, process.platform) })
}
