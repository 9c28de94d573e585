/**
 * Who supplies each capability of a DAP session: the adapter, as it advertises, or a command of its debugger.
 */
import { Capabilities } from "@sigtrap/dap"
import { Capability, Session } from "@sigtrap/protocol"
import type { Adapter } from "../adapters/Adapter.ts"
import * as LldbDap from "../adapters/LldbDap.ts"

type By = Session.Feature["by"]

/** The capabilities that the debugger or its adapter supplies; the manager adds its own. */
type Stated = Exclude<
  Capability.Id,
  "temporary-breakpoints" | "text-anchors" | "until" | "restart" | "changed-values" | "output-history"
>

/** Returns the features of an adapter that advertises these capabilities. */
export const of = (adapter: Adapter, capabilities: Capabilities.Capabilities): ReadonlyArray<Session.Feature> => {
  const isGdb = adapter.name === "gdb"
  const isLldb = adapter.name === "lldb-dap" || isGdb
  const advertised = (name: Capabilities.Capability) => Capabilities.supports(capabilities, name)
  const otherwise = (name: Capabilities.Capability): By => (advertised(name) ? "adapter" : isLldb ? "command" : "none")
  const only = (can: boolean, by: By = "adapter"): By => (can ? by : "none")
  const unlessLacking = (id: Stated): By => only(adapter.lacks?.includes(id) !== true)
  const filters = Capabilities.exceptionFilters(capabilities)
  const suppliers: { readonly [id in Stated]: By } = {
    "line-breakpoints": "adapter",
    "function-breakpoints": only(advertised("supportsFunctionBreakpoints")),
    "pattern-breakpoints": only(isLldb, "command"),
    conditions: only(advertised("supportsConditionalBreakpoints")),
    "hit-counts": isGdb ? "manager" : only(isLldb && advertised("supportsHitConditionalBreakpoints")),
    logpoints: isGdb ? "manager" : only(isLldb && advertised("supportsLogPoints")),
    watchpoints: only(isLldb, "command"),
    exceptions: only(filters.length > 0),
    "exception-conditions": only(
      advertised("supportsExceptionFilterOptions") && filters.some((filter) => filter.supportsCondition === true)
    ),
    stepping: "adapter",
    "instruction-stepping": otherwise("supportsSteppingGranularity"),
    pause: "adapter",
    "return-values": only(isLldb, isGdb ? "adapter" : "command"),
    evaluation: "adapter",
    arguments: unlessLacking("arguments"),
    "global-variables": unlessLacking("global-variables"),
    "write-variables": "adapter",
    "read-memory": otherwise("supportsReadMemoryRequest"),
    "write-memory": otherwise("supportsWriteMemoryRequest"),
    registers: only(isLldb),
    disassembly: isLldb ? "command" : only(advertised("supportsDisassembleRequest")),
    modules: only(isLldb || advertised("supportsModulesRequest")),
    "source-files": isLldb && !isGdb ? "command" : only(isGdb || advertised("supportsLoadedSourcesRequest")),
    types: only(isLldb, "command"),
    completion: "manager",
    "debugger-commands": "adapter",
    "attach-core-remote": unlessLacking("attach-core-remote"),
    "standard-input": only(adapter.streams !== "events", "manager"),
    "separate-streams": adapter.streams === "events" ? "adapter" : "manager",
    "source-maps": only(isLldb || adapter.mapped !== undefined)
  }
  const isStated = (id: Capability.Id): id is Stated => Object.hasOwn(suppliers, id)
  return Capability.all.flatMap(({ id }) => (isStated(id) ? [Session.feature(id, suppliers[id])] : []))
}

/** The features of LLDB's command line: a command for each of them, but for what the manager supplies. */
export const commandLine: ReadonlyArray<Session.Feature> = of(LldbDap.adapter, {}).map(({ by, id }) =>
  Session.feature(id, by === "manager" || id === "logpoints" ? "manager" : "command")
)
