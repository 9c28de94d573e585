/**
 * What was read of one stop while the program was there: stacks, variables, values, registers. Secret values are masked before
 * they come here. All stops of a session share one budget of memory.
 */
import type { Frame, Variable } from "@sigtrap/protocol"
import type { RegisterGroup } from "../../ports/Inspection.ts"

/** The memory that the stops of one session may use, in bytes. */
export class Budget {
  readonly #limit: number
  readonly #free: () => boolean
  #used = 0

  /** `free` drops something old, and returns false if there is nothing to drop. */
  constructor(limit: number, free: () => boolean) {
    this.#limit = limit
    this.#free = free
  }

  /** Bytes in use. */
  get used(): number {
    return this.#used
  }

  /** Takes memory, or gives back a negative amount. Returns false if there is not enough. */
  take(bytes: number): boolean {
    while (this.#used + bytes > this.#limit) if (!this.#free()) return false
    this.#used += bytes
    return true
  }
}

/** Returns about how much memory data takes, in bytes. */
export const sizeOf = (data: unknown): number => {
  if (typeof data === "string") return 24 + data.length
  if (typeof data !== "object" || data === null) return 8
  let sum = 32
  for (const part of Object.values(data)) sum += 8 + sizeOf(part)
  return sum
}

/** A reading with its size, and its place in the order of all readings of the stop. */
interface Kept<A> {
  readonly value: A
  readonly bytes: number
  readonly order: number
}

/** A stack as far as it was read. */
export interface ReadStack {
  readonly frames: ReadonlyArray<Frame.Frame>
  readonly total?: number
  readonly cut?: boolean
}

/** A value that was found by its name or expression. */
export interface Found {
  readonly value: Variable.Variable
  /** The reference of its frame. */
  readonly within: string
}

/** The readings of one stop. Frames are named by their references. */
export class StopReadings {
  readonly #budget: Budget
  readonly #frames = new Map<number, Map<number, Kept<Frame.Frame>>>()
  readonly #ends = new Map<number, Pick<ReadStack, "total" | "cut">>()
  readonly #locals = new Map<string, Kept<ReadonlyArray<Variable.Variable>>>()
  readonly #globals = new Map<string, Kept<ReadonlyArray<Variable.Variable>>>()
  readonly #registers = new Map<string, Kept<ReadonlyArray<RegisterGroup>>>()
  /** By frame and expression. */
  readonly #printed = new Map<string, Map<string, Kept<Variable.Variable>>>()
  /** By frame and expression: members that were opened. */
  readonly #members = new Map<string, Map<string, Kept<Variable.Variable>>>()
  /** By reference of the parent. */
  readonly #children = new Map<string, Kept<ReadonlyArray<Variable.Variable>>>()
  #bytes = 0
  #order = 0
  #refused = 0

  constructor(budget: Budget) {
    this.#budget = budget
  }

  /** Number of readings. */
  get count(): number {
    return this.#order
  }

  /** Number of readings for which there was no room. */
  get refused(): number {
    return this.#refused
  }

  /** Gives the memory back. The readings must not be used after that. */
  release(): void {
    this.#budget.take(-this.#bytes)
    this.#bytes = 0
  }

  #keep<K, A>(map: Map<K, Kept<A>>, key: K, value: A): void {
    const bytes = 64 + sizeOf(value)
    const more = bytes - (map.get(key)?.bytes ?? 0)
    if (!this.#budget.take(more)) {
      this.#refused += 1
      return
    }
    this.#bytes += more
    map.set(key, { value, bytes, order: ++this.#order })
  }

  /** Records frames of a thread from an index on. */
  recordFrames(
    thread: number,
    frames: ReadonlyArray<Frame.Frame>,
    { total, cut }: Pick<ReadStack, "total" | "cut">
  ): void {
    const known = this.#frames.get(thread) ?? new Map<number, Kept<Frame.Frame>>()
    this.#frames.set(thread, known)
    for (const frame of frames) this.#keep(known, frame.index, frame)
    if (total !== undefined) this.#ends.set(thread, { total, ...(cut === true ? { cut } : {}) })
  }

  /** Records the arguments and locals of a frame. */
  recordLocals(within: string, variables: ReadonlyArray<Variable.Variable>): void {
    this.#keep(this.#locals, within, variables)
  }

  /** Records the globals that are visible in a frame. */
  recordGlobals(within: string, variables: ReadonlyArray<Variable.Variable>): void {
    this.#keep(this.#globals, within, variables)
  }

  /** Records the registers of a frame. */
  recordRegisters(within: string, groups: ReadonlyArray<RegisterGroup>): void {
    this.#keep(this.#registers, within, groups)
  }

  /** Records the value of an expression that a caller evaluated in a frame. */
  recordPrinted(within: string, expression: string, value: Variable.Variable): void {
    const known = this.#printed.get(within) ?? new Map<string, Kept<Variable.Variable>>()
    this.#printed.set(within, known)
    this.#keep(known, expression.trim(), value)
  }

  /**
   * Records a page of the members of a value, which has the reference `parent`. `expressions` evaluate them, where the debugger
   * says so.
   */
  recordChildren(
    within: string,
    parent: string,
    start: number,
    page: ReadonlyArray<Variable.Variable>,
    expressions: ReadonlyArray<string | undefined>
  ): void {
    const known = this.#children.get(parent)?.value ?? []
    if (start <= known.length && start + page.length > known.length) {
      this.#keep(this.#children, parent, [...known.slice(0, start), ...page])
    }
    const members = this.#members.get(within) ?? new Map<string, Kept<Variable.Variable>>()
    this.#members.set(within, members)
    page.forEach((member, index) => {
      const expression = expressions[index]
      if (expression !== undefined) this.#keep(members, expression.trim(), member)
    })
  }

  /** Returns the stack of a thread from its innermost frame on, as far as it was read without a gap. */
  stack(thread: number): ReadStack {
    const known = this.#frames.get(thread)
    const frames: Array<Frame.Frame> = []
    for (let at = known?.get(0); at !== undefined; at = known?.get(frames.length)) frames.push(at.value)
    return { frames, ...this.#ends.get(thread) }
  }

  /** Returns one frame of a thread. */
  frame(thread: number, index: number): Frame.Frame | undefined {
    return this.#frames.get(thread)?.get(index)?.value
  }

  /** Returns the frame with a reference, and its thread. */
  frameOf(ref: string): { readonly thread: number; readonly frame: Frame.Frame } | undefined {
    for (const [thread, frames] of this.#frames) {
      for (const { value: frame } of frames.values()) if (frame.ref === ref) return { thread, frame }
    }
    return undefined
  }

  /** The threads whose stacks were read, in that order. */
  get threads(): ReadonlyArray<number> {
    return [...this.#frames.keys()]
  }

  /** Returns the arguments and locals of a frame, with the members that were opened. */
  locals(within: string): ReadonlyArray<Variable.Variable> | undefined {
    return this.#locals.get(within)?.value.map((variable) => this.opened(variable))
  }

  /** Returns the registers of a frame. */
  registers(within: string): ReadonlyArray<RegisterGroup> | undefined {
    return this.#registers.get(within)?.value
  }

  /** Returns the values of expressions that callers evaluated in a frame, by expression. */
  printed(within: string): ReadonlyArray<readonly [string, Variable.Variable]> {
    return [...(this.#printed.get(within) ?? [])].map(([expression, { value }]) => [expression, value])
  }

  /** Returns a value with the members that were opened and without references, which belong to their stop. */
  opened({ ref, ...variable }: Variable.Variable): Variable.Variable {
    const members = (ref === undefined ? undefined : this.#children.get(ref)?.value) ?? variable.children
    return members === undefined ? variable : { ...variable, children: members.map((member) => this.opened(member)) }
  }

  /** Returns the value of a name or expression that was read last: in the frame `first` if it was read there, else in any. */
  find(path: string, first: string | undefined): Found | undefined {
    const all = [...new Set([...(first === undefined ? [] : [first]), ...this.#refs()])]
    for (const within of all) {
      const value = this.#findIn(path, within)
      if (value !== undefined) return { value, within }
    }
    return undefined
  }

  #refs(): ReadonlyArray<string> {
    return [...this.#frames.values()].flatMap((frames) => [...frames.values()].map(({ value }) => value.ref))
  }

  #findIn(path: string, within: string): Variable.Variable | undefined {
    const ofList = (kept: Kept<ReadonlyArray<Variable.Variable>> | undefined): Kept<Variable.Variable> | undefined => {
      const value = kept?.value.find(({ expression, name }) => name === path || expression === path)
      return kept === undefined || value === undefined ? undefined : { ...kept, value }
    }
    const candidates = [
      this.#printed.get(within)?.get(path),
      this.#members.get(within)?.get(path),
      ofList(this.#locals.get(within)),
      ofList(this.#globals.get(within))
    ].filter((kept) => kept !== undefined)
    return candidates.toSorted((a, b) => b.order - a.order)[0]?.value
  }
}
