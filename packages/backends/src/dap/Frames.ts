/**
 * Translates frames and threads of a debug adapter to those of the manager.
 */
import type { Models } from "@sigtrap/dap"
import { type Backend, EventLoop } from "@sigtrap/manager"
import type { Quirks } from "../adapters/Quirks.ts"

/** Translates a frame; line 0 means that it has no source. */
export const frameOf = (frame: Models.StackFrame, quirks: Quirks): Backend.StackFrame => {
  const isDisassembly = quirks.disassemblyAsSource === true && (frame.source?.sourceReference ?? 0) !== 0
  const file = isDisassembly ? undefined : frame.source?.path
  const [, raised, raiser] = quirks.raisedFrame?.exec(frame.name) ?? []
  const name = raiser ?? frame.name
  const { moduleId } = frame
  const module = quirks.moduleIdIsPath === true && typeof moduleId === "string" ? moduleId.split("/").at(-1) : undefined
  const placed = file !== undefined && frame.line > 0
  return {
    handle: frame.id,
    function: quirks.functionNote === undefined ? name : name.replace(quirks.functionNote, ""),
    ...(raised === undefined ? {} : { raised }),
    ...(frame.presentationHint === "label" ? { label: true } : {}),
    ...(placed ? { file, line: frame.line } : {}),
    ...(module === undefined || module === "" ? {} : { module }),
    ...(placed && frame.column > 0 ? { column: frame.column } : {}),
    ...(frame.instructionPointerReference === undefined
      ? {}
      : { address: frame.instructionPointerReference.toLowerCase() })
  }
}

/**
 * Names the only frame of a program that waits for events and was paused by an expression: it belongs to the expression, not to the
 * program. `frames` are the innermost ones.
 */
export const namedIdle = (
  frames: ReadonlyArray<Backend.StackFrame>,
  { idleFile }: Quirks
): ReadonlyArray<Backend.StackFrame> => {
  const [first, second] = frames
  if (first === undefined || second !== undefined || idleFile === undefined || first.file !== idleFile) return frames
  const { column: _, file: __, line: ___, ...frame } = first
  return [{ ...frame, function: EventLoop.frameName }]
}

/** Translates a thread. */
export const threadOf = (thread: Models.Thread, quirks: Quirks): Backend.Thread => {
  // lldb-vscode 13 to 16 put a number before the name.
  const plain = thread.name.replace(/^Thread #\d+ ?/, "")
  const name = quirks.threadName?.(plain) ?? plain
  return {
    id: thread.id,
    ...(quirks.osThreadIds === true ? { os_id: thread.id } : {}),
    ...(name === "" ? {} : { name })
  }
}
