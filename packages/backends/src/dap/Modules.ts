/**
 * Modules and instructions by the requests `modules` and `disassemble` (DAP).
 */
import { Requests, type Client, type Errors as Dap, type Models } from "@sigtrap/dap"
import type { Backend, Inspection } from "@sigtrap/manager"
import type { Errors } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Quirks } from "../adapters/Quirks.ts"

/** The parts of a connection that this module uses. */
export interface Options {
  readonly client: Client.Client
  readonly failed: (error: Dap.RequestError) => Backend.Failure
}

/** The most instructions of a range; the request counts instructions and has no end address. */
const mostInRange = 1000

/** The start of an address range, which is decimal up to LLDB 19 and hexadecimal from 21. */
const startOf = (range: string | undefined): string | undefined => {
  const text = range?.split("-")[0]?.trim()
  return text !== undefined && /^(?:0x[0-9a-fA-F]+|\d+)$/.test(text) ? `0x${BigInt(text).toString(16)}` : undefined
}

const moduleOf = (module: Models.Module, quirks: Quirks): Inspection.Module => {
  const address = startOf(module.addressRange)
  const status = module.symbolStatus
  return {
    name: module.name.slice(module.name.lastIndexOf("/") + 1),
    path: module.path ?? module.name,
    ...(address === undefined ? {} : { address }),
    ...(status === undefined ? {} : { symbols: /not found|no symbols/i.test(status) ? "none" : "loaded" }),
    ...(module.symbolFilePath === undefined ? {} : { symbol_file: module.symbolFilePath }),
    ...(quirks.moduleIdIsUuid === true && typeof module.id === "string" && module.id !== "" ? { uuid: module.id } : {})
  }
}

/** Lists the loaded modules. */
export const list = ({ client, failed }: Options, quirks: Quirks): Inspection.Inspection["modules"] =>
  client.request(Requests.Modules, {}).pipe(
    Effect.mapError(failed),
    Effect.map(({ modules }) => modules.map((module) => moduleOf(module, quirks)))
  )

const instructionOf = (instruction: Models.Instruction): Inspection.Instruction => ({
  address: instruction.address.toLowerCase(),
  text: instruction.instruction,
  ...(instruction.instructionBytes === undefined ? {} : { bytes: instruction.instructionBytes }),
  ...(instruction.symbol === undefined ? {} : { symbol: instruction.symbol }),
  ...(instruction.location?.path === undefined ? {} : { file: instruction.location.path }),
  ...(instruction.line === undefined ? {} : { line: instruction.line })
})

/** Disassembles code by its address; the request knows no function names, so `unsupported` fails for one. */
export const disassemble = Effect.fnUntraced(function* (
  { client, failed }: Options,
  code: Inspection.Code,
  unsupported: (what: string) => Errors.Unsupported
) {
  if (code.kind === "function") return yield* unsupported("disassembling a function by its name")
  const body = yield* client
    .request(Requests.Disassemble, {
      memoryReference: code.kind === "range" ? code.from : code.address,
      instructionCount: code.kind === "from" ? code.count : code.kind === "range" ? mostInRange : 12,
      resolveSymbols: true
    })
    .pipe(Effect.mapError(failed))
  const inRange = ({ address }: Inspection.Instruction) =>
    code.kind !== "range" || (BigInt(address) >= BigInt(code.from) && BigInt(address) < BigInt(code.to))
  return { instructions: body.instructions.map(instructionOf).filter(inRange), by: "dap" as const }
})
