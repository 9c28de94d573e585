/**
 * Applies the caller's configuration of adapters, `adapters.NAME.*` and `defaults.adapter`. A configured path becomes the
 * environment variable that names the adapter's file, unless the environment has that variable.
 */
import { AdapterSettings, Field, Settings } from "@sigtrap/protocol"
import type { Backend } from "@sigtrap/manager"
import type { Adapter, ProcessStart } from "./Adapter.ts"
import * as Registry from "./Registry.ts"

/**
 * Adds the configured paths of adapters to the environment of a launch. An unknown adapter name is replaced by its
 * configured path.
 */
export const caller = <Launch extends Pick<Backend.LaunchRequest, "adapter" | "env" | "settings">>(
  adapters: ReadonlyArray<Adapter>,
  launch: Launch
): Launch => {
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
  const path =
    adapter === undefined || Registry.named(Registry.configured(adapters, settings), adapter) !== undefined
      ? undefined
      : Settings.text(settings, `adapters.${adapter}.path`)
  return { ...launch, env, ...(path === undefined ? {} : { adapter: path }) }
}

/**
 * Returns the launch for finding the adapter's file: with the path in `defaults.adapter`, if it is a file of this adapter.
 */
export const search = (launch: Backend.LaunchRequest, kind: Adapter): Backend.LaunchRequest => {
  const path = Settings.text(launch.settings, "defaults.adapter")
  return launch.adapter === undefined && path?.includes("/") === true && kind.file.test(path.replace(/^.*\//, ""))
    ? { ...launch, adapter: path }
    : launch
}

/** Adds the configured arguments and environment variables to the start of an adapter. `port` is where it has to listen. */
export const start = (
  launch: Backend.LaunchRequest,
  name: string,
  { args, env, ...rest }: ProcessStart,
  port?: number
): ProcessStart => {
  const filled = (text: string) => (port === undefined ? text : AdapterSettings.withPort(text, port))
  const prefix = `adapters.${name}.env.`
  const configured = Object.keys(launch.settings ?? {}).flatMap((key) => {
    const value = key.startsWith(prefix) ? Settings.text(launch.settings, key) : undefined
    return value === undefined ? [] : [[key.slice(prefix.length), filled(value)] as const]
  })
  return {
    ...rest,
    args: [...args, ...Settings.list(launch.settings, `adapters.${name}.args`)].map(filled),
    env: { ...env, ...Object.fromEntries(configured) }
  }
}

const millisOf = (launch: Backend.LaunchRequest, key: string): number | undefined => {
  const text = Settings.text(launch.settings, key)
  const millis = text === undefined ? 0 : Field.millis(text)
  return millis > 0 && Number.isFinite(millis) ? millis : undefined
}

/** Returns the timeout of one request, in milliseconds. */
export const requestTimeout = (launch: Backend.LaunchRequest): number => millisOf(launch, "timeouts.request") ?? 30_000

/** Returns the timeout until a started debugger listens or answers, in milliseconds. */
export const startTimeout = (launch: Backend.LaunchRequest): number =>
  millisOf(launch, "timeouts.adapter_start") ?? 10_000

/** Returns the timeout of `initialize` (DAP), in milliseconds. */
export const initializeTimeout = (launch: Backend.LaunchRequest): number =>
  millisOf(launch, "timeouts.initialize") ?? 10_000

/** `adapterID` of initialize (DAP). */
const id = (launch: Backend.LaunchRequest, adapter: Adapter): string =>
  Settings.text(launch.settings, `adapters.${adapter.name}.id`) ?? adapter.id

/** The arguments of `initialize` (DAP). */
export const initializeArguments = (launch: Backend.LaunchRequest, adapter: Adapter) => ({
  clientID: "sigtrap",
  clientName: "sigtrap",
  locale: "en-US",
  linesStartAt1: true,
  columnsStartAt1: true,
  pathFormat: "path" as const,
  supportsVariableType: true,
  supportsVariablePaging: true,
  supportsMemoryReferences: true,
  supportsProgressReporting: true,
  adapterID: id(launch, adapter),
  supportsRunInTerminalRequest: adapter.streams === "terminal",
  ...(adapter.children === true ? { supportsStartDebuggingRequest: true } : {})
})
