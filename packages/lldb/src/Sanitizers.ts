/**
 * Commands for the report of a sanitizer and for the history of memory, and parsers of their output.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Frames from "./Frames.ts"

/** The report at a stop. Fields are absent if the sanitizer has none. `description` is its word, such as `heap-use-after-free`. */
const Report = Schema.Struct({
  instrumentation_class: Schema.String,
  description: Schema.optionalKey(Schema.String),
  summary: Schema.optionalKey(Schema.String),
  access_size: Schema.optionalKey(Schema.Finite),
  /** 0 for a read, 1 for a write. */
  access_type: Schema.optionalKey(Schema.Finite)
})
/** The report at a stop. */
export interface Report extends Schema.Schema.Type<typeof Report> {
  readonly address?: bigint
}

/** Prints the stop of the selected thread with the data of an instrumentation. */
export const report = "thread info -s"

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Report))

/** Parses the output of `report`; undefined without a report. */
export const parse = (output: string): Report | undefined => {
  const start = output.indexOf("\n{")
  if (start < 0) return undefined
  const json = output.slice(start + 1)
  const found = Option.getOrUndefined(decode(json))
  if (found === undefined) return undefined
  // Addresses of the stack have more digits than a double holds.
  const address = /^\s*"address": (\d+),?$/m.exec(json)?.[1]
  return { ...found, ...(address === undefined ? {} : { address: BigInt(address) }) }
}

/** An allocation or a release of memory, with the stack of then. `thread` is the sanitizer's number. */
export interface MemoryEvent {
  readonly kind: "allocated" | "freed"
  readonly thread: number
  readonly frames: ReadonlyArray<Frames.FrameRecord>
}

/** Prints where the memory at an address was allocated and freed. */
export const history = (address: bigint): Frames.Formatted =>
  Frames.framesOf(`memory history 0x${address.toString(16)}`)

/** Parses the output of `history`. */
export const events = (output: string): ReadonlyArray<MemoryEvent> =>
  output.split(/^(?=\s*thread #\d+:)/m).flatMap((text): ReadonlyArray<MemoryEvent> => {
    const [, verb, thread] = /Memory (allocated|deallocated) by Thread (\d+)/.exec(text) ?? []
    if (verb === undefined || thread === undefined) return []
    const kind = verb === "allocated" ? ("allocated" as const) : ("freed" as const)
    return [{ kind, thread: Number(thread), frames: Frames.frames(text) }]
  })
