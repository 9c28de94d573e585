/**
 * Runs the commands of a script: parses all, checks their effects, then calls one after the other.
 *
 * Each command goes through the client that the caller's call came through, so policies, the audit log and masking see it as if
 * it were called alone. What a person accepted belongs to one command (`Effects.Use.call`) and allows no other.
 */
import {
  Caller,
  Client,
  Effects,
  Envelope,
  Errors,
  Operation,
  type Operations,
  Payload,
  ScriptResult
} from "@sigtrap/protocol"
import * as ScriptLines from "@sigtrap/protocol/grammar/ScriptLines"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Permission from "../model/permissions/Permission.ts"
import type { Machine } from "../model/permissions/Policy.ts"
import * as SourceRoots from "../model/sources/SourceRoots.ts"
import { type FileReader, purposes } from "../ports/FileReader.ts"

type Asked = Operations.Payload<"script">

/** A command that is ready to run. */
type Ready =
  | ScriptLines.ScriptCheck
  | (ScriptLines.ScriptCall & { readonly payload: unknown; readonly uses: ReadonlyArray<Effects.Use> })

/**
 * Reads the file of further commands. Errors quote its text only if it lies below the caller's directory and is not a file of
 * secrets: a client that may only observe must not read other files by their mistakes.
 */
const scriptFile = Effect.fnUntraced(function* (
  asked: Asked,
  reader: FileReader["Service"],
  { fs, path }: Machine
): Effect.fn.Return<ScriptLines.ScriptFile | undefined, Errors.Permission> {
  if (asked.file === undefined) return undefined
  const directory = path.resolve(asked.directory ?? ".")
  const file = path.resolve(directory, asked.file)
  const text = yield* reader
    .text(file, purposes.named)
    .pipe(
      Effect.mapError(
        ({ message }) =>
          new Errors.Permission({ detail: message, remedies: [{ note: "name a file that can be read" }] })
      )
    )
  const quoted = yield* Effect.all([fs.realPath(directory), fs.realPath(file)]).pipe(
    Effect.map(
      ([root, real]) =>
        !SourceRoots.isTooWide(root, { homes: reader.home === undefined ? [] : [reader.home], temporary: [] }) &&
        SourceRoots.refusal({ ...SourceRoots.none, directories: [root] }, real) === undefined
    ),
    Effect.orElseSucceed(() => false)
  )
  return { name: asked.file, text, quoted }
})

/** Decodes a command. Its session, directory, environment and settings are those of the script unless it has its own. */
const ready = Effect.fnUntraced(function* (step: ScriptLines.ScriptStep, asked: Asked) {
  if (step._tag === "Check") return step
  const { directory = "", environment = {}, session, settings } = asked
  const named = session !== undefined && Payload.hasField(step.operation, "session") ? { session } : {}
  const filled = Payload.fill(
    step.operation,
    { ...named, ...step.input },
    {
      directory,
      environment,
      ...(settings === undefined ? {} : { settings })
    }
  )
  const payload = yield* Payload.decode(step.operation, filled).pipe(
    Effect.mapError(
      ({ near, problem, remedies }) => new Errors.Usage({ problem: `${step.text}: ${problem}`, near, remedies })
    )
  )
  return { ...step, payload, uses: Effects.ofCall(Operation.meta(step.operation), payload) }
})

/** Gives `at_stop` to the first command that resumes, unless it has its own: later ones are at stops that the script made. */
const guarded = (steps: ReadonlyArray<ScriptLines.ScriptStep>, atStop: number | undefined) => {
  const first = steps.find((step) => step._tag !== "Check" && Operation.meta(step.operation).execution === "resume")
  return atStop === undefined
    ? steps
    : steps.map((step) =>
        step === first && step._tag !== "Check" ? { ...step, input: { at_stop: atStop, ...step.input } } : step
      )
}

/** Returns an effect as a form shows it: with the position of its command, and with the file that the command is from. */
const ofCommand = (use: Effects.Use, call: number, text: string, file: string | undefined): Effects.Use => ({
  ...use,
  call,
  ...(file === undefined ? {} : { value: use.value ?? text, source: use.source ?? file })
})

/** Returns the value at a path such as `data.frames.0.line`, as text. */
const at = (document: unknown, path: string): string | undefined => {
  let value = document
  for (const name of path.split(".")) {
    value = Predicate.isReadonlyObject(value) || Array.isArray(value) ? Reflect.get(value, name) : undefined
  }
  return value === undefined || value === null ? undefined : Predicate.isString(value) ? value : JSON.stringify(value)
}

const check = ({ expected, path, text }: ScriptLines.ScriptCheck, document: unknown): ScriptResult.ScriptResult => {
  const actual = at(document, path)
  return actual === expected
    ? { text, input: {} }
    : {
        text,
        input: {},
        error: new Errors.AssertionFailed({ path, expected, ...(actual === undefined ? {} : { actual }) })
      }
}

/** Returns the answer or error of a command as JSON, for the check after it. */
const documentOf = ({ answer, error, operation }: ScriptResult.ScriptResult) =>
  error !== undefined
    ? Effect.succeed(Envelope.failure(error, () => ""))
    : answer === undefined || operation === undefined
      ? Effect.succeed(undefined)
      : Envelope.success(operation, answer, () => "")

/** Handles `script`. */
export const run = Effect.fn("Script.run")(function* (asked: Asked, reader: FileReader["Service"], machine: Machine) {
  const client = yield* Client.Commands
  const caller = yield* Caller.Current
  if (client === undefined) return yield* Effect.die("no client runs the commands of a script")
  const own = yield* Permission.Uses
  yield* Permission.permit(
    "script",
    own.filter(({ effect }) => effect === "observe" || effect === "read-file")
  )
  const parsed = ScriptLines.parse(asked.commands, asked.environment, yield* scriptFile(asked, reader, machine))
  if (Result.isFailure(parsed)) return yield* parsed.failure
  const steps: ReadonlyArray<Ready> = yield* Effect.forEach(guarded(parsed.success, asked.at_stop), (step) =>
    ready(step, asked)
  )
  const needed = steps.map((step, index) =>
    step._tag === "Check" ? [] : step.uses.map((use) => ofCommand(use, index, step.text, asked.file))
  )
  // Together, so that a person is asked once.
  yield* Permission.permitCall("script", needed.flat())

  /** Returns the allowance of one command: what the person accepted for it, and for no other. */
  const allowanceOf = (index: number, uses: ReadonlyArray<Effects.Use>): Caller.Allowance => {
    const accepted = caller.allowance.uses.filter(({ call }) => call === index)
    const asWritten = uses.filter((_, place) => {
      const shown = needed[index]?.[place]
      return shown !== undefined && accepted.some((use) => Caller.sameUse(use, shown))
    })
    return { ...caller.allowance, uses: [...asWritten, ...accepted.map(({ call: _, ...use }) => use)] }
  }

  // A form is about the whole call. A caller without one is asked about each command.
  const { asks, requests: _, ...alone } = caller
  const inside: Caller.Caller = asks?.form === false ? { ...alone, asks } : alone

  const results: Array<ScriptResult.ScriptResult> = []
  let document: unknown
  let failedAt: number | undefined
  for (const [index, step] of steps.entries()) {
    if (step._tag === "Check") results.push(check(step, document))
    else {
      const { input, operation, text } = step
      const call = client.callAny(operation, step.payload)
      const outcome = yield* Effect.result(
        Effect.provideService(call, Caller.Current, { ...inside, allowance: allowanceOf(index, step.uses) })
      )
      const result = Result.isSuccess(outcome) ? { answer: outcome.success } : { error: outcome.failure }
      // Nothing has run: the caller can be asked, and the whole call repeated.
      if (index === 0 && result.error?._tag === "TierRequired") {
        const missing = result.error.missing.map((use) => ({ ...use, call: 0 }))
        return yield* new Errors.TierRequired({ operation: "script", missing })
      }
      results.push({ text, operation, input, ...result })
      document = yield* documentOf({ text, operation, input, ...result })
    }
    if (results.at(-1)?.error === undefined) continue
    failedAt ??= index
    if (!asked.keep_going) break
  }
  const last = results.findLast(({ answer }) => answer !== undefined)?.answer
  const failure = results.at(-1)?.error
  const session = failure?.session ?? last?.session
  return {
    ...(session === undefined ? {} : { session }),
    state: failure?.state ?? last?.state ?? "none",
    ...(last?.stop === undefined ? {} : { stop: last.stop }),
    data: {
      results: yield* Effect.forEach(results, ScriptResult.encode),
      done: results.filter(({ error }) => error === undefined).length,
      ...(failedAt === undefined ? {} : { failed_at: failedAt })
    },
    warnings: [],
    truncated: []
  }
})
