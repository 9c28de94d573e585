/**
 * Reads variables, expressions and their children by LLDB commands.
 *
 * Children are listed in two steps, names first. So reading a page of a large array prints one page, not the array.
 */
import { Parse, Variables } from "@sigtrap/lldb"
import { RunsCode, type Backend } from "@sigtrap/manager"
import { Errors, Expression, MonotonicTime } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { adapterError, expressionError, noElement, withoutCode } from "../console/Failures.ts"
import { failures } from "../console/lldb/Failures.ts"
import * as ExpressionQueries from "../console/lldb/ExpressionQueries.ts"
import * as ChildPages from "../console/lldb/values/ChildPages.ts"
import * as ResultNames from "../console/lldb/values/ResultNames.ts"
import * as TimeLimits from "../console/TimeLimits.ts"
import { failure, outputOf, type Console } from "./Console.ts"
import { isTypeName, notVariable, withoutVariables } from "../console/lldb/Failures.ts"
import { expressionOf, isAbsent, namedOnly, pathOf, Places, type Place } from "./Places.ts"

/** The requests about values. */
export interface Values extends Pick<Backend.Connection, "locals" | "children" | "evaluate"> {
  readonly globals: (frame: number) => Effect.Effect<ReadonlyArray<Backend.Value>, Backend.Failure>
  /** Reads LLDB's settings again after a command of the user, which may have changed them. */
  readonly readSettings: Effect.Effect<void, Backend.Failure>
  /** Forgets the handles of the last stop. */
  readonly forget: () => void
}

/** Maximum children that LLDB prints of a value for its preview; the preview shows fewer. */
const previewed = 16

/** Maximum children of a tree that is printed with previews. */
const mostPreviewed = 64

/** The depth of a preview in levels of members. */
const previewDepth: Variables.Depth = { levels: 2 }

/** Matches a command that reads variables, which runs no code of the program. */
const readsVariables = /^frame variable /

/** Prints trees of values. */
interface Printer {
  /** The trees that a command prints, with at most `children` children of each value. */
  readonly print: (
    line: Result.Result<string, { readonly text: string }>,
    children: number,
    frame: number,
    millis?: number
  ) => Effect.Effect<ReadonlyArray<Variables.Node>, Backend.Failure>
  /** The value of a place with its children, to a depth of `levels`. */
  readonly tree: (place: Place, levels: number, children: number) => Effect.Effect<Variables.Node, Backend.Failure>
  readonly readSettings: Values["readSettings"]
}

const makePrinter = (console: Console, pages: ChildPages.ChildPages): Printer => {
  let restore = Variables.resetLimit

  /** Runs a command that reads variables. Inside Python LLDB calls formatters in a third of the time. */
  const read = Effect.fnUntraced(function* (line: string, children: number, frame: number) {
    const commands = [Variables.setLimit(children), line, restore] as const
    const shown = yield* pages.show(commands, frame)
    return shown === undefined ? yield* console.surrounded(commands, frame) : outputOf(shown.output, shown.errors)
  })

  const print: Printer["print"] = Effect.fnUntraced(function* (line, children, frame, millis) {
    if (Result.isFailure(line)) {
      return yield* new Errors.AdapterError({
        command: "expression",
        detail: `control characters in ${JSON.stringify(line.failure.text)}`
      })
    }
    const answer = yield* millis === undefined && readsVariables.test(line.success)
      ? read(line.success, children, frame)
      : console.surrounded([Variables.setLimit(children), line.success, restore], frame, millis)
    // Some of the paths may not exist; the others are printed.
    const trees = yield* Variables.treesInSteps(answer.output)
    const failed = trees.length === 0 ? failure(line.success, answer) : undefined
    return failed === undefined ? trees : yield* failed
  })

  const rootLine = ({ root }: Place, depth: Variables.Depth) =>
    root.kind === "path"
      ? Variables.paths([root.text], depth)
      : root.kind === "global"
        ? Result.succeed(Variables.globals(depth))
        : Variables.expression(root.text, depth)

  return {
    print,
    tree: Effect.fnUntraced(function* (place, levels, children) {
      const depth = { levels: place.steps.length + levels }
      const printed = yield* print(rootLine(place, depth), children, place.frame)
      let node = place.root.kind === "global" ? printed.find(({ name }) => name === place.root.text) : printed[0]
      for (const step of place.steps) node = node?.children[step]
      if (node === undefined) {
        return yield* new Errors.AdapterError({ command: "frame variable", detail: "the value no longer exists" })
      }
      return node
    }),
    readSettings: Effect.map(console.text(Variables.showLimit), (text) => {
      restore = Variables.restoreLimit(text)
    })
  }
}

/** Opens values: pages of their children. */
const makeChildren = (
  { print, tree }: Printer,
  places: Places,
  pages: ChildPages.ChildPages,
  text: Console["text"]
): Values["children"] => {
  /** The place of a value in the tree of a result as a result of its own: a tree from the first one grows with each pointer on the way. */
  const named = Effect.fnUntraced(function* (place: Place) {
    const { frame, root, steps } = place
    if (root.kind !== "result" || steps.length === 0 || !root.text.startsWith("$")) return place
    const name = (yield* text(ResultNames.nameOf(root.text, steps), frame)).trim()
    return ResultNames.isName(name) ? { ...place, root: { kind: "result" as const, text: name }, steps: [] } : place
  })

  /** The names of the children of a container, which are its elements; undefined for other values. */
  const elementNames = ({ frame, pointer, root, steps }: Place, start: number, count: number) =>
    pointer || root.kind !== "path" || steps.length > 0
      ? Effect.undefined
      : Effect.map(pages.names(root.text, frame, start, count), (names) =>
          names !== undefined && names.length > 0 && names.every((name) => name.startsWith("["))
            ? names.map(namedOnly)
            : undefined
        )

  /** Children that have a path are printed together; the others come from the tree of their parent. */
  const opened = Effect.fnUntraced(function* (place: Place, names: ReadonlyArray<Variables.Node>, start: number) {
    const paths = names.map((name) => pathOf(place, name))
    const known = paths.filter((path) => path !== undefined)
    // Children that a formatter made may have no path at all.
    const found =
      known.length === 0
        ? []
        : yield* print(Variables.paths(known, previewDepth), previewed, place.frame).pipe(
            Effect.catchTag("AdapterError", () => Effect.succeed([]))
          )
    // An array without a length, or in a register, may be whole in the tree only.
    const isLost = ({ location, type }: Variables.Node) =>
      type.includes("[]") || (type.endsWith("]") && !location.startsWith("0x"))
    const byPath = new Map(found.filter((node) => !isLost(node)).map((node) => [node.name, node]))
    // LLDB prints elements that are bits without their path.
    const isUnread = ({ type }: Variables.Node, index: number) => type === "" && !byPath.has(paths[index] ?? "")
    const whole =
      byPath.size < names.length || names.some(isUnread)
        ? yield* tree(place, 3, Math.max(previewed, start + names.length))
        : undefined
    return names.map((own, index) => {
      const path = paths[index]
      const node = path === undefined ? undefined : byPath.get(path)
      const expression = expressionOf(place, own)
      return node === undefined || path === undefined
        ? places.valueOf(whole?.children[start + index] ?? own, {
            frame: place.frame,
            root: place.root,
            steps: [...place.steps, start + index],
            expression
          })
        : places.valueOf(
            { ...node, name: own.name },
            { frame: place.frame, root: { kind: "path", text: path }, steps: [], expression }
          )
    })
  })

  return Effect.fnUntraced(function* (handle, start, count) {
    const known = places.get(handle)
    if (known === undefined) {
      return yield* new Errors.AdapterError({
        command: "frame variable",
        detail: "the reference belongs to an earlier stop"
      })
    }
    const place = yield* named(known)
    const end = start + count
    if (place.root.kind === "path" && place.steps.length === 0) {
      if (place.elements !== undefined) {
        const length = Math.max(0, Math.min(place.elements, end) - start)
        return yield* opened(
          place,
          Array.from({ length }, (_, index) => namedOnly(`[${start + index}]`)),
          start
        )
      }
      const names = yield* elementNames(place, start, count)
      return yield* opened(place, names ?? (yield* tree(place, 1, end)).children.slice(start, end), start)
    }
    const shallow = end <= mostPreviewed ? undefined : yield* tree(place, 1, end)
    const isLong = shallow !== undefined && shallow.children.length > mostPreviewed
    const whole = isLong ? shallow : yield* tree(place, 3, end)
    return whole.children.slice(start, end).map((node, index) =>
      places.valueOf(node, {
        frame: place.frame,
        root: place.root,
        steps: [...place.steps, start + index],
        expression: expressionOf(place, node)
      })
    )
  })
}

/** An address of a path in parentheses: `&(shop.lock)`. */
const addressForm = /^&\(([\w$.>[\]-]+)\)$/

/** Returns the path of a variable that an expression consists of; undefined for others. LLDB reads a path without the compiler. */
const variablePath = (expression: string): string | undefined => {
  const path = expression.replace(addressForm, "&$1")
  return Variables.isPath(path) ? path : undefined
}

/** Evaluates paths and expressions. */
const makeEvaluate = ({ print }: Printer, places: Places, text: Console["text"]): Values["evaluate"] => {
  const variable = (path: string, frame: number) =>
    Effect.flatMap(print(Variables.paths([path], previewDepth), previewed, frame), ([node]) =>
      node === undefined || (/^<.*>$/s.test(node.text) && !isAbsent(node.text))
        ? Effect.fail(new Errors.AdapterError({ command: "frame variable", detail: `no value at '${path}'` }))
        : Effect.succeed(
            places.valueOf(
              { ...node, name: path },
              { frame, root: { kind: "path", text: path }, steps: [], expression: path }
            )
          )
    )

  const computed = Effect.fnUntraced(function* (expression: string, frame: number, timeout: number) {
    const millis = TimeLimits.limited(timeout)
    const started = yield* MonotonicTime.now
    // A command is one line, so lines are joined; with a comment the joined line would mean something else and is refused.
    const joined = expression.includes("//") ? expression : expression.replaceAll(/\s*[\r\n]+\s*/g, " ")
    const known = yield* ExpressionQueries.compiled(text, joined, frame)
    if (known?.kind === "value") return { ...known.value, name: expression, expression }
    const line = known?.kind === "expression" ? known.expression : joined
    const at = known?.kind === "expression" ? frame + known.callers : frame
    const runsCode = yield* RunsCode.RunsCode
    const [node] = yield* print(
      Variables.expression(line, previewDepth, millis, runsCode !== true),
      previewed,
      at,
      millis + TimeLimits.slack
    ).pipe(
      Effect.mapError((error) => (runsCode === true ? error : withoutCode(error, runsCode))),
      Effect.catchTags({
        AdapterError: ({ command, detail }) =>
          TimeLimits.failure(
            expressionError(failures, command, detail, Parse.expressionProblem(detail)),
            started,
            millis
          ),
        RequestTimeout: () => Effect.fail(TimeLimits.overdue(millis))
      })
    )
    if (node === undefined && isTypeName(expression)) {
      return yield* adapterError(failures, "expression", notVariable(expression))
    }
    if (node === undefined) return { name: expression, value: "", handle: 0, expression }
    const result = node.name.startsWith("$") ? node.name : line
    return {
      ...places.valueOf(node, { frame: at, root: { kind: "result", text: result }, steps: [], expression: result }),
      name: expression,
      expression
    }
  })

  /** Like adapters, only lists have a number of children. */
  const withoutCount = ({ child_count: _, ...value }: Backend.Value): Backend.Value => value

  const evaluate = Effect.fnUntraced(function* (
    expression: string,
    frame: number,
    how: "read" | "any",
    timeout: number
  ) {
    // An index of a map is a key for C++, and a position for LLDB.
    const isFound = how === "read" || (variablePath(expression) !== undefined && expression.includes("["))
    const found = isFound ? yield* ExpressionQueries.find(text, expression, frame) : undefined
    if (found?.kind === "value") return found.value
    if (found?.kind === "path") return { ...(yield* variable(found.path, frame)), name: expression }
    if (how === "read" && !Expression.onlyReads(expression)) {
      // Without this, an unknown variable would be reported as a call.
      yield* variable(Expression.rootOf(expression), frame)
      return yield* noElement(expression)
    }
    const path = variablePath(expression)
    const other = computed(expression, frame, timeout)
    if (path === undefined) return yield* other
    const read = Effect.map(variable(path, frame), (value) => ({ ...value, name: expression }))
    return yield* Effect.catchTag(read, "AdapterError", () => other)
  })

  return (expression, frame, how, timeout = TimeLimits.usual) =>
    Effect.map(evaluate(expression, frame, how, timeout), withoutCount)
}

/** Makes the requests over one console. */
export const make = (console: Console): Values => {
  const places = new Places()
  const pages = ChildPages.make(console.text)
  const printer = makePrinter(console, pages)

  const listed = (line: string, frame: number) =>
    Effect.map(printer.print(Result.succeed(line), previewed, frame), (trees) =>
      trees.map((node) => ({
        node,
        value: places.valueOf(node, {
          frame,
          // LLDB finds no member of a class or of an unnamed namespace by its path, and no instance of a template.
          root: { kind: Variables.isGlobalPath(node.name) ? "path" : "global", text: node.name },
          steps: [],
          expression: node.name
        })
      }))
    )

  /**
   * Names variables of the same name as lldb-dap: `NAME @ FILE:LINE`. The name itself evaluates to the innermost one, so the
   * others cannot be opened.
   */
  const distinguished = Effect.fnUntraced(function* (all: Effect.Success<ReturnType<typeof listed>>, frame: number) {
    const last = new Map(all.map(({ node }, index) => [node.name, index]))
    if (last.size === all.length) return all
    const places = Variables.declaredAt(yield* console.command(Variables.declaredLocals, frame))
    const count = Map.groupBy(all, ({ node }) => node.name)
    return all.map((one, index) => {
      if (count.get(one.node.name)?.length === 1) return one
      const { expression: _, ...value } = one.value
      const named = { ...value, name: `${one.node.name} @ ${places[index] ?? "?"}` }
      return {
        ...one,
        value: last.get(one.node.name) === index ? { ...one.value, name: named.name } : { ...named, handle: 0 }
      }
    })
  })

  return {
    locals: Effect.fnUntraced(function* (frame) {
      const found = yield* withoutVariables(listed(Variables.locals(previewDepth), frame), [])
      const all = yield* distinguished(found, frame)
      const isArgument = ({ node }: (typeof all)[number]) => node.scope === "ARG"
      const own = all.filter(({ node }) => node.scope === "ARG" || node.scope === "LOCAL" || node.scope === undefined)
      return [...own.filter(isArgument), ...own.filter((one) => !isArgument(one))].map(({ value }) => value)
    }),
    globals: (frame) =>
      Effect.map(withoutVariables(listed(Variables.globals(previewDepth), frame), []), (all) =>
        all.map(({ value }) => value)
      ),
    children: makeChildren(printer, places, pages, console.text),
    evaluate: makeEvaluate(printer, places, console.text),
    readSettings: printer.readSettings,
    forget: () => places.clear()
  }
}
