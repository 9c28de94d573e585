/**
 * States who supplies each capability of a session: the adapter, if it advertises it; a debugger command; or the manager.
 */
import { Capabilities } from "@sigtrap/dap"
import { Capability, Session } from "@sigtrap/protocol"
import type { Adapter, By } from "../adapters/Adapter.ts"
import type { Quirks } from "../adapters/Quirks.ts"

/** The capabilities that the debugger or its adapter supplies; the manager adds its own. */
type SuppliedHere = Exclude<
  Capability.Id,
  "temporary-breakpoints" | "text-anchors" | "until" | "restart" | "changed-values" | "output-history"
>

/** Returns the features of an adapter that has these quirks and advertises these capabilities. */
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
  const unlessLacking = (id: SuppliedHere): By => only(adapter.lacks?.includes(id) !== true)
  const filters = Capabilities.exceptionFilters(capabilities)
  const suppliers: { readonly [id in SuppliedHere]: By } = {
    "line-breakpoints": "adapter",
    "code-lines": byCommand,
    "function-breakpoints": only(advertised("supportsFunctionBreakpoints")),
    "pattern-breakpoints": byCommand,
    conditions: only(advertised("supportsConditionalBreakpoints")),
    "hit-counts": only(quirks.countsHits === true && advertised("supportsHitConditionalBreakpoints")),
    logpoints: only(quirks.writesLogMessages === true && advertised("supportsLogPoints")),
    watchpoints: byCommand,
    exceptions: only(filters.length > 0),
    "exception-conditions": only(
      advertised("supportsExceptionFilterOptions") && filters.some((filter) => filter.supportsCondition === true)
    ),
    stepping: "adapter",
    "instruction-stepping": otherwise("supportsSteppingGranularity"),
    pause: "adapter",
    "return-values": byCommand,
    evaluation: "adapter",
    arguments: unlessLacking("arguments"),
    "global-variables": unlessLacking("global-variables"),
    "file-variables": byCommand,
    "write-variables": "adapter",
    "read-memory": otherwise("supportsReadMemoryRequest"),
    "write-memory": otherwise("supportsWriteMemoryRequest"),
    registers: only(hasCommandLine),
    disassembly: hasCommandLine ? "command" : only(advertised("supportsDisassembleRequest")),
    modules: only(hasCommandLine || advertised("supportsModulesRequest")),
    "source-files": hasCommandLine ? "command" : only(advertised("supportsLoadedSourcesRequest")),
    types: byCommand,
    completion: "manager",
    "debugger-commands": "adapter",
    "attach-core-remote": unlessLacking("attach-core-remote"),
    "standard-input": only(adapter.streams !== "events", "manager"),
    "separate-streams": adapter.streams === "events" ? "adapter" : "manager",
    "re-execution": "none",
    tasks: only(adapter.tasks !== undefined),
    "source-maps": only(adapter.supports.includes("sourceMap")),
    ...adapter.features
  }
  const isSuppliedHere = (id: Capability.Id): id is SuppliedHere => Object.hasOwn(suppliers, id)
  return Capability.all.flatMap(({ id }) => (isSuppliedHere(id) ? [Session.feature(id, suppliers[id])] : []))
}
