/**
 * Evaluates expressions under a debug adapter.
 *
 * Expressions that only read use the context `hover`, which cannot change the program. Expressions that may call functions
 * run on the debugger's command line, if the dialect has one: lldb-dap's `evaluate` ends every call after 0.5 s, and the
 * limit cannot be changed. The result is then requested by the name that LLDB gave it (`$0`), so that its members can be
 * requested too.
 */
import { Expression, MonotonicTime } from "@sigtrap/protocol"
import { Errors as Dap, Requests, type Client } from "@sigtrap/dap"
import { Parse, Variables } from "@sigtrap/lldb"
import { RunsCode, type Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as TimeLimits from "../../console/TimeLimits.ts"
import type { CommandLine } from "../../console/Dialect.ts"
import type { StuckCall } from "../../process/StuckCall.ts"
import { adapterError, expressionError, noElement, withoutCode, type Failures } from "../../console/Failures.ts"
import type { Quirks } from "../../adapters/Quirks.ts"
import type { DapVariables } from "./Variables.ts"
import * as CodeCheck from "./CodeCheck.ts"
import * as SilentCorrections from "./SilentCorrections.ts"
import * as VariablePaths from "./VariablePaths.ts"

/** The parts of a connection that this module uses. */
export interface Options {
  readonly client: Client.Client
  /** The adapter's name in messages. */
  readonly name: string
  readonly quirks: Quirks
  /** Runs a request that may call functions of the program. */
  readonly calling: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  readonly failed: (error: Dap.RequestError) => Backend.Failure
  readonly values: Pick<DapVariables, "valueOf" | "around" | "children">
  readonly locals: Backend.Connection["locals"]
  /** The text of a debugger command that must succeed, in a frame; absent if the protocol is used. */
  readonly command?:
    | ((line: string, frame: number, millis: number) => Effect.Effect<string, Backend.Failure>)
    | undefined
  readonly assign?: CommandLine["assign"]
  readonly find?: CommandLine["find"]
  readonly compiled?: CommandLine["compiled"]
  readonly stuckCall: StuckCall
  /** A request that every adapter answers at once; shows that the adapter responds. */
  readonly ping: Effect.Effect<unknown, unknown>
}

/** The fields of an evaluate response that a variable has as well. */
const withReference = (rest: Omit<typeof Requests.Evaluate.body.Type, "result">) => ({
  variablesReference: rest.variablesReference ?? 0,
  ...(rest.type === undefined ? {} : { type: rest.type }),
  ...(rest.namedVariables === undefined ? {} : { namedVariables: rest.namedVariables }),
  ...(rest.indexedVariables === undefined ? {} : { indexedVariables: rest.indexedVariables })
})

const explainedBy =
  (failures: Failures | undefined) =>
  (error: Backend.Failure): Backend.Failure =>
    error._tag === "AdapterError"
      ? expressionError(failures, error.command, error.detail, Parse.expressionProblem(error.detail))
      : error

/** True for an expression with an operator that no path of members has. */
const hasOperator = (expression: string): boolean => /[=!<>+?%|^~]/.test(expression.replaceAll("->", "."))

const textOf = ({ value }: Backend.Value): string => value

/** The value of an assignment that runs no code of the program: none, since the caller reads the target again. */
const assigned = (assignment: Effect.Effect<void, Backend.Failure>, expression: string, runsCode: string) =>
  assignment.pipe(
    Effect.mapError((error) => withoutCode(error, runsCode)),
    Effect.as<Backend.Value>({ name: expression, value: "", handle: 0, expression })
  )

/** Returns the value in an answer, without the declaration that some versions put before it. */
const withoutDeclaration = (
  { hoverAnswersDeclaration }: Pick<Options["quirks"], "hoverAnswersDeclaration">,
  text: string,
  type = ""
): string => {
  const before = `(${type}) `
  return hoverAnswersDeclaration === true && text.startsWith(before)
    ? text.slice(before.length).replace(/^[^=]* = /, "")
    : text
}

/** Returns an expression in the form in which the debugger calls functions of the program. */
const withPrefix = ({ callPrefix = "", readingCalls }: Quirks, expression: string): string =>
  callPrefix === "" ||
  expression.startsWith(callPrefix) ||
  !expression.includes("(") ||
  Expression.onlyReads(expression, readingCalls)
    ? expression
    : `${callPrefix}${expression}`

/** Makes the function that returns what an expression over containers means; undefined for another one. */
const foundBy = (
  find: Options["find"],
  request: (path: string, frame: number, context: "hover") => Effect.Effect<Backend.Value, Backend.Failure>
) =>
  Effect.fnUntraced(function* (expression: string, frame: number) {
    const answer = yield* find?.(expression, frame) ?? Effect.succeed(undefined)
    if (answer?.kind === "value") return answer.value
    return answer?.kind === "path" ? { ...(yield* request(answer.path, frame, "hover")), name: expression } : undefined
  })

/** Makes the evaluation of one connection. */
export const make = ({
  assign,
  calling,
  client,
  command,
  compiled,
  failed,
  find,
  locals,
  name,
  ping,
  quirks,
  stuckCall,
  values
}: Options): Backend.Connection["evaluate"] => {
  const explained = explainedBy(quirks.failures)
  const byPath = VariablePaths.reader({ around: values.around, children: values.children, locals }, name)

  const request = (expression: string, frame: number, context: "hover" | "watch" | "repl") =>
    (quirks.neverAnswered?.test(expression) === true
      ? Effect.fail(new Dap.RequestFailed({ command: "evaluate", text: `${name} never answers such a call` }))
      : calling(client.request(Requests.Evaluate, { expression, context, frameId: frame }))
    ).pipe(
      Effect.mapError(failed),
      Effect.mapError((error) =>
        // A statement answers with a traceback, whose last line names the error.
        context === "repl" && error._tag === "AdapterError"
          ? adapterError(quirks.failures, error.command, error.detail.trim().split("\n").at(-1) ?? "")
          : explained(error)
      ),
      Effect.mapError((error) => {
        const problem = error._tag === "AdapterError" ? quirks.typeNameProblem?.(expression, error.detail) : undefined
        return problem === undefined ? error : adapterError(quirks.failures, "evaluate", problem)
      }),
      Effect.map(({ result, ...rest }) =>
        values.valueOf({
          name: expression,
          value: withoutDeclaration(quirks, result, rest.type),
          evaluateName: expression,
          ...withReference(rest)
        })
      )
    )

  const run = Effect.fnUntraced(function* (line: string, expression: string, frame: number, millis: number) {
    const started = yield* MonotonicTime.now
    const text = yield* (
      command === undefined ? Effect.succeed("") : command(line, frame, millis + 2 * TimeLimits.slack)
    ).pipe(
      Effect.mapError(explained),
      Effect.catchTag("AdapterError", (error) => TimeLimits.failure(error, started, millis))
    )
    const [node] = Variables.trees(text)
    // A void expression has no value.
    if (node === undefined) return { name: expression, value: "", handle: 0, expression }
    const { name: result, text: value, type } = node
    if (!/^\$\w+$/.test(result)) return { name: expression, value, type, handle: 0, expression }
    return { ...(yield* request(result, frame, "watch")), name: expression, expression }
  })

  const parsed = SilentCorrections.make(command, quirks, explained)
  /** Fails if an expression runs code and the caller may not, or cannot be parsed; only debuggers with a command line can tell. */
  const interpreted = Effect.fnUntraced(function* (expression: string, frame: number) {
    const runsCode = yield* RunsCode.RunsCode
    if (command === undefined) return
    if (runsCode === true) return yield* parsed(expression, frame)
    const line = yield* Effect.mapError(
      Effect.fromResult(Variables.expression(expression, { levels: 0 }, undefined, true)),
      () => adapterError(quirks.failures, "expression", `${expression} has control characters`)
    )
    yield* Effect.mapError(command(line, frame, TimeLimits.usual), (error) => explained(withoutCode(error, runsCode)))
  })

  const found = foundBy(find, request)

  const read = Effect.fnUntraced(function* (expression: string, frame: number) {
    const element = yield* found(expression, frame)
    if (element !== undefined) return element
    if (!Expression.onlyReads(expression, quirks.readingCalls)) {
      // Without this, an unknown variable would be reported as a call.
      yield* unlessKnown(Expression.rootOf(expression), frame, (one, at) => request(one, at, "watch"))
      return yield* noElement(expression)
    }
    yield* CodeCheck.make(quirks, "value", (text) => Effect.map(request(text, frame, "watch"), textOf))(expression)
    // The context `hover` reads paths only; others are read as they are.
    const runsCode = yield* RunsCode.RunsCode
    const isRegister = Variables.isRegister(expression)
    const other = unlessKnown(expression, frame, (one, at) =>
      Effect.andThen(isRegister ? Effect.void : interpreted(one, at), request(one, at, "watch"))
    )
    // LLDB's adapter reads neither registers nor operators for `hover`.
    if (command !== undefined && (isRegister || hasOperator(expression))) return yield* other
    return yield* request(expression, frame, "hover").pipe(
      Effect.catchTag("AdapterError", (error) =>
        quirks.hoverRunsNoCode === true && runsCode !== true ? Effect.fail(withoutCode(error, runsCode)) : other
      )
    )
  })

  /** Evaluates an expression, or the one that the debugger can compile in its place, unless it must not compile it. */
  const unlessKnown = Effect.fnUntraced(function* (
    expression: string,
    frame: number,
    evaluation: (expression: string, frame: number) => Effect.Effect<Backend.Value, Backend.Failure>
  ) {
    const found = yield* compiled?.(expression, frame) ?? Effect.succeed(undefined)
    if (found?.kind === "value") return found.value
    if (found?.kind !== "expression") return yield* evaluation(expression, frame)
    return { ...(yield* evaluation(found.expression, frame + found.callers)), name: expression, expression }
  })

  const reading = (expression: string, frame: number) =>
    quirks.propertiesRunCode === true ? byPath(expression, frame, read(expression, frame)) : read(expression, frame)

  const running = (expression: string, frame: number, within: number, runsCode: true | string) => {
    const millis = TimeLimits.limited(within)
    const one = expression.includes("//") ? expression : expression.replaceAll(/\s*[\r\n]+\s*/g, " ")
    const context = quirks.statement?.test(expression) === true ? "repl" : "watch"
    if (runsCode !== true && assign !== undefined) return assigned(assign(one, frame), expression, runsCode)
    const evaluation = (text: string, at: number) => {
      const line = Variables.expression(text === expression ? one : text, { levels: 0 }, millis, runsCode !== true)
      const simple = command === undefined || Variables.isPath(text) || Result.isFailure(line)
      if (simple) return request(text, at, context)
      const value = run(line.success, text, at, millis)
      return runsCode === true ? value : Effect.mapError(value, (error) => withoutCode(error, runsCode))
    }
    const compiledValue = unlessKnown(expression, frame, evaluation)
    // A path needs no compilation, unless it does not exist. An index of a map is a key for C++, and a position for LLDB.
    const isRead = compiled !== undefined && Variables.isPath(expression)
    const path = expression.includes("[") ? found(expression, frame) : request(expression, frame, "hover")
    const first = isRead
      ? Effect.flatMap(
          Effect.catchTag(path, "AdapterError", () => compiledValue),
          (value) => (value === undefined ? compiledValue : Effect.succeed(value))
        )
      : compiledValue
    return stuckCall
      .bounded(first, "eval", millis + TimeLimits.slack, ping)
      .pipe(Effect.catchTag("RequestTimeout", () => Effect.fail(TimeLimits.overdue(millis))))
  }

  return (expression, frame, how, within = TimeLimits.usual) =>
    Effect.flatMap(RunsCode.RunsCode, (runsCode) =>
      how === "read" || (runsCode !== true && Expression.onlyReads(expression, quirks.readingCalls))
        ? reading(expression, frame)
        : Effect.map(running(withPrefix(quirks, expression), frame, within, runsCode), (value) =>
            quirks.callPrefix === undefined ? value : { ...value, name: expression }
          )
    )
}
