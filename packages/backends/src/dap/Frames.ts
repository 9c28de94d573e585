/**
 * Frames and threads of a debug adapter as the manager knows them.
 */
import type { Models } from "@sigtrap/dap"
import type { Backend } from "@sigtrap/manager"
import type { Quirks } from "../adapters/Quirks.ts"

/** A frame as the manager knows it; line 0 means that it has no source. */
export const frameOf = (frame: Models.StackFrame, quirks: Quirks): Backend.StackFrame => {
  const isLldb = quirks.family === "lldb"
  // LLDB's sources with a reference are disassemblies that it made up, not files.
  const file = isLldb && frame.source?.sourceReference ? undefined : frame.source?.path
  const placed = file !== undefined && frame.line > 0
  return {
    handle: frame.id,
    function: quirks.functionPrefix === undefined ? frame.name : frame.name.replace(quirks.functionPrefix, ""),
    ...(placed ? { file, line: frame.line } : {}),
    ...(placed && frame.column > 0 ? { column: frame.column } : {}),
    ...(frame.instructionPointerReference === undefined
      ? {}
      : { address: frame.instructionPointerReference.toLowerCase() })
  }
}

/** A thread as the manager knows it. */
export const threadOf = (thread: Models.Thread, quirks: Quirks) => {
  // lldb-vscode 13 to 16 put a number before the name.
  const name = thread.name.replace(/^Thread #\d+ ?/, "")
  const isLldb = quirks.family === "lldb" || quirks.family === "codelldb"
  return { id: thread.id, ...(isLldb ? { os_id: thread.id } : {}), ...(name === "" ? {} : { name }) }
}
