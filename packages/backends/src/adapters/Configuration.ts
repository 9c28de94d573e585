/**
 * What a caller has configured for an adapter, `adapters.NAME.*` and `defaults.adapter`, put where the rest looks for it:
 * a path becomes the environment variable that names the adapter's file, unless the environment names one already.
 */
import { Field, Settings } from "@sigtrap/protocol"
import type { Backend } from "@sigtrap/manager"
import type { Adapter, Start } from "./Adapter.ts"
import * as Registry from "./Registry.ts"

/** The launch with the paths of configured adapters in its environment; an adapter of the user's own name by its path. */
export const caller = (launch: Backend.LaunchRequest): Backend.LaunchRequest => {
  const { adapter, settings } = launch
  if (settings === undefined) return launch
  const paths = Object.keys(settings).flatMap((key) => {
    const name = /^adapters\.([^.]+)\.path$/.exec(key)?.[1]
    const path = name === undefined ? undefined : Settings.text(settings, key)
    if (name === undefined || path === undefined) return []
    const variable = Settings.adapterVariable(name)
    return (launch.env[variable] ?? "") === "" ? [[variable, path] as const] : []
  })
  const env = { ...launch.env, ...Object.fromEntries(paths) }
  const own =
    adapter === undefined || Registry.named(adapter) !== undefined
      ? undefined
      : Settings.text(settings, `adapters.${adapter}.path`)
  return { ...launch, env, ...(own === undefined ? {} : { adapter: own }) }
}

/** The launch as the chosen kind of adapter shall look for its file: by the default's path, where that is of its kind. */
export const search = (launch: Backend.LaunchRequest, kind: Adapter): Backend.LaunchRequest => {
  const path = Settings.text(launch.settings, "defaults.adapter")
  return launch.adapter === undefined && path?.includes("/") === true && kind.file.test(path.replace(/^.*\//, ""))
    ? { ...launch, adapter: path }
    : launch
}

/** How the adapter is started, with the words and variables that are configured for it. */
export const start = (launch: Backend.LaunchRequest, name: string, { args, env, ...rest }: Start): Start => {
  const prefix = `adapters.${name}.env.`
  const more = Object.keys(launch.settings ?? {}).flatMap((key) => {
    const value = key.startsWith(prefix) ? Settings.text(launch.settings, key) : undefined
    return value === undefined ? [] : [[key.slice(prefix.length), value] as const]
  })
  return {
    ...rest,
    args: [...args, ...Settings.list(launch.settings, `adapters.${name}.args`)],
    env: { ...env, ...Object.fromEntries(more) }
  }
}

const millisOf = (launch: Backend.LaunchRequest, key: string): number | undefined => {
  const text = Settings.text(launch.settings, key)
  const millis = text === undefined ? 0 : Field.millis(text)
  return millis > 0 && Number.isFinite(millis) ? millis : undefined
}

/** The longest time of one request in milliseconds, where it is configured. */
export const requestTimeout = (launch: Backend.LaunchRequest): number | undefined =>
  millisOf(launch, "timeouts.request")

/** How long a debugger may take to listen or to answer, in milliseconds. */
export const startTimeout = (launch: Backend.LaunchRequest): number =>
  millisOf(launch, "timeouts.adapter_start") ?? 10_000

/** How long an adapter may take to introduce itself, in milliseconds. */
export const initializeTimeout = (launch: Backend.LaunchRequest): number =>
  millisOf(launch, "timeouts.initialize") ?? 10_000

/** `adapterID` of initialize (DAP). */
const id = (launch: Backend.LaunchRequest, adapter: Adapter): string =>
  Settings.text(launch.settings, `adapters.${adapter.name}.id`) ?? adapter.id

/** What an adapter is told of its client (DAP `initialize`). */
export const introduction = (launch: Backend.LaunchRequest, adapter: Adapter) => ({
  clientID: "sigtrap",
  clientName: "sigtrap",
  locale: "en-US",
  linesStartAt1: true,
  columnsStartAt1: true,
  pathFormat: "path" as const,
  supportsVariableType: true,
  supportsVariablePaging: true,
  supportsMemoryReferences: true,
  supportsProgressReporting: false,
  adapterID: id(launch, adapter),
  supportsRunInTerminalRequest: adapter.streams === "terminal",
  ...(adapter.children === true ? { supportsStartDebuggingRequest: true } : {})
})
