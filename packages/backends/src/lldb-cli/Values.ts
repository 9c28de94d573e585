/**
 * Variables, expressions and what is inside them on the LLDB command line.
 *
 * A handle remembers where a value is: a path that `frame variable` finds, or an expression's result, and the way down
 * to a member that has no path (a base class, an anonymous union). Handles are good for one stop. Lists are asked for
 * in two steps, names first, so that a page of a large array costs a page.
 */
import { Parse, Variables } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import { Errors } from "@sigtrap/protocol"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Evaluation from "../console/lldb/Evaluation.ts"
import * as Display from "../console/lldb/Display.ts"
import { failure, type Console } from "./Console.ts"

/** Where a value is found again. */
interface Place {
  readonly frame: number
  readonly root: { readonly kind: "path" | "result"; readonly text: string }
  /** The way down from the root, as numbers of children. */
  readonly steps: ReadonlyArray<number>
  /** What is to be evaluated for it. */
  readonly expression: string
  readonly pointer: boolean
  /** The number of elements of an array. */
  readonly elements?: number
}

/** The requests about values. */
export interface Values extends Pick<Backend.Connection, "locals" | "children" | "evaluate"> {
  readonly globals: (frame: number) => Effect.Effect<ReadonlyArray<Backend.Value>, Backend.Failure>
  /** Settings may have been changed by a command of the user's. */
  readonly settled: Effect.Effect<void, Backend.Failure>
  /** Handles of the last stop are not good any more. */
  readonly forget: () => void
}

/** Children that are printed of a value that is not opened: a preview shows fewer. */
const previewed = 16

/** Up to so many children a tree is printed with previews; beyond they would be too many. */
const bounded = 64

/** What a preview needs: members, and theirs behind a pointer to a pointer. */
const shallow: Variables.Depth = { levels: 2 }

const optimizedAway = /variable not available|DW_OP_|optimized out/

const elementsOf = ({ type }: Variables.Node): number | undefined => {
  const count = /^[^(<]*?\[(\d{1,9})\]/.exec(type)?.[1]
  return count === undefined ? undefined : Number(count)
}

/** The path of a member, where there is one that every version reads. */
const pathOf = (parent: Place, child: Pick<Variables.Node, "name" | "type">): string | undefined => {
  if (parent.root.kind !== "path" || parent.steps.length > 0) return undefined
  const { text } = parent.root
  const { name, type } = child
  // A base class is called like its type and is no member; behind an operator no version reads on.
  if (name === "" || name === type || /^[*&]/.test(text)) return undefined
  if (name.startsWith("*")) return `*${text}`
  const path = name.startsWith("[") ? `${text}${name}` : `${text}${parent.pointer ? "->" : "."}${name}`
  return Variables.isPath(path) ? path : undefined
}

/** What is evaluated for a member, as adapters write it. */
const expressionOf = (parent: Place, name: string): string => {
  const { expression } = parent
  if (name.startsWith("*")) return `*(${expression})`
  // What has no name ends in the sign that leads to its members.
  if (name.startsWith("[") || /(?:\.|->)$/.test(expression)) return `${expression}${name}`
  return `${expression}${parent.pointer ? "->" : "."}${name}`
}

const refused = (text: string) =>
  new Errors.AdapterError({ command: "expression", detail: `control characters in ${JSON.stringify(text)}` })

/** The requests over one console. */
export const make = (console: Console): Values => {
  const places = new Map<number, Place>()
  let last = 0
  let usual = Variables.resetLimit

  const remember = (place: Place): number => {
    places.set(++last, place)
    return last
  }

  const valueOf = (node: Variables.Node, place: Omit<Place, "pointer" | "elements">): Backend.Value => {
    const pointer = Display.isPointer(node)
    const elements = elementsOf(node)
    // A text as summary hides what is inside.
    const opens = node.opens || node.children.length > 0 || pointer || /^(?:u8|[uUL])?"/.test(node.text)
    const text = Display.display(node)
    const size = /^size=(\d{1,9})$/.exec(node.text)?.[1]
    const inside = size === undefined ? elements : Number(size)
    return {
      name: node.name,
      value: text,
      // The width of a bit field is no part of its type.
      type: node.type.replace(/:\d+$/, ""),
      handle: opens ? remember({ ...place, pointer, ...(elements === undefined ? {} : { elements }) }) : 0,
      expression: place.expression,
      ...(inside === undefined ? {} : { child_count: inside }),
      ...(optimizedAway.test(node.text) ? { attributes: ["optimized-out" as const] } : {})
    }
  }

  /** The trees that a command prints, at most so many children of each value. */
  const printed = Effect.fnUntraced(function* (
    line: Result.Result<string, { readonly text: string }>,
    children: number,
    frame: number,
    millis?: number
  ) {
    if (Result.isFailure(line)) return yield* refused(line.failure.text)
    const answer = yield* console.surrounded([Variables.setLimit(children), line.success, usual], frame, millis)
    // Some of several paths may be wrong.
    const trees = Variables.trees(answer.output)
    const failed = trees.length === 0 ? failure(line.success, answer) : undefined
    return failed === undefined ? trees : yield* failed
  })

  const listed = (line: string, frame: number) =>
    Effect.map(printed(Result.succeed(line), previewed, frame), (trees) =>
      trees.map((node) => ({
        node,
        value: valueOf(node, {
          frame,
          root: { kind: "path", text: node.name },
          steps: [],
          expression: node.name
        })
      }))
    )

  const rootLine = ({ root }: Place, depth: Variables.Depth) =>
    root.kind === "path" ? Variables.paths([root.text], depth) : Variables.expression(root.text, depth)

  /** The value of a place with what is inside it, that many levels deep. */
  const tree = Effect.fnUntraced(function* (place: Place, levels: number, children: number) {
    const depth = { levels: place.steps.length + levels }
    let [node] = yield* printed(rootLine(place, depth), children, place.frame)
    for (const step of place.steps) node = node?.children[step]
    if (node === undefined) {
      return yield* new Errors.AdapterError({ command: "frame variable", detail: "the value is not there any more" })
    }
    return node
  })

  /** Children with a path each, asked for at once; those without one come from the tree of their parent. */
  const opened = Effect.fnUntraced(function* (place: Place, names: ReadonlyArray<Variables.Node>, start: number) {
    const paths = names.map((name) => pathOf(place, name))
    const known = paths.filter((path) => path !== undefined)
    const found = known.length === 0 ? [] : yield* printed(Variables.paths(known, shallow), previewed, place.frame)
    const byPath = new Map(found.map((node) => [node.name, node]))
    const whole =
      byPath.size < names.length ? yield* tree(place, 3, Math.max(previewed, start + names.length)) : undefined
    return names.map(({ name }, index) => {
      const path = paths[index]
      const node = path === undefined ? undefined : byPath.get(path)
      const expression = expressionOf(place, name)
      return node === undefined || path === undefined
        ? valueOf(whole?.children[start + index] ?? names[index] ?? absent(name), {
            frame: place.frame,
            root: place.root,
            steps: [...place.steps, start + index],
            expression
          })
        : valueOf({ ...node, name }, { frame: place.frame, root: { kind: "path", text: path }, steps: [], expression })
    })
  })

  const children: Values["children"] = Effect.fnUntraced(function* (handle, start, count) {
    const place = places.get(handle)
    if (place === undefined) {
      return yield* new Errors.AdapterError({
        command: "frame variable",
        detail: "the reference is of an earlier stop"
      })
    }
    const end = start + count
    if (place.root.kind === "path" && place.steps.length === 0) {
      if (place.elements !== undefined) {
        const length = Math.max(0, Math.min(place.elements, end) - start)
        return yield* opened(
          place,
          Array.from({ length }, (_, index) => absent(`[${start + index}]`)),
          start
        )
      }
      const names = (yield* tree(place, 1, end)).children.slice(start, end)
      return yield* opened(place, names, start)
    }
    const whole = yield* tree(place, end <= bounded ? 3 : 1, end)
    return whole.children.slice(start, end).map((node, index) =>
      valueOf(node, {
        frame: place.frame,
        root: place.root,
        steps: [...place.steps, start + index],
        expression: expressionOf(place, node.name)
      })
    )
  })

  const variable = (path: string, frame: number) =>
    Effect.flatMap(printed(Variables.paths([path], shallow), previewed, frame), ([node]) =>
      node === undefined || (/^<.*>$/s.test(node.text) && !optimizedAway.test(node.text))
        ? Effect.fail(new Errors.AdapterError({ command: "frame variable", detail: `no value at '${path}'` }))
        : Effect.succeed(
            valueOf({ ...node, name: path }, { frame, root: { kind: "path", text: path }, steps: [], expression: path })
          )
    )

  const computed = Effect.fnUntraced(function* (expression: string, frame: number, within: number) {
    const millis = Evaluation.limited(within)
    const begun = yield* Clock.currentTimeMillis
    // Lines are joined, since a command is one; where that would change the meaning they are refused.
    const line = expression.includes("//") ? expression : expression.replaceAll(/\s*[\r\n]+\s*/g, " ")
    const [node] = yield* printed(
      Variables.expression(line, shallow, millis),
      previewed,
      frame,
      millis + Evaluation.slack
    ).pipe(
      Effect.catchTags({
        AdapterError: ({ command, detail }) =>
          Evaluation.failure(
            new Errors.AdapterError({ command, detail: Parse.expressionProblem(detail) }),
            begun,
            millis
          ),
        RequestTimeout: () => Effect.fail(Evaluation.overdue(millis))
      })
    )
    if (node === undefined) return { name: expression, value: "", handle: 0, expression }
    const result = node.name.startsWith("$") ? node.name : line
    return {
      ...valueOf(node, { frame, root: { kind: "result", text: result }, steps: [], expression: result }),
      name: expression,
      expression
    }
  })

  /** As adapters answer: how many are inside is told in lists only. */
  const alone = ({ child_count: _, ...value }: Backend.Value): Backend.Value => value

  return {
    locals: (frame) =>
      Effect.map(listed(Variables.locals(shallow), frame), (all) => {
        const isArgument = ({ node }: (typeof all)[number]) => node.scope === "ARG"
        const own = all.filter(({ node }) => node.scope === "ARG" || node.scope === "LOCAL" || node.scope === undefined)
        return [...own.filter(isArgument), ...own.filter((one) => !isArgument(one))].map(({ value }) => value)
      }),
    globals: (frame) => Effect.map(listed(Variables.globals(shallow), frame), (all) => all.map(({ value }) => value)),
    children,
    evaluate: (expression, frame, _how, within = Evaluation.usual) =>
      Effect.map(
        Variables.isPath(expression)
          ? variable(expression, frame).pipe(Effect.catchTag("AdapterError", () => computed(expression, frame, within)))
          : computed(expression, frame, within),
        alone
      ),
    settled: Effect.map(console.text(Variables.showLimit), (text) => {
      usual = Variables.restoreLimit(text)
    }),
    forget: () => places.clear()
  }
}

/** A child of which only the name is known. */
const absent = (name: string): Variables.Node => ({
  location: "",
  type: "",
  name,
  text: "",
  opens: false,
  children: [],
  more: false
})
