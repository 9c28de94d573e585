/**
 * The features of a debug adapter and who supplies each: the adapter as it advertises, its debugger's command line, or the
 * manager.
 */
import { Capabilities } from "@sigtrap/dap"
import type { Session } from "@sigtrap/protocol"
import type { Adapter, By } from "../adapters/Adapter.ts"
import type { Quirks } from "../adapters/Quirks.ts"

/** The features of an adapter with these quirks and capabilities. */
export const of = (
  adapter: Adapter,
  quirks: Quirks,
  capabilities: Capabilities.Capabilities
): ReadonlyArray<Session.Feature> => {
  const hasCommandLine = adapter.dialect !== undefined
  const advertised = (name: Capabilities.Capability) => Capabilities.supports(capabilities, name)
  const only = (can: boolean, by: By = "adapter"): By => (can ? by : "none")
  const byCommand = only(hasCommandLine, "command")
  const otherwise = (name: Capabilities.Capability): By => (advertised(name) ? "adapter" : byCommand)
  const filters = Capabilities.exceptionFilters(capabilities)
  const table: Readonly<Record<string, By>> = {
    "line breakpoints": "adapter",
    "function breakpoints": only(advertised("supportsFunctionBreakpoints")),
    "breakpoints by pattern or address": byCommand,
    conditions: only(advertised("supportsConditionalBreakpoints")),
    "hit counts": only(quirks.countsHits === true && advertised("supportsHitConditionalBreakpoints")),
    logpoints: only(quirks.writesLogMessages === true && advertised("supportsLogPoints")),
    watchpoints: byCommand,
    exceptions: only(filters.length > 0),
    "conditions of exceptions": only(
      advertised("supportsExceptionFilterOptions") && filters.some((filter) => filter.supportsCondition === true)
    ),
    stepping: "adapter",
    "instruction steps": otherwise("supportsSteppingGranularity"),
    pause: "adapter",
    "return values": byCommand,
    evaluation: "adapter",
    "writing variables": "adapter",
    "reading memory": otherwise("supportsReadMemoryRequest"),
    "writing memory": otherwise("supportsWriteMemoryRequest"),
    registers: only(hasCommandLine),
    disassembly: hasCommandLine ? "command" : only(advertised("supportsDisassembleRequest")),
    modules: only(hasCommandLine || advertised("supportsModulesRequest")),
    "source files": byCommand,
    types: byCommand,
    completion: "manager",
    "debugger commands": "adapter",
    "what is there already": "adapter",
    "standard input": only(adapter.streams !== "events", "manager"),
    "stdout and stderr apart": adapter.streams === "events" ? "adapter" : "manager",
    "source maps": only(adapter.supports.includes("sourceMap")),
    ...adapter.features
  }
  return Object.entries(table).map(([name, by]) => ({ name, by }))
}
