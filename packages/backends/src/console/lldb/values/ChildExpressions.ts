/**
 * Gives values the expressions that evaluate to them. LLDB's adapters give members of a pointer `*(p).x`, elements of a container
 * the path inside the container, and hidden members of a base class the expression of the member that hides them.
 *
 * An expression is made from that of the parent. It is checked by evaluation where the name may not be one of the program: in
 * containers, in base classes and where LLDB shows a derived class. A value that no expression names has none.
 *
 * One instance per connection. Handles belong to one stop.
 */
import { Variables } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import type { NamedValues, ReadableValues } from "../../Dialect.ts"
import * as LinearContainers from "./LinearContainers.ts"
import { withoutReference } from "./TypeNames.ts"

/** The requests for values. */
export interface Values extends ReadableValues {
  /** The output of a command of LLDB, also if it failed. */
  readonly commandText: (line: string, frame: number) => Effect.Effect<string, Backend.Failure>
  /** Reads a page of children of a variable before they are requested, which is faster; absent if it is not. */
  readonly readPage?: (path: string, frame: number, start: number, count: number) => Effect.Effect<void>
}

/** How the children of a value are named. */
interface Parent {
  readonly frame: number
  /** The expression of the object; undefined if its children have none. */
  readonly object?: string
  readonly operator: "." | "->"
  readonly type: string
  /** A base class: its name, and the value that it is part of. */
  readonly base?: { readonly name: string; readonly of: number; readonly inside: Parent }
  /** True if the names of the children are checked. */
  readonly isChecked: boolean
  /** The container of a pair of key and value. */
  readonly keyedIn?: string
}

const identifier = /^[A-Za-z_$][\w$]*$/

/** Matches an expression that an operator can follow. */
const postfix =
  /^[A-Za-z_$][\w$]*(?:::[\w$]+)*(?:\.[\w$:<>]+|->[\w$:<>]+|\[[^\]]*\])*$|^\([^()]*(?:\([^()]*\)[^()]*)*\)(?:\.[\w$:<>]+|->[\w$:<>]+|\[[^\]]*\])*$/

/** Matches names that LLDB's formatters give to children. A member of the program may have one too. */
const madeName = /^(?:pointer|object|deleter|value|Value|count|weak_count|strong_count|first|second|key|__\w+|\d+)$/

/** Matches a key that an expression may contain. */
const simpleKey = /^(?:-?\d{1,18}|"[^"\\]*")$/

/** Maximum number of names that a class is searched for. */
const mostNames = 200

/** Elements of one type above which not each is checked. */
const fewElements = 8

/** Matches maps and pointers to them. Their elements are pairs of key and value, and a number in brackets is a key that leads to a value. */
const keyed = /^(?:const )?std::(?:\w+::)*(?:unordered_)?(?:multi)?map<.*>(?: ?[*&])?$/

/** Matches containers of the C++ library, and arrays of them. Python finds their children or shows them. */
const container = /^(?:const )?std::/

const isPair = ({ type = "" }: Backend.Value): boolean => /^(?:const )?std::(?:\w+::)*pair</.test(type)

/** The elements that are checked for all of a container; undefined if each has to be. */
const samplesOf = (values: ReadonlyArray<Backend.Value>): ReadonlyArray<Backend.Value> | undefined => {
  const [first] = values
  if (first === undefined || values.length <= fewElements) return undefined
  const from = Number(/^\[(\d+)\]$/.exec(first.name)?.[1])
  const isRow = values.every(({ name, type }, index) => type === first.type && name === `[${from + index}]`)
  return isRow ? [0, values.length >> 1, values.length - 1].flatMap((index) => values[index] ?? []) : undefined
}

const isPointerType = (type: string): boolean =>
  /(?:\*|\* ?(?:const|volatile|restrict|__restrict))$|\(\*(?: ?const)?\)/.test(type)

const isReferenceType = (type: string): boolean => type.endsWith("&")

/** Returns a type as it is in a path and in an expression, which keeps no reference. */
const plainType = (type = ""): string => withoutReference(type).replaceAll(/\bconst\b| /g, "")

/** Returns an expression in parentheses, if an operator cannot follow it. */
const grouped = (expression: string): string => (postfix.test(expression) ? expression : `(${expression})`)

/** Returns the pointer to a class that a pointer to pointers leads to: LLDB shows the members of that class. */
const followed = (object: string, type: string): string =>
  "*".repeat(Math.max(0, (/[* ]*$/.exec(withoutReference(type))?.[0].replaceAll(" ", "").length ?? 0) - 1)) + object

const isBase = (name: string, type: string | undefined): boolean => name !== "" && name === type

/**
 * Returns the expression that is evaluated to tell a member with the name of its type from a base class. LLDB takes one without
 * parentheses for a path too, in which some base classes have names, and compiles one in parentheses. A value without members is not
 * compiled: as a base class it would not matter.
 */
const checkOf = (expression: string, { handle }: Backend.Value): string =>
  handle === 0 ? expression : `(${expression})`

/** Makes the check of candidates: the first one that evaluates to a value is returned. */
const verifier = (evaluate: Values["evaluate"]) =>
  Effect.fnUntraced(function* (candidates: ReadonlyArray<string>, { type, value }: Backend.Value, frame: number) {
    for (const candidate of candidates) {
      const found = yield* Effect.option(evaluate(candidate, frame, "read"))
      if (found._tag === "None" || plainType(found.value.type) !== plainType(type)) continue
      const [left, right] = [found.value.value, value].map((text) => text.replace(/\{.*$/s, ""))
      if (left === right) return candidate
    }
    return undefined
  })

/**
 * Makes the check whether the elements of a container have the expressions of an array, by some of them; undefined if they differ or have
 * to be checked each. Each check takes two requests.
 */
const elementCheck = (verified: ReturnType<typeof verifier>) =>
  Effect.fnUntraced(function* ({ frame, object, operator, type }: Parent, values: ReadonlyArray<Backend.Value>) {
    if (keyed.test(type) && values.every(isPair)) return false
    const samples = object === undefined || withoutReference(type).endsWith("]") ? undefined : samplesOf(values)
    if (object === undefined || samples === undefined) return undefined
    const container = operator === "->" ? `(*${grouped(object)})` : grouped(object)
    const found = yield* Effect.forEach(samples, (one) => verified([`${container}${one.name}`], one, frame))
    const count = found.filter((one) => one !== undefined).length
    return count === samples.length ? true : count === 0 ? false : undefined
  })

/** Makes the requests for pages. A page of a container is sent together with the request that reads it before. */
const pagesOf =
  ({ children, readPage }: Pick<Values, "children" | "readPage">) =>
  (handle: number, start: number, count: number, parent: Parent | undefined) => {
    const page = children(handle, start, count)
    const { frame = 0, object = "", type = "" } = parent ?? {}
    const isRead = readPage !== undefined && count >= fewElements && container.test(type) && Variables.isPath(object)
    if (!isRead) return page
    const both = Effect.all([readPage(object, frame, start, count), page], { concurrency: "unbounded" })
    return Effect.map(both, ([, values]) => values)
  }

/** Makes the search for names that hide those of a base class, or that make them ambiguous. */
const hidingNames = (children: Values["children"]) => {
  /** Returns the names of the members of a value, and of its base classes other than one. */
  const namesIn = (handle: number, other: string, depth = 3): Effect.Effect<ReadonlyArray<string>> =>
    Effect.gen(function* () {
      if (depth === 0 || handle === 0) return []
      const members = yield* Effect.orElseSucceed(children(handle, 0, mostNames), () => [])
      const names = yield* Effect.forEach(members, (member) =>
        member.name === other
          ? Effect.succeed([])
          : isBase(member.name, member.type) || member.name === ""
            ? namesIn(member.handle, other, depth - 1)
            : Effect.succeed([member.name])
      )
      return names.flat()
    })

  const hiding = (parent: Parent): Effect.Effect<ReadonlyArray<string>> =>
    Effect.suspend(() => {
      if (parent.base === undefined) return Effect.succeed([])
      const { inside, name, of } = parent.base
      return Effect.zipWith(namesIn(of, name), hiding(inside), (own, outer) => [...own, ...outer])
    })

  return hiding
}

/** The base classes that lead to a member, the innermost first. */
const basesOf = ({ base }: Parent): ReadonlyArray<string> =>
  base === undefined ? [] : [base.name, ...basesOf(base.inside)]

/** Makes the expressions of one connection. */
export const make = ({ children, commandText, evaluate, locals, readPage }: Values): NamedValues => {
  const parents = new Map<number, Parent>()
  const verified = verifier(evaluate)
  const areElements = elementCheck(verified)
  const hiding = hidingNames(children)
  const page = pagesOf({ children, ...(readPage === undefined ? {} : { readPage }) })
  const linear = LinearContainers.make()

  const parentOf = (value: Backend.Value, frame: number, isChecked = false): Parent => {
    const { expression, type = "", value: text } = value
    const isPointer =
      isPointerType(withoutReference(type)) ||
      (!isReferenceType(type) && !type.includes("<") && /^0x[\da-f]+(?: \{|$)/.test(text))
    return {
      frame,
      ...(expression === undefined ? {} : { object: expression }),
      operator: isPointer ? "->" : ".",
      type,
      isChecked
    }
  }

  const remember = (value: Backend.Value, parent: Parent): Backend.Value => {
    if (value.handle !== 0) parents.set(value.handle, parent)
    return value
  }

  const seen: NamedValues["seen"] = (values, frame) => values.map((value) => remember(value, parentOf(value, frame)))

  /** Adds a cast where LLDB shows the members of a class that is derived from the declared one. */
  const declared = Effect.fnUntraced(function* (parent: Parent, handle: number, start: number, first: Backend.Value) {
    const { frame, object, type } = parent
    const isIndirect = parent.operator === "->" || isReferenceType(type)
    if (object === undefined || !isIndirect || parent.base !== undefined) return parent
    const [one] = start === 0 ? [first] : yield* children(handle, 0, 1)
    if (one === undefined || !isBase(one.name, one.type)) return parent
    const member = `${grouped(followed(object, type))}${parent.operator}${one.name}`
    if (identifier.test(one.name) && (yield* verified([checkOf(member, one)], one, frame)) !== undefined) return parent
    const line = `frame variable --dynamic-type no-dynamic-values --show-types --depth 0 -- ${object}`
    const output = postfix.test(object) && !object.startsWith("(") ? yield* commandText(line, frame) : ""
    const found = /^\((.*?)\) \S+ = /m.exec(output)?.[1]
    if (found !== undefined && found.replaceAll(" ", "") === type.replaceAll(" ", "")) return parent
    return { ...parent, object: `((${type})${grouped(object)})`, isChecked: found === undefined }
  })

  /** Returns a child with its expression. */
  const named = Effect.fnUntraced(function* (
    parent: Parent,
    handle: number,
    child: Backend.Value,
    hidden: ReadonlyArray<string>,
    isElement: boolean | undefined
  ): Effect.fn.Return<Backend.Value, Backend.Failure> {
    const { expression: given, ...rest } = child
    const { frame, object, operator, type } = parent
    const { name, type: own = "" } = child
    const without = (inner: Omit<Parent, "frame">) => remember(rest, { frame, ...inner })
    if (object === undefined) {
      // The result of a call has a name of LLDB.
      const isResult = given?.startsWith("$") === true
      return isResult ? remember(child, parentOf(child, frame)) : without({ operator: ".", type: own, isChecked: true })
    }
    const known = (expression: string, isChecked = false) => {
      const value = { ...rest, expression }
      return remember(value, parentOf(value, frame, isChecked))
    }
    const member = `${grouped(followed(object, type))}${operator}${name}`
    if (name === "" || name.startsWith("(anonymous"))
      return without({ ...parent, object: followed(object, type), type: own })
    if (isBase(name, own)) {
      const isMember = identifier.test(name) && (yield* verified([checkOf(member, child)], child, frame)) !== undefined
      return isMember
        ? known(member)
        : without({ ...parent, object: followed(object, type), type: own, base: { name, of: handle, inside: parent } })
    }
    if (name.startsWith("*")) return known(`*${postfix.test(object) ? object : `(${object})`}`)
    if (name.startsWith("[")) {
      const container = operator === "->" ? `(*${grouped(object)})` : grouped(object)
      if (withoutReference(type).endsWith("]")) return known(`${container}${name}`)
      const expression = `${container}${name}`
      if (isElement ?? (yield* verified([expression], child, frame)) !== undefined) return known(expression)
      return without({ operator: ".", type: own, isChecked: true, keyedIn: container })
    }
    if (!identifier.test(name)) return without({ operator: ".", type: own, isChecked: true })
    if (hidden.includes(name)) {
      const bases = basesOf(parent).map((base) => `${grouped(followed(object, type))}${operator}${base}::${name}`)
      const found = yield* verified(bases, child, frame)
      return found === undefined ? without({ operator: ".", type: own, isChecked: true }) : known(found)
    }
    if (!parent.isChecked && !madeName.test(name)) return known(member)
    const follows = name === "Value" || name === "value" ? [`*${grouped(object)}`] : []
    const found = yield* verified([member, ...follows], child, frame)
    if (found === `*${object}` || (found === undefined && /^(?:pointer|Value|value|object)$/.test(name))) {
      // The members of what a smart pointer or an optional holds.
      const inner = { frame, object, operator: "->" as const, type: own, isChecked: true }
      return remember(found === undefined ? rest : { ...rest, expression: found }, inner)
    }
    return found === undefined ? without({ operator: ".", type: own, isChecked: true }) : known(found)
  })

  /** Returns the values of a pair in a map: the second one is that of the key. */
  const pair = Effect.fnUntraced(function* (container: string, frame: number, values: ReadonlyArray<Backend.Value>) {
    const key = values.find(({ name }) => name === "first")?.value ?? ""
    return yield* Effect.forEach(values, (value) =>
      Effect.gen(function* () {
        const { expression: _, ...rest } = value
        const candidates = value.name === "second" && simpleKey.test(key) ? [`${container}[${key}]`] : []
        const found = yield* verified(candidates, value, frame)
        const shown = found === undefined ? rest : { ...rest, expression: found }
        return remember(shown, parentOf(shown, frame))
      })
    )
  })

  return {
    seen,

    locals: (frame) => Effect.map(locals(frame), (values) => seen(values, frame)),

    children: Effect.fnUntraced(function* (handle, start, count) {
      const found = parents.get(handle)
      if (found !== undefined) yield* linear.check(handle, found, start, count)
      const values = yield* page(handle, start, count, found)
      const [first] = values
      if (found === undefined || first === undefined) return values
      if (found.keyedIn !== undefined && start === 0) return yield* pair(found.keyedIn, found.frame, values)
      const parent = yield* declared(found, handle, start, first)
      const hidden = yield* hiding(parent)
      const isElement = yield* areElements(parent, values)
      return yield* Effect.forEach(values, (value) => named(parent, handle, value, hidden, isElement))
    }),

    evaluate: (expression, frame, how, within) =>
      Effect.map(evaluate(expression, frame, how, within), (value) => {
        // The result of a call is not evaluated again for its members.
        const { expression: _, ...rest } = value
        remember(value, parentOf(how === "read" ? { ...rest, expression } : rest, frame))
        return value
      }),

    forget: () => {
      parents.clear()
      linear.forget()
    }
  }
}
