/**
 * Compares the stacks of two stops: frames by function, values by name, pointers by what they point to.
 *
 * An address says nothing in another run. Its first place in a stop gives it a name, and a later place of the same address refers to that
 * name. So two stops agree where the same places share an object, whatever its address. In two stops of one process a pointer with
 * another address points to another object, also if that is equal.
 */
import type { Variable } from "@sigtrap/protocol"
import * as Glob from "./Glob.ts"
import * as LockOwners from "./LockOwners.ts"

/**
 * A value as far as it was read. Without `members` none were read; `more` is true if it has members that were not read. `type` is that of
 * the object, which may be a derived class.
 */
export interface Node {
  readonly name: string
  readonly value: string
  readonly type?: string
  readonly attributes?: Variable.Variable["attributes"]
  readonly members?: ReadonlyArray<Node>
  readonly more?: boolean
}

/** A frame. Without `values` they were not read. */
export interface FrameNode {
  readonly function: string
  readonly line?: number
  readonly values?: ReadonlyArray<Node>
}

/** A value that differs. */
interface ValueChange {
  readonly path: string
  readonly old?: string
  readonly new?: string
}

/** A frame that differs. */
interface FrameChange {
  readonly function: string
  readonly only?: "a" | "b"
  readonly lines?: ReadonlyArray<number>
  readonly vars: ReadonlyArray<ValueChange>
}

/** The result: the differences, the number of values and frames that were compared, and what was not, by cause. */
export interface Difference {
  readonly frames: ReadonlyArray<FrameChange>
  readonly values: number
  readonly compared: number
  readonly notRead: ReadonlyArray<string>
  readonly unknown: number
  readonly cut: number
  readonly ignored: number
  /** Values that hold the owner of a lock of the C library. */
  readonly owners: number
}

/** Attributes of a value whose text says nothing of the program. */
const meaningless: ReadonlySet<string> = new Set([
  "optimized-out",
  "uninitialized",
  "unreadable",
  "unknown",
  "lazy",
  "masked"
])

/** Numbers below do not count as addresses of objects; a wrong pointer such as 0x10 is shown as it is. */
const lowest = 0x10000n

const object = "an object"

/** What a pointer of the same process points to, if its address is another one. */
const otherObject = "another object with equal values"
const otherPlace = "another object"

/** A place in a stop: a frame, the path of a value or of its member, and the number of the address in the text if neither is known. */
interface Place {
  /** The function. `walk#2` is the second frame of `walk`, counted from the outermost one. */
  readonly frame: string
  readonly path: string
  readonly index: number
}

/** A place of a value. */
type At = Omit<Place, "index">

const placeText = ({ frame, index, path }: Place, within: string): string =>
  `${frame === within ? "" : `${frame}: `}${path}${index === 0 ? "" : `<${index}>`}`

/** Matches what is before the address of a member in the text of an object, with the member's name: `{v:0, next:`. */
const beforeMember = /^(?:0x[0-9a-f]+ )?\{(?:[^{}[\]"']|"[^"]*"|'[^']*')*?\b([A-Za-z_]\w*):$/i

/** Returns a text in which addresses are replaced by the place where they were first seen. */
const named = (text: string, at: At, places: Map<bigint, Place>): string => {
  let index = 0
  // Python writes `<Account object at 0x7f…>`, and debugpy cuts such a text in the middle of the address.
  const plain = LockOwners.without(text)
    .replaceAll(/ (?:object )?at (?=0x)/g, ": ")
    .replaceAll(/\.\.\.[0-9a-f]{4,16}(?=>)/g, "...")
  return plain.replaceAll(/0x[0-9a-fA-F]{1,16}(?![0-9a-zA-Z_])/g, (address, offset: number) => {
    const number = BigInt(address)
    if (number === 0n) return "NULL"
    if (number < lowest) return address
    const order = index++
    const member = beforeMember.exec(plain.slice(0, offset))?.[1]
    const place: Place =
      member === undefined ? { ...at, index: order } : { ...at, path: `${at.path}.${member}`, index: 0 }
    const first = places.get(number) ?? place
    places.set(number, first)
    return placeText(first, "") === placeText(place, "") ? object : `the object of ${placeText(first, at.frame)}`
  })
}

/** The address of a value that is a pointer or an object of Python, with what is before it: its type. */
const pointer =
  /^(?:(?:\([^()]*\) ?|\*\w[\w.]* ?)?0x[0-9a-fA-F]{1,16}(?![0-9a-zA-Z_])|<[^<>]{1,200} (?:object )?at 0x[0-9a-f]{1,16}>)/

/** The address of a pointer of a native program. Those of other runtimes move objects, or make objects for a debugger that reads. */
const nativePointer = /^0x[0-9a-f]{1,16}(?![0-9a-z_])/i

/** The text in place of a value that the debugger could not read or that is secret, alone or in a preview. */
const unread = /<(?:unreadable|error|optimized out|unavailable|unknown|uninitialized|masked)\b[^>]*>/i

/** Such a text alone. */
const nothing = /^<[^<>]*>$/

/** The text of a string, such as `"abc"` or `L"abc"`. */
const quoted = /^(?:[A-Za-z]\w{0,2})?["']/

const isCut = (text: string) => /\.\.\.|…/.test(text)

/**
 * True if two texts are equal up to where one of them is cut, such as `{owner:"a", ...}` and `{owner:"a", sum:2}`. A debugger that is
 * busy leaves out members that it shows at another time.
 */
const isEqualToCut = (a: string, b: string): boolean => {
  const shared = Array.from({ length: Math.min(a.length, b.length) }, (_, index) => index).find(
    (index) => a[index] !== b[index]
  )
  return [a, b].some((text) => /^(?:\.\.\.|…)/.test(text.slice(shared ?? 0)))
}

/** True if two texts begin with different addresses. */
const isMoved = (a: string, b: string): boolean => {
  const [one, other] = [nativePointer.exec(a)?.[0], nativePointer.exec(b)?.[0]]
  return one !== undefined && other !== undefined && BigInt(one) !== BigInt(other)
}

/** True if a value has more than its text shows: the text is cut, or members were not read. */
const isPartial = ({ more, value }: Node): boolean => isCut(value) || (more === true && !quoted.test(value))

/** Joins a path and the name of a member: `items[1].score`. */
const below = (path: string, name: string): string =>
  name === "" ? path : name.startsWith("[") ? `${path}${name}` : name.startsWith("*") ? name : `${path}.${name}`

/** How stops are compared. */
export interface Options {
  /** Names and paths that are left out. */
  readonly ignore: ReadonlyArray<string>
  /** True if a different type is a difference. */
  readonly types: boolean
  /** True if both are stops of one process, so that addresses can be compared. */
  readonly sameProcess: boolean
}

/** The state of one comparison. */
class Comparison {
  readonly #ignore: ReadonlyArray<string>
  readonly #types: boolean
  readonly #sameProcess: boolean
  readonly #a = new Map<bigint, Place>()
  readonly #b = new Map<bigint, Place>()
  /** Places whose members were compared. */
  readonly #opened = new Set<string>()
  values = 0
  unknown = 0
  cut = 0
  ignored = 0
  owners = 0

  constructor({ ignore, sameProcess, types }: Options) {
    this.#ignore = ignore
    this.#types = types
    this.#sameProcess = sameProcess
  }

  #isIgnored(path: string, name: string): boolean {
    return this.#ignore.some((glob) => Glob.matches(glob, name) || Glob.matches(glob, path))
  }

  /** Compares values of the same list by their names. A shadowed name is compared in order. */
  list(
    a: ReadonlyArray<Node>,
    b: ReadonlyArray<Node>,
    pathOf: (name: string) => string,
    frame: string,
    isWhole: boolean
  ): ReadonlyArray<ValueChange> {
    const keyed = (nodes: ReadonlyArray<Node>) => {
      const counts = new Map<string, number>()
      return new Map(
        nodes.map((node) => {
          const count = (counts.get(node.name) ?? 0) + 1
          counts.set(node.name, count)
          return [count === 1 ? node.name : `${node.name}#${count}`, node] as const
        })
      )
    }
    const [left, right] = [keyed(a), keyed(b)]
    return [...new Set([...left.keys(), ...right.keys()])].flatMap((key) => {
      const path = pathOf(key)
      const [one, other] = [left.get(key), right.get(key)]
      if (this.#isIgnored(path, key)) {
        this.ignored += 1
        return []
      }
      if (LockOwners.isOwner(key, left) && LockOwners.isOwner(key, right)) {
        this.owners += 1
        return []
      }
      if (one !== undefined && other !== undefined) return this.#pair(one, other, path, frame)
      if (!isWhole) return []
      this.values += 1
      const at = { frame, path }
      return one === undefined
        ? [{ path, new: named(other?.value ?? "", at, this.#b) }]
        : [{ path, old: named(one.value, at, this.#a) }]
    })
  }

  /** Compares two values. Objects of different classes differ also if their members are equal. */
  #pair(a: Node, b: Node, path: string, frame: string): ReadonlyArray<ValueChange> {
    const unknown = this.unknown
    const changes = this.#values(a, b, path, frame)
    const isSame = !this.#types || a.type === undefined || b.type === undefined || a.type === b.type
    if (isSame || this.unknown > unknown || changes.some((one) => one.path === path)) return changes
    return [{ path, old: a.type, new: b.type }, ...changes]
  }

  #values(a: Node, b: Node, path: string, frame: string): ReadonlyArray<ValueChange> {
    if ([...(a.attributes ?? []), ...(b.attributes ?? [])].some((one) => meaningless.has(one))) {
      this.unknown += 1
      return []
    }
    const at = { frame, path }
    const { members: left = [], value: one } = a
    const { members: right = [], value: other } = b
    this.values += 1
    // A value without members, such as an empty list, is its text. A text in quotes is the whole of a string.
    const isText = left.length === 0 || right.length === 0 || (quoted.test(one) && quoted.test(other))
    if (isText) return this.#texts(a, b, at)
    const [old, now] = [this.#pointer(one, at, this.#a), this.#pointer(other, at, this.#b)]
    const changes = old === now ? [] : [{ path, old, new: now }]
    // The members of an object that both sides share with an earlier place were compared there.
    if (old === now && this.#isOpened(one, this.#a) && this.#isOpened(other, this.#b)) return changes
    this.#opened.add(placeText({ ...at, index: 0 }, ""))
    if (a.more === true || b.more === true) this.cut += 1
    const isWhole = a.more !== true && b.more !== true
    const inside = this.list(left, right, (name) => below(path, name), frame, isWhole)
    if (changes.length > 0 || inside.length > 0) return [...changes, ...inside]
    // Members may not be all of a value: its text can have what they do not show.
    return this.#texts({ name: a.name, value: one }, { name: b.name, value: other }, at)
  }

  /** True if a value is a pointer whose object was opened at another place. */
  #isOpened(text: string, places: ReadonlyMap<bigint, Place>): boolean {
    const address = /0x[0-9a-fA-F]{1,16}/.exec(pointer.exec(text)?.[0] ?? "")?.[0]
    const place = address === undefined ? undefined : places.get(BigInt(address))
    return place !== undefined && this.#opened.has(placeText(place, ""))
  }

  #pointer(text: string, at: At, places: Map<bigint, Place>): string {
    return named(pointer.exec(text)?.[0] ?? "", at, places)
  }

  #texts(a: Node, b: Node, at: At): ReadonlyArray<ValueChange> {
    const isUnread = unread.test(a.value) || unread.test(b.value)
    if (isUnread && (nothing.test(a.value) || nothing.test(b.value))) {
      this.unknown += 1
      return []
    }
    const [old, now] = [named(a.value, at, this.#a), named(b.value, at, this.#b)]
    if (old !== now && isEqualToCut(old, now)) this.cut += 1
    else if (old !== now) return [{ path: at.path, old, new: now }]
    else {
      if (isUnread) this.unknown += 1
      else if (isPartial(a) || isPartial(b)) this.cut += 1
      // The first of several equal pointers is reported; the others follow it.
      if (this.#sameProcess && old.startsWith(object) && isMoved(a.value, b.value)) {
        return [
          { path: at.path, old: object, new: isUnread || isPartial(a) || isPartial(b) ? otherPlace : otherObject }
        ]
      }
    }
    return []
  }
}

/** Pairs frames of equal functions from the outermost one on, so that the longest common order of calls is compared. */
const paired = (
  a: ReadonlyArray<FrameNode>,
  b: ReadonlyArray<FrameNode>
): ReadonlyArray<readonly [FrameNode | undefined, FrameNode | undefined]> => {
  const [left, right] = [a.toReversed(), b.toReversed()]
  const lengths = Array.from({ length: left.length + 1 }, () => Array.from({ length: right.length + 1 }, () => 0))
  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--) {
      const isSame = left[i]?.function === right[j]?.function
      const row = lengths[i]
      if (row === undefined) continue
      row[j] = isSame
        ? 1 + (lengths[i + 1]?.[j + 1] ?? 0)
        : Math.max(lengths[i + 1]?.[j] ?? 0, lengths[i]?.[j + 1] ?? 0)
    }
  }
  const pairs: Array<readonly [FrameNode | undefined, FrameNode | undefined]> = []
  let [i, j] = [0, 0]
  while (i < left.length || j < right.length) {
    const [one, other] = [left[i], right[j]]
    if (one !== undefined && other !== undefined && one.function === other.function) {
      pairs.push([one, other])
      i += 1
      j += 1
    } else if (other === undefined || (one !== undefined && (lengths[i + 1]?.[j] ?? 0) >= (lengths[i]?.[j + 1] ?? 0))) {
      pairs.push([one, undefined])
      i += 1
    } else {
      pairs.push([undefined, other])
      j += 1
    }
  }
  return pairs
}

/**
 * Compares two stacks, innermost frame first. Nothing is left out, types are compared and addresses are not, unless the options say so.
 */
export const compare = (
  a: ReadonlyArray<FrameNode>,
  b: ReadonlyArray<FrameNode>,
  options: Partial<Options> = {}
): Difference => {
  const comparison = new Comparison({ ignore: [], types: true, sameProcess: false, ...options })
  const frames: Array<FrameChange> = []
  const notRead: Array<string> = []
  const calls = new Map<string, number>()
  let compared = 0
  for (const [one, other] of paired(a, b)) {
    if (one === undefined || other === undefined) {
      const frame = one ?? other
      if (frame !== undefined) {
        frames.push({ function: frame.function, only: one === undefined ? "b" : "a", vars: [] })
      }
      continue
    }
    const lines =
      one.line === other.line || one.line === undefined || other.line === undefined
        ? {}
        : { lines: [one.line, other.line] }
    // Each call of a recursive function has variables of its own.
    const call = (calls.get(one.function) ?? 0) + 1
    calls.set(one.function, call)
    const frame = call === 1 ? one.function : `${one.function}#${call}`
    let vars: ReadonlyArray<ValueChange> = []
    if (one.values === undefined || other.values === undefined) notRead.push(one.function)
    else {
      compared += 1
      vars = comparison.list(one.values, other.values, (name) => name, frame, true)
    }
    if (vars.length > 0 || lines.lines !== undefined) frames.push({ function: one.function, ...lines, vars })
  }
  const { cut, ignored, owners, unknown, values } = comparison
  return { frames: frames.toReversed(), values, compared, notRead, unknown, cut, ignored, owners }
}
