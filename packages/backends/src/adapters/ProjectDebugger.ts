/**
 * The debugger that a launch starts because a project's configuration file chose its program, its arguments or its variables.
 */
import { AdapterSettings, Settings, ShellWords } from "@sigtrap/protocol"
import type { Backend } from "@sigtrap/manager"

/** The adapter of a launch: its name, and whether a file is one of this kind. */
export interface Chosen {
  readonly name: string
  readonly isFile: (name: string) => boolean
}

const usual = "defaults.adapter"

/** Returns the command line of an adapter as the configuration has it. */
const commandOf = (settings: Settings.Values, name: string): string => {
  const prefix = `adapters.${name}.`
  const text = (key: string) => Settings.text(settings, `${prefix}${key}`)
  const variables = Object.keys(settings).flatMap((key) =>
    key.startsWith(`${prefix}env.`) ? [`${key.slice(prefix.length + 4)}=${Settings.text(settings, key) ?? ""}`] : []
  )
  const program = text("path") ?? text("command") ?? name
  return ShellWords.join([...variables, program, ...Settings.list(settings, `${prefix}args`)])
}

/** Returns the program that the project's file chose for this adapter; undefined if it chose none. */
export const of = (
  { adapter, settings }: Pick<Backend.LaunchRequest, "adapter" | "settings">,
  chosen: Chosen
): Backend.ProjectDebugger | undefined => {
  const project = Settings.project(settings)
  if (settings === undefined || project === undefined) return undefined
  // A name without an adapter stands for its configured path.
  const name = project.keys
    .flatMap((key) => AdapterSettings.startedBy(key) ?? [])
    .find((one) => one === chosen.name || one === adapter)
  if (name !== undefined) return { command: commandOf(settings, name), source: `adapters.${name} of ${project.file}` }
  const path = Settings.text(settings, usual)
  return adapter === undefined &&
    path !== undefined &&
    project.keys.includes(usual) &&
    chosen.isFile(path.replace(/^.*\//, ""))
    ? { command: path, source: `${usual} of ${project.file}` }
    : undefined
}
