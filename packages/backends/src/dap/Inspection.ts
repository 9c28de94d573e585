/**
 * The further questions about a stopped program, by the requests of the protocol where the adapter advertises them and
 * their answers are exact, else on LLDB's command line.
 */
import { Requests, type Client, type Errors as Dap, type Models } from "@sigtrap/dap"
import { Capabilities } from "@sigtrap/dap"
import { Parse, type Frames } from "@sigtrap/lldb"
import type { Backend, Inspection } from "@sigtrap/manager"
import { Errors, Hint } from "@sigtrap/protocol"
import * as Base64 from "effect/encoding/Base64"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import type { DapVariables } from "./Variables.ts"
import * as LldbInspection from "../console/lldb/Inspection.ts"

/** What an inspection is made from. */
export interface Options {
  readonly client: Client.Client
  /** The adapter's name for messages. */
  readonly name: string
  /** Whether there is an LLDB that takes commands. */
  readonly isLldb: boolean
  readonly major: number
  /** Whether its dumps of debug information are safe to ask for. */
  readonly dumps: boolean
  /** Whether a scope without variables is not listed. */
  readonly leavesOutScopes: boolean
  /** The text of an LLDB command as it is, failures included. */
  readonly commandText: (line: string, frame?: number, millis?: number) => Effect.Effect<string, Backend.Failure>
  readonly failed: (error: Dap.RequestError) => Backend.Failure
  readonly values: DapVariables
  /** What another debugger answers by itself. */
  readonly answers?: Pick<Inspection.Inspection, "formatted" | "disassemble" | "functions" | "type">
  /** The source of a frame as the adapter named it. */
  readonly sourceOf: (frame: number) => Models.Source | undefined
}

/** The inspection, and LLDB's answer to questions that need a format of ours. */
export interface Made {
  readonly inspection: Inspection.Inspection
  /** The text of an LLDB command that must succeed, in a frame, within so many milliseconds. */
  readonly command: (line: string, frame?: number, millis?: number) => Effect.Effect<string, Backend.Failure>
  readonly formatted: (commands: Frames.Formatted) => Effect.Effect<string, Backend.Failure>
}

/** The smallest piece of memory that can be read or not, in bytes. */
const page = 4096n

/** The most instructions of a range that are asked for by the protocol, which counts them. */
const mostInRange = 1000

/** Everything else that can be asked of an adapter. */
export const make = (options: Options): Made => {
  const { answers, client, commandText, dumps, failed, isLldb, leavesOutScopes, major, name, values } = options
  const formatting = Semaphore.makeUnsafe(1)
  const supports = (capability: Capabilities.Capability) => Capabilities.supports(client.capabilities(), capability)
  const unsupported = (what: string) => new Errors.Unsupported({ what, by: name, remedies: [Hint.call("context", {})] })

  const scopes = (frame: number) =>
    client.request(Requests.Scopes, { frameId: frame }).pipe(
      Effect.mapError(failed),
      Effect.map((body) => body.scopes)
    )

  /** The text of a command that must succeed. It runs in the frame of the last `scopes`, whatever frame it names. */
  const command = Effect.fnUntraced(function* (line: string, frame?: number, millis?: number) {
    const chosen = frame === undefined ? Effect.void : scopes(frame)
    const [, text] = yield* Effect.all([chosen, commandText(line, frame, millis)], { concurrency: "unbounded" }).pipe(
      formatting.withPermit
    )
    const problem = Parse.failure(text)
    if (problem === undefined) return text
    return yield* new Errors.AdapterError({ command: line.split(" -")[0] ?? line, detail: problem.trim() })
  })

  /** Sent together and answered in order; a caller that gives up does not leave the format behind. */
  const formatted: Made["formatted"] = (commands) =>
    Effect.forEach(commands, (line) => commandText(line), { concurrency: "unbounded" }).pipe(
      Effect.uninterruptible,
      formatting.withPermit,
      Effect.flatMap(([, text = ""]) => {
        const problem = Parse.failure(text)
        return problem === undefined
          ? Effect.succeed(text)
          : Effect.fail(new Errors.AdapterError({ command: commands[1].split(" -")[0] ?? "", detail: problem.trim() }))
      })
    )

  const variables = (reference: number) =>
    reference === 0
      ? Effect.succeed([])
      : client.request(Requests.Variables, { variablesReference: reference }).pipe(
          Effect.mapError(failed),
          Effect.map((body) => body.variables)
        )

  const readRange = (address: bigint, count: number) =>
    client.request(Requests.ReadMemory, { memoryReference: `0x${address.toString(16)}`, count }).pipe(
      Effect.mapError(failed),
      Effect.map((body) => {
        const decoded = Base64.decode(body.data ?? "")
        return Result.isSuccess(decoded) ? decoded.success.subarray(0, count) : new Uint8Array(0)
      })
    )

  const readByRequest = Effect.fnUntraced(function* (address: bigint, count: number) {
    const bytes = new Uint8Array(count)
    const unreadable: Array<readonly [number, number]> = []
    const gap = (from: number, to: number) => {
      const last = unreadable.at(-1)
      if (from === to) return
      if (last?.[1] === from) unreadable[unreadable.length - 1] = [last[0], to]
      else unreadable.push([from, to])
    }
    const whole = yield* Effect.exit(readRange(address, count))
    if (Exit.isSuccess(whole)) {
      bytes.set(whole.value)
      gap(whole.value.length, count)
      return { bytes, unreadable, by: "dap" as const }
    }
    // Some refuse all where one byte cannot be read, so each page is read by itself.
    for (let offset = 0; offset < count;) {
      const at = address + BigInt(offset)
      const length = Math.min(count - offset, Number(page - (at % page)))
      const found = yield* readRange(at, length).pipe(
        Effect.catchTag("AdapterError", () => Effect.succeed(new Uint8Array(0)))
      )
      bytes.set(found, offset)
      gap(offset + found.length, offset + length)
      offset += length
    }
    return { bytes, unreadable, by: "dap" as const }
  })

  const instructionOf = (instruction: Models.Instruction): Inspection.Instruction => ({
    address: instruction.address.toLowerCase(),
    text: instruction.instruction,
    ...(instruction.instructionBytes === undefined ? {} : { bytes: instruction.instructionBytes }),
    ...(instruction.symbol === undefined ? {} : { symbol: instruction.symbol }),
    ...(instruction.location?.path === undefined ? {} : { file: instruction.location.path }),
    ...(instruction.line === undefined ? {} : { line: instruction.line })
  })

  const disassembleByRequest = Effect.fnUntraced(function* (code: Inspection.Code) {
    if (code.kind === "function") return yield* unsupported("disassembling a function by its name")
    const body = yield* client
      .request(Requests.Disassemble, {
        memoryReference: code.kind === "range" ? code.from : code.address,
        instructionCount: code.kind === "from" ? code.count : code.kind === "range" ? mostInRange : 12,
        resolveSymbols: true
      })
      .pipe(Effect.mapError(failed))
    const within = ({ address }: Inspection.Instruction) =>
      code.kind !== "range" || (BigInt(address) >= BigInt(code.from) && BigInt(address) < BigInt(code.to))
    return { instructions: body.instructions.map(instructionOf).filter(within), by: "dap" as const }
  })

  const address = (range: string | undefined): string | undefined => {
    // Decimal up to LLDB 19, hexadecimal from 21.
    const text = range?.split("-")[0]?.trim()
    return text !== undefined && /^(?:0x[0-9a-fA-F]+|\d+)$/.test(text) ? `0x${BigInt(text).toString(16)}` : undefined
  }

  const moduleOf = (module: Models.Module): Inspection.Module => {
    const at = address(module.addressRange)
    const status = module.symbolStatus
    return {
      name: module.name.slice(module.name.lastIndexOf("/") + 1),
      path: module.path ?? module.name,
      ...(at === undefined ? {} : { address: at }),
      ...(status === undefined ? {} : { symbols: /not found|no symbols/i.test(status) ? "none" : "loaded" }),
      ...(module.symbolFilePath === undefined ? {} : { symbol_file: module.symbolFilePath }),
      ...(isLldb && typeof module.id === "string" && module.id !== "" ? { uuid: module.id } : {})
    }
  }

  const loaded = Effect.suspend(() =>
    supports("supportsLoadedSourcesRequest")
      ? client.request(Requests.LoadedSources).pipe(
          Effect.mapError(failed),
          Effect.map(({ sources }) => sources.flatMap(({ path }) => (path === undefined ? [] : [path])))
        )
      : Effect.fail(unsupported("listing source files"))
  )

  const modules = client.request(Requests.Modules, {}).pipe(
    Effect.mapError(failed),
    Effect.map((body) => body.modules.map(moduleOf))
  )

  const lldb = isLldb
    ? LldbInspection.make({ major, dumps, commandText: (line) => commandText(line), command, formatted, modules })
    : undefined

  /** What the command line of the debugger answers, LLDB's or another's. */
  const own: Partial<LldbInspection.Answers> = lldb ?? answers ?? {}

  const inspection: Inspection.Inspection = {
    places: lldb?.places ?? Effect.succeed([]),
    stacks: lldb?.stacks ?? (() => Effect.succeed(new Map())),

    argumentNames:
      lldb?.argumentNames ??
      Effect.fnUntraced(function* (frame) {
        const found = values.hinted
          ? (yield* scopes(frame)).find((scope) => scope.presentationHint === "arguments")
          : undefined
        if (found === undefined && leavesOutScopes) return []
        if (found === undefined) return yield* unsupported("telling arguments from local variables")
        return (yield* variables(found.variablesReference)).map((variable) => variable.name)
      }),

    globals: Effect.fnUntraced(function* (frame) {
      const found = yield* values.around(frame)
      if (found === undefined && leavesOutScopes) return []
      return found ?? (yield* unsupported("global variables"))
    }),

    elsewhere: lldb?.elsewhere ?? (() => Effect.fail(unsupported("global variables of other files"))),

    registers: Effect.fnUntraced(function* (frame) {
      const found = (yield* scopes(frame)).find(
        (scope) => scope.presentationHint === "registers" || /^registers$/i.test(scope.name)
      )
      if (found === undefined) return yield* unsupported("registers")
      const listed = yield* variables(found.variablesReference)
      const groups = listed.filter((one) => one.variablesReference !== 0)
      // Some adapters list registers without groups; those of vectors have parts then.
      if (groups.length < listed.length)
        return [{ name: "Registers", registers: listed.map(({ name, value }) => ({ name, value })) }]
      return yield* Effect.forEach(groups, (group) =>
        Effect.map(variables(group.variablesReference), (registers) => ({
          name: group.name,
          registers: registers.map(({ name, value }) => ({ name, value: LldbInspection.trimmed(value) }))
        }))
      )
    }),

    formatted:
      own.formatted ??
      Effect.fnUntraced(function* (expression, frame, format) {
        if (format !== "hex") return yield* unsupported(`the format ${format}`)
        const body = yield* client
          .request(Requests.Evaluate, { expression, frameId: frame, context: "watch", format: { hex: true } })
          .pipe(Effect.mapError(failed))
        return { value: body.result, ...(body.type === undefined ? {} : { type: body.type }) }
      }),

    // Looked up at each call, since adapters may announce more later.
    memory: (at, count) =>
      supports("supportsReadMemoryRequest")
        ? readByRequest(at, count)
        : (lldb?.memory(at, count) ?? Effect.fail(unsupported("reading memory"))),

    write: (at, bytes) =>
      supports("supportsWriteMemoryRequest")
        ? client
            .request(Requests.WriteMemory, {
              memoryReference: `0x${at.toString(16)}`,
              data: Base64.encode(bytes)
            })
            .pipe(Effect.mapError(failed), Effect.as("dap" as const))
        : (lldb?.write(at, bytes) ?? Effect.fail(unsupported("writing memory"))),

    disassemble: (code, flavor) =>
      own.disassemble?.(code, flavor) ??
      (supports("supportsDisassembleRequest") ? disassembleByRequest(code) : Effect.fail(unsupported("disassembling"))),

    modules,
    files: own.files ?? Effect.suspend(() => loaded),
    source: (frame) => {
      const { adapterData, name: called, path: file, sourceReference = 0 } = options.sourceOf(frame) ?? {}
      if (sourceReference === 0) return Effect.succeed(undefined)
      const source = {
        sourceReference,
        ...(called === undefined ? {} : { name: called }),
        ...(file === undefined ? {} : { path: file }),
        ...(adapterData === undefined ? {} : { adapterData })
      }
      return client.request(Requests.Source, { source, sourceReference }).pipe(
        Effect.mapError(failed),
        Effect.map((body) => body.content)
      )
    },

    functions: own.functions ?? (() => Effect.fail(unsupported("finding functions"))),
    type: own.type ?? (() => Effect.succeed([]))
  }
  return { inspection, command, formatted }
}
