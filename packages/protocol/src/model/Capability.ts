/**
 * Every capability that a debugger may or may not have, with the operations that need it.
 *
 * An adapter states who supplies each one; the manager adds those it supplies for all debuggers. Code uses the id; users
 * see the title. When a capability has no supplier, its operations answer `UNSUPPORTED`. A capability without operations
 * concerns options of operations that otherwise work.
 */
import * as Schema from "effect/Schema"

const list = [
  { id: "line-breakpoints", title: "line breakpoints", operations: ["break"] },
  { id: "code-lines", title: "lists of the lines that have code", operations: ["breakpoint.lines"] },
  { id: "function-breakpoints", title: "function breakpoints", operations: [] },
  { id: "pattern-breakpoints", title: "breakpoints by pattern or address", operations: [] },
  { id: "conditions", title: "conditions", operations: [] },
  { id: "hit-counts", title: "hit counts", operations: [] },
  { id: "logpoints", title: "logpoints", operations: ["logpoint"] },
  { id: "watchpoints", title: "watchpoints", operations: ["watch"] },
  { id: "exceptions", title: "exceptions", operations: ["catch", "catch.remove"] },
  { id: "exception-conditions", title: "conditions of exceptions", operations: [] },
  { id: "stepping", title: "stepping", operations: ["next", "step", "finish"] },
  { id: "instruction-stepping", title: "instruction steps", operations: ["stepi", "nexti"] },
  { id: "pause", title: "pause", operations: ["pause"] },
  { id: "return-values", title: "return values", operations: [] },
  { id: "evaluation", title: "evaluation", operations: ["print", "eval"] },
  { id: "arguments", title: "arguments apart from locals", operations: ["args"] },
  { id: "global-variables", title: "global variables", operations: ["globals"] },
  { id: "file-variables", title: "global variables of a file", operations: [] },
  { id: "write-variables", title: "writing variables", operations: ["set"] },
  { id: "read-memory", title: "reading memory", operations: ["memory.read"] },
  { id: "write-memory", title: "writing memory", operations: ["memory.write"] },
  { id: "registers", title: "registers", operations: ["registers"] },
  { id: "disassembly", title: "disassembly", operations: ["disassemble"] },
  { id: "modules", title: "modules", operations: ["modules"] },
  { id: "source-files", title: "source files", operations: ["files"] },
  { id: "types", title: "types", operations: [] },
  { id: "completion", title: "completion", operations: ["complete"] },
  { id: "debugger-commands", title: "debugger commands", operations: ["raw"] },
  { id: "attach-core-remote", title: "attach, core files, remote targets", operations: ["attach", "core", "connect"] },
  { id: "standard-input", title: "standard input", operations: ["input"] },
  { id: "separate-streams", title: "separate stdout and stderr", operations: [] },
  { id: "source-maps", title: "source maps", operations: [] },
  { id: "temporary-breakpoints", title: "temporary breakpoints", operations: [] },
  { id: "text-anchors", title: "text anchors", operations: ["breakpoint.find"] },
  { id: "until", title: "until", operations: ["until"] },
  { id: "restart", title: "restart", operations: ["restart"] },
  {
    id: "re-execution",
    title: "going back and comparing by running again",
    operations: ["back", "last-write", "diverge"]
  },
  { id: "tasks", title: "tasks of the language's runtime", operations: ["tasks"] },
  { id: "changed-values", title: "changed values", operations: ["changed"] },
  { id: "output-history", title: "output history", operations: ["output"] }
] as const satisfies ReadonlyArray<{
  readonly id: string
  readonly title: string
  readonly operations: ReadonlyArray<string>
}>

type Ids = ReadonlyArray<(typeof list)[number]["id"]>

/** The schema of the id of a capability. */
export interface IdSchema extends Schema.Literals<Ids> {}

/** The id of a capability. */
export const Id: IdSchema = Schema.Literals(list.map(({ id }) => id)).annotate({ identifier: "CapabilityId" })
/** The id of a capability. */
export type Id = typeof Id.Type

/** A capability as it is listed for people. */
export interface Capability {
  readonly id: Id
  readonly title: string
  /** The tags of the operations that need it. */
  readonly operations: ReadonlyArray<string>
}

/** Every capability, in the order in which they are listed. */
export const all: ReadonlyArray<Capability> = list

const byId: ReadonlyMap<string, Capability> = new Map(all.map((capability) => [capability.id, capability]))

/** Returns the title of a capability. */
export const title = (id: Id): string => byId.get(id)?.title ?? id

/** Returns the tags of the operations that need a capability. Unknown ids have none. */
export const operations = (id: string): ReadonlyArray<string> => byId.get(id)?.operations ?? []
