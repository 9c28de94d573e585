/**
 * What a debug adapter can do, by what it advertises and by what its debugger's command line does in its place.
 */
import { Capabilities } from "@sigtrap/dap"
import type { Session } from "@sigtrap/protocol"
import type { Adapter } from "../adapters/Adapter.ts"
import * as LldbDap from "../adapters/LldbDap.ts"

type By = Session.Feature["by"]

/** The features of an adapter with these capabilities. */
export const of = (adapter: Adapter, capabilities: Capabilities.Capabilities): ReadonlyArray<Session.Feature> => {
  const isGdb = adapter.name === "gdb"
  const isLldb = adapter.name === "lldb-dap" || isGdb
  const advertised = (name: Capabilities.Capability) => Capabilities.supports(capabilities, name)
  const otherwise = (name: Capabilities.Capability): By => (advertised(name) ? "adapter" : isLldb ? "command" : "none")
  const only = (can: boolean, by: By = "adapter"): By => (can ? by : "none")
  const filters = Capabilities.exceptionFilters(capabilities)
  const table: Readonly<Record<string, By>> = {
    "line breakpoints": "adapter",
    "function breakpoints": only(advertised("supportsFunctionBreakpoints")),
    "breakpoints by pattern or address": only(isLldb, "command"),
    conditions: only(advertised("supportsConditionalBreakpoints")),
    "hit counts": isGdb ? "manager" : only(isLldb && advertised("supportsHitConditionalBreakpoints")),
    logpoints: isGdb ? "manager" : only(isLldb && advertised("supportsLogPoints")),
    watchpoints: only(isLldb, "command"),
    exceptions: only(filters.length > 0),
    "conditions of exceptions": only(
      advertised("supportsExceptionFilterOptions") && filters.some((filter) => filter.supportsCondition === true)
    ),
    stepping: "adapter",
    "instruction steps": otherwise("supportsSteppingGranularity"),
    pause: "adapter",
    "return values": only(isLldb, isGdb ? "adapter" : "command"),
    evaluation: "adapter",
    "writing variables": "adapter",
    "reading memory": otherwise("supportsReadMemoryRequest"),
    "writing memory": otherwise("supportsWriteMemoryRequest"),
    registers: only(isLldb),
    disassembly: isLldb ? "command" : only(advertised("supportsDisassembleRequest")),
    modules: only(isLldb || advertised("supportsModulesRequest")),
    "source files": isGdb ? "adapter" : only(isLldb, "command"),
    types: only(isLldb, "command"),
    completion: "manager",
    "debugger commands": "adapter",
    "what is there already": only(adapter.name !== "codelldb"),
    "standard input": only(adapter.streams !== "events", "manager"),
    "stdout and stderr apart": adapter.streams === "events" ? "adapter" : "manager",
    "source maps": only(isLldb || adapter.mapped !== undefined)
  }
  return Object.entries(table).map(([name, by]) => ({ name, by }))
}

/** The features of LLDB's command line by itself: the same ones, by commands, but for what the manager does. */
export const commandLine: ReadonlyArray<Session.Feature> = of(LldbDap.adapter, {}).map(({ by, name }) => ({
  name,
  by: by === "manager" || name === "logpoints" ? "manager" : "command"
}))
