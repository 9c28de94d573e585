/**
 * The further questions about a stopped program, by the requests of the protocol where the adapter advertises them and
 * their answers are exact, else on LLDB's command line.
 */
import { Requests, type Client, type Errors as Dap, type Models } from "@sigtrap/dap"
import { Capabilities } from "@sigtrap/dap"
import { Command, Disassembly, Frames, Memory, Parse, Symbols } from "@sigtrap/lldb"
import type { Backend, Inspection } from "@sigtrap/manager"
import { Errors } from "@sigtrap/protocol"
import * as Base64 from "effect/encoding/Base64"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import * as LldbStacks from "./LldbStacks.ts"

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
  /** The text of an LLDB command as it is, failures included. */
  readonly commandText: (line: string, frame?: number) => Effect.Effect<string, Backend.Failure>
  readonly failed: (error: Dap.RequestError) => Backend.Failure
  readonly valueOf: (variable: Models.Variable) => Backend.Value
  /** The source of a frame as the adapter named it. */
  readonly sourceOf: (frame: number) => Models.Source | undefined
}

/** The inspection, and LLDB's answer to questions that need a format of ours. */
export interface Made {
  readonly inspection: Inspection.Inspection
  readonly formatted: (commands: Frames.Formatted) => Effect.Effect<string, Backend.Failure>
}

/** The most bytes that one command writes, so that the line stays short. */
const writtenAtOnce = 512

/** The most instructions of a range that are asked for by the protocol, which counts them. */
const mostInRange = 1000

/** Names of LLDB's formats. */
const formats: { readonly [format in Exclude<Inspection.Format, "raw">]: string } = {
  hex: "hex",
  decimal: "decimal",
  unsigned: "unsigned decimal",
  octal: "octal",
  binary: "binary",
  character: "character",
  float: "float",
  address: "address",
  string: "c-string",
  bytes: "bytes"
}

/** System libraries have thousands of symbols and no debug information worth listing. */
const system = /^(?:\/usr)?\/lib|^\[|^\/System\//

/** A backtick is evaluated on the command line, and a newline is a second command. */
const unfit = /[\u0000-\u001f\u007f`]/

const path = /^[A-Za-z_][\w.>[\]-]*$/

const trimmed = (value: string) => value.replaceAll(/\s*\n\s*/g, " ")

/** Everything else that can be asked of an adapter. */
export const make = (options: Options): Made => {
  const { client, commandText, dumps, failed, isLldb, major, name, valueOf } = options
  const formatting = Semaphore.makeUnsafe(1)
  const supports = (capability: Capabilities.Capability) => Capabilities.supports(client.capabilities(), capability)
  const unsupported = (what: string) => new Errors.Unsupported({ what, by: name, remedy: "sigtrap context" })

  const scopes = (frame: number) =>
    client.request(Requests.Scopes, { frameId: frame }).pipe(
      Effect.mapError(failed),
      Effect.map((body) => body.scopes)
    )

  /** The text of a command that must succeed. It runs in the frame of the last `scopes`, whatever frame it names. */
  const command = Effect.fnUntraced(function* (line: string, frame?: number) {
    const chosen = frame === undefined ? Effect.void : scopes(frame)
    const [, text] = yield* Effect.all([chosen, commandText(line, frame)], { concurrency: "unbounded" }).pipe(
      formatting.withPermit
    )
    const problem = Parse.failure(text)
    if (problem === undefined) return text
    return yield* new Errors.AdapterError({ command: line.split(" -")[0] ?? line, detail: problem.trim() })
  })

  const built = (
    line: Result.Result<string, Command.Refused>,
    what: string
  ): Effect.Effect<string, Errors.AdapterError> =>
    Result.isSuccess(line)
      ? Effect.succeed(line.success)
      : Effect.fail(new Errors.AdapterError({ command: what, detail: "control characters are not allowed" }))

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

  const readByCommand = Effect.fnUntraced(function* (address: bigint, count: number) {
    const read = (from: bigint, length: number) =>
      Effect.map(commandText(Memory.read(from, length)), (text) => Memory.bytes(text, from, length))
    const whole = yield* read(address, count)
    if (whole.length === count) return { bytes: whole, unreadable: [], by: "lldb" as const }
    // One byte that cannot be read fails the whole, so each range is read by itself.
    const bytes = new Uint8Array(count)
    const unreadable: Array<readonly [number, number]> = []
    const gap = (from: number, to: number) => {
      const last = unreadable.at(-1)
      if (last !== undefined && last[1] === from) unreadable[unreadable.length - 1] = [last[0], to]
      else unreadable.push([from, to])
    }
    let offset = 0
    while (offset < count) {
      const at = address + BigInt(offset)
      const region = Memory.regionOf(yield* commandText(Memory.region(at)))
      const left = BigInt(count - offset)
      const length = Number(region === undefined || region.to <= at || region.to - at > left ? left : region.to - at)
      const found = region?.readable === true ? yield* read(at, length) : new Uint8Array(0)
      bytes.set(found, offset)
      if (found.length < length) gap(offset + found.length, offset + length)
      offset += length
    }
    return { bytes, unreadable, by: "lldb" as const }
  })

  const readByRequest = Effect.fnUntraced(function* (address: bigint, count: number) {
    const bytes = new Uint8Array(count)
    const body = yield* client
      .request(Requests.ReadMemory, { memoryReference: `0x${address.toString(16)}`, count })
      .pipe(Effect.mapError(failed))
    const decoded = Base64.decode(body.data ?? "")
    const found = Result.isSuccess(decoded) ? decoded.success.subarray(0, count) : new Uint8Array(0)
    bytes.set(found)
    const unreadable: ReadonlyArray<readonly [number, number]> = found.length < count ? [[found.length, count]] : []
    return { bytes, unreadable, by: "dap" as const }
  })

  const writeByCommand = Effect.fnUntraced(function* (address: bigint, bytes: Uint8Array) {
    for (let at = address; at < address + BigInt(bytes.length);) {
      const region = Memory.regionOf(yield* commandText(Memory.region(at)))
      if (region === undefined || !region.writable || region.to <= at) {
        return yield* new Errors.AdapterError({
          command: "memory write",
          detail: `0x${at.toString(16)} is not writable${region?.name === undefined ? "" : ` (${region.name})`}`
        })
      }
      at = region.to
    }
    for (let offset = 0; offset < bytes.length; offset += writtenAtOnce) {
      yield* command(Memory.write(address + BigInt(offset), bytes.subarray(offset, offset + writtenAtOnce)))
    }
    return "lldb" as const
  })

  const commandOf = (code: Inspection.Code) =>
    code.kind === "function"
      ? built(Disassembly.ofFunction(code.name, major), "disassemble")
      : Effect.succeed(
          code.kind === "around"
            ? Disassembly.around(code.address)
            : code.kind === "range"
              ? Disassembly.between(code.from, code.to)
              : Disassembly.from(code.address, code.count)
        )

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

  const disassembleByCommand = Effect.fnUntraced(function* (
    code: Inspection.Code,
    flavor: "intel" | "att" | undefined
  ) {
    const ask = (one: Inspection.Code) =>
      Effect.flatMap(commandOf(one), (line) =>
        formatted(Disassembly.formatted(Disassembly.flavoured(line, flavor)))
      ).pipe(Effect.map(Disassembly.instructions))
    // Code without a symbol belongs to no function; then it is shown from there on.
    const instructions =
      code.kind === "around"
        ? yield* ask(code).pipe(
            Effect.catchTag("AdapterError", () => ask({ kind: "from", address: code.address, count: 12 }))
          )
        : yield* ask(code)
    return { instructions, by: "lldb" as const }
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
      name: module.name,
      path: module.path ?? module.name,
      ...(at === undefined ? {} : { address: at }),
      ...(status === undefined ? {} : { symbols: /not found|no symbols/i.test(status) ? "none" : "loaded" }),
      ...(module.symbolFilePath === undefined ? {} : { symbol_file: module.symbolFilePath }),
      ...(isLldb && typeof module.id === "string" && module.id !== "" ? { uuid: module.id } : {})
    }
  }

  const modules = client.request(Requests.Modules, {}).pipe(
    Effect.mapError(failed),
    Effect.map((body) => body.modules.map(moduleOf))
  )

  const inspection: Inspection.Inspection = {
    places: isLldb
      ? Effect.map(formatted(Frames.threads), (text) =>
          Frames.threadList(text).map(({ tid, stopReason, index: _, ...location }) => ({
            id: tid,
            ...(stopReason === undefined ? {} : { stop_reason: stopReason }),
            location
          }))
        )
      : Effect.succeed([]),

    stacks: (count) =>
      isLldb
        ? Effect.map(formatted(Frames.stacks(count)), (text) => {
            const byThread = new Map<number, Array<Backend.StackFrame>>()
            for (const frame of Frames.frames(text)) {
              const known = byThread.get(frame.tid) ?? []
              // Numbers that do not follow each other belong to no stack.
              if (known.length === frame.index) byThread.set(frame.tid, [...known, LldbStacks.frameOf(frame)])
            }
            return byThread
          })
        : Effect.succeed(new Map()),

    argumentNames: Effect.fnUntraced(function* (frame) {
      if (isLldb) return Symbols.argumentNames(yield* command("frame variable --no-locals --scope -D 0", frame))
      const found = (yield* scopes(frame)).find((scope) => scope.presentationHint === "arguments")
      if (found === undefined) return yield* unsupported("telling arguments from local variables")
      return (yield* variables(found.variablesReference)).map((variable) => variable.name)
    }),

    globals: Effect.fnUntraced(function* (frame) {
      const found = (yield* scopes(frame)).find((scope) => /^(?:globals|statics?)/i.test(scope.name))
      if (found === undefined) return yield* unsupported("global variables")
      return (yield* variables(found.variablesReference)).map(valueOf)
    }),

    registers: Effect.fnUntraced(function* (frame) {
      const found = (yield* scopes(frame)).find(
        (scope) => scope.presentationHint === "registers" || /^registers$/i.test(scope.name)
      )
      if (found === undefined) return yield* unsupported("registers")
      const listed = yield* variables(found.variablesReference)
      const groups = listed.filter((one) => one.variablesReference !== 0)
      // Some adapters list registers without groups.
      if (groups.length === 0)
        return [{ name: "Registers", registers: listed.map(({ name, value }) => ({ name, value })) }]
      return yield* Effect.forEach(groups, (group) =>
        Effect.map(variables(group.variablesReference), (registers) => ({
          name: group.name,
          registers: registers.map(({ name, value }) => ({ name, value: trimmed(value) }))
        }))
      )
    }),

    formatted: Effect.fnUntraced(function* (expression, frame, format) {
      if (!isLldb) {
        if (format !== "hex") return yield* unsupported(`the format ${format}`)
        const body = yield* client
          .request(Requests.Evaluate, { expression, frameId: frame, context: "watch", format: { hex: true } })
          .pipe(Effect.mapError(failed))
        return { value: body.result, ...(body.type === undefined ? {} : { type: body.type }) }
      }
      if (unfit.test(expression)) return yield* unsupported("such an expression with a format")
      const how = format === "raw" ? "-R" : `-f "${formats[format]}"`
      const evaluated = `expression ${how} -- ${expression}`
      const text = path.test(expression)
        ? yield* command(`frame variable ${how} -- ${expression}`, frame).pipe(
            Effect.catchTag("AdapterError", () => command(evaluated, frame))
          )
        : yield* command(evaluated, frame)
      const found = Symbols.result(text)
      return found === undefined ? { value: trimmed(text.trim()) } : { type: found.type, value: trimmed(found.value) }
    }),

    memory: (at, count) =>
      supports("supportsReadMemoryRequest")
        ? readByRequest(at, count)
        : isLldb
          ? readByCommand(at, count)
          : Effect.fail(unsupported("reading memory")),

    write: (at, bytes) =>
      supports("supportsWriteMemoryRequest")
        ? client
            .request(Requests.WriteMemory, {
              memoryReference: `0x${at.toString(16)}`,
              data: Base64.encode(bytes)
            })
            .pipe(Effect.mapError(failed), Effect.as("dap" as const))
        : isLldb
          ? writeByCommand(at, bytes)
          : Effect.fail(unsupported("writing memory")),

    disassemble: (code, flavor) =>
      isLldb
        ? disassembleByCommand(code, flavor)
        : supports("supportsDisassembleRequest")
          ? disassembleByRequest(code)
          : Effect.fail(unsupported("disassembling")),

    modules,

    files: Effect.gen(function* () {
      if (!isLldb) return yield* unsupported("listing source files")
      const listed = Symbols.listed(yield* commandText(Symbols.listFiles))
      if (listed !== undefined) {
        const own = listed.filter(([module]) => !system.test(module)).flatMap(([, found]) => found)
        return [...new Set(own)].toSorted()
      }
      if (!dumps) return yield* unsupported("listing source files by an LLDB without Python")
      const lists = yield* Effect.forEach(
        (yield* modules).filter((one) => !system.test(one.path)),
        (one) =>
          built(Command.command("image dump symfile", [one.name], major), "image dump symfile").pipe(
            Effect.flatMap((line) => commandText(line)),
            Effect.map(Symbols.dumped)
          )
      )
      return [...new Set(lists.flat())].toSorted()
    }),

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

    functions: Effect.fnUntraced(function* (wanted) {
      const line = yield* built(Command.command("image lookup -v -n", [wanted], major), "image lookup")
      return Symbols.functions(yield* commandText(line))
    }),

    type: Effect.fnUntraced(function* (wanted) {
      if (!isLldb) return []
      const line = yield* built(Command.command("image lookup -t", [wanted], major), "image lookup")
      return Symbols.types(yield* commandText(line))
    })
  }
  return { inspection, formatted }
}
