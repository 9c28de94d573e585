/**
 * Further questions about a stopped program: by requests of the protocol if the adapter supports them and answers exactly,
 * otherwise by the debugger's command line.
 */
import { Capabilities, Requests, type Client, type Errors as Dap, type Models } from "@sigtrap/dap"
import type { Backend, Inspection } from "@sigtrap/manager"
import { Errors, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Quirks } from "../adapters/Quirks.ts"
import type { Answers } from "../console/Dialect.ts"
import type { DapVariables } from "./values/Variables.ts"
import * as Memory from "./Memory.ts"
import * as Modules from "./Modules.ts"
import * as ScopeReferences from "./values/ScopeReferences.ts"

/** What an inspection is made from. */
export interface Options {
  readonly client: Client.Client
  /** The adapter's name in messages. */
  readonly name: string
  readonly quirks: Quirks
  readonly failed: (error: Dap.RequestError) => Backend.Failure
  readonly values: DapVariables
  /** Completes the values of global variables. */
  readonly completed: (
    values: ReadonlyArray<Backend.Value>
  ) => Effect.Effect<ReadonlyArray<Backend.Value>, Backend.Failure>
  /** Remembers values, for the expressions of their members. */
  readonly seen: (values: ReadonlyArray<Backend.Value>, frame: number) => ReadonlyArray<Backend.Value>
  readonly evaluate: Backend.Connection["evaluate"]
  readonly modules: Inspection.Inspection["modules"]
  /** What the debugger's command line answers. */
  readonly answers: Answers
}

/** A value of several lines in one line. */
const oneLine = (value: string) => value.trim().replaceAll(/\s*\n\s*/g, " ")

/** Writes a decimal integer, also one of JavaScript's type `bigint`, in hexadecimal. Other texts, and negative zero, stay as they are. */
const hexadecimal = (text: string): string => {
  const [, sign, digits, suffix] = /^(-?)(\d+)(n?)$/.exec(text) ?? []
  return digits === undefined || text === "-0" ? text : `${sign}0x${BigInt(digits).toString(16)}${suffix}`
}

/** False for a register that is not saved for a caller's frame: lldb-dap gives an error as its value. */
const isKnown = ({ value }: Models.Variable) => !value.startsWith("<error: ")

const isRegisters = ({ name, presentationHint }: Models.Scope) =>
  presentationHint === "registers" || /^registers$/i.test(name)

/** Makes the inspection of a connection. */
export const make = (options: Options): Inspection.Inspection => {
  const { answers, client, completed, evaluate, failed, modules, name, quirks, seen, values } = options
  const supports = (capability: Capabilities.Capability) => Capabilities.supports(client.capabilities(), capability)
  const unsupported = (what: string) => new Errors.Unsupported({ what, by: name, remedies: [Hint.call("context", {})] })
  const refuse = (what: string) => Effect.fail(unsupported(what))

  const scopes = (frame: number) =>
    client.request(Requests.Scopes, { frameId: frame }).pipe(
      Effect.mapError(failed),
      Effect.map((body) => body.scopes)
    )

  const variables = (reference: number) =>
    reference === 0
      ? Effect.succeed([])
      : client.request(Requests.Variables, { variablesReference: reference }).pipe(
          Effect.mapError(failed),
          Effect.map((body) => body.variables)
        )

  const argumentNames: Inspection.Inspection["argumentNames"] = Effect.fnUntraced(function* (frame) {
    const found = values.hinted
      ? (yield* scopes(frame)).find((scope) => scope.presentationHint === "arguments")
      : undefined
    if (found === undefined && quirks.omitsEmptyScopes === true) return []
    if (found === undefined) return yield* unsupported("telling arguments from local variables")
    return (yield* variables(found.variablesReference)).map((variable) => variable.name)
  })

  const registers: Inspection.Inspection["registers"] = Effect.fnUntraced(function* (frame) {
    const likely = ScopeReferences.likely(quirks, "registers", variables)
    const [all, found] = yield* Effect.all([scopes(frame), likely], { concurrency: "unbounded" })
    const scope = all.find(isRegisters)
    if (scope === undefined) return yield* unsupported("registers")
    const isLikely = ScopeReferences.isLikely(quirks, "registers", [scope])
    const listed = isLikely && found !== undefined ? found : yield* variables(scope.variablesReference)
    const groups = listed.filter((one) => one.variablesReference !== 0)
    // Without groups, only the vector registers have children.
    if (groups.length < listed.length)
      return [{ name: "Registers", registers: listed.map(({ name, value }) => ({ name, value })) }]
    const read = yield* Effect.forEach(groups, (group) =>
      Effect.map(variables(group.variablesReference), (listed) => ({
        name: group.name,
        registers: listed.filter(isKnown).map(({ name, value }) => ({ name, value: oneLine(value) }))
      }))
    )
    return read.filter((group) => group.registers.length > 0)
  })

  const formatted: Inspection.Inspection["formatted"] = Effect.fnUntraced(function* (expression, frame, format) {
    if (format !== "hex") return yield* unsupported(`the format ${format}`)
    if (quirks.formatsNoNumbers === true) {
      const value = yield* evaluate(expression, frame, "read")
      return { ...value, value: hexadecimal(value.value) }
    }
    const body = yield* client
      .request(Requests.Evaluate, { expression, frameId: frame, context: "watch", format: { hex: true } })
      .pipe(Effect.mapError(failed))
    return { value: body.result, ...(body.type === undefined ? {} : { type: body.type }) }
  })

  const files = Effect.suspend(() =>
    supports("supportsLoadedSourcesRequest")
      ? client.request(Requests.LoadedSources).pipe(
          Effect.mapError(failed),
          Effect.map(({ sources }) => sources.flatMap(({ path }) => (path === undefined ? [] : [path])))
        )
      : refuse("listing source files")
  )

  const readMemory = Memory.read({ client, failed })
  const writeMemory = Memory.write({ client, failed })

  return {
    places: answers.places ?? Effect.succeed([]),
    stacks: answers.stacks ?? (() => Effect.succeed(new Map())),
    argumentNames: answers.argumentNames ?? argumentNames,
    globals: Effect.fnUntraced(function* (frame) {
      const found = yield* values.around(frame)
      if (found !== undefined) return seen(yield* completed(found), frame)
      return quirks.omitsEmptyScopes === true ? [] : yield* unsupported("global variables")
    }),
    otherGlobals: answers.otherGlobals ?? (() => refuse("global variables of other files")),
    registers,
    formatted: answers.formatted ?? formatted,
    // Capabilities are read at each call, since an adapter may announce more later.
    memory: (address, count) =>
      supports("supportsReadMemoryRequest")
        ? readMemory(address, count)
        : (answers.memory?.(address, count) ?? refuse("reading memory")),
    write: (address, bytes) =>
      supports("supportsWriteMemoryRequest")
        ? writeMemory(address, bytes)
        : (answers.write?.(address, bytes) ?? refuse("writing memory")),
    disassemble: (code, flavor) =>
      answers.disassemble?.(code, flavor) ??
      (supports("supportsDisassembleRequest")
        ? Modules.disassemble({ client, failed }, code, unsupported)
        : refuse("disassembling")),
    modules,
    files: answers.files ?? files,
    ...(answers.lineBefore === undefined ? {} : { lineBefore: answers.lineBefore }),
    functions: answers.functions ?? (() => refuse("finding functions")),
    functionNames: answers.functionNames ?? (() => Effect.succeed([])),
    type: answers.type ?? (() => Effect.succeed([])),
    ...(answers.lookup === undefined ? {} : { lookup: answers.lookup }),
    ...(answers.faults === undefined ? {} : { faults: answers.faults })
  }
}
