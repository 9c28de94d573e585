/**
 * Maps the manager's breakpoint numbers to the numbers of the debug adapter or debugger, for one connection.
 *
 * An adapter's number can be 0 or missing, shared by two breakpoints of the manager, or new after each set request. The
 * latest response counts.
 */

/** The breakpoint numbers of one connection: `managerId` is the manager's, `debuggerId` the adapter's or debugger's. */
export class BreakpointIds {
  readonly #debuggerIds = new Map<number, number>()
  /** Further debugger numbers of a breakpoint that the debugger split into several. */
  readonly #furtherIds = new Map<number, ReadonlyArray<number>>()
  readonly #resolved = new Set<number>()
  readonly #locations = new Map<number, { readonly file: string; readonly line: number }>()

  /** The manager's numbers of breakpoints that count as resolved although the debugger has found no code for them. */
  readonly #assumed = new Set<number>()

  /** The debugger's numbers of removed breakpoints. */
  readonly #removed = new Set<number>()

  /** The conditions that the debugger evaluates, by the manager's numbers of their breakpoints. */
  readonly #conditional = new Map<number, string>()

  /** The manager's numbers in the last list of function breakpoints, with the functions. */
  functions: ReadonlyMap<number, string> = new Map()

  /** The adapter's latest answer to each breakpoint, by debugger number. */
  readonly #answers = new Map<number, string>()

  /** True if the adapter gave the same answer before, and no event of the breakpoint came since. */
  isKnownAnswer(debuggerId: number, answer: string): boolean {
    return this.#answers.get(debuggerId) === answer
  }

  /** Remembers an answer. Each change sends whole lists again, in which most breakpoints stay the same. */
  rememberAnswer(debuggerId: number, answer: string): void {
    this.#answers.set(debuggerId, answer)
  }

  /** Forgets the answer to a breakpoint. */
  forgetAnswer(debuggerId: number): void {
    this.#answers.delete(debuggerId)
  }

  /** Sets the debugger's number of a breakpoint and whether it is resolved. */
  set(managerId: number, debuggerId: number | undefined, resolved: boolean): void {
    if (debuggerId === undefined) this.#debuggerIds.delete(managerId)
    else this.#debuggerIds.set(managerId, debuggerId)
    this.setResolved(managerId, resolved)
  }

  /** Sets the debugger's numbers of a breakpoint that the debugger split into several. */
  setAll(managerId: number, debuggerIds: ReadonlyArray<number>, resolved: boolean): void {
    const [first, ...further] = debuggerIds
    this.set(managerId, first, resolved)
    this.setFurther(managerId, further)
  }

  /** Sets the debugger's numbers of a breakpoint besides the first one. */
  setFurther(managerId: number, further: ReadonlyArray<number>): void {
    if (further.length === 0) this.#furtherIds.delete(managerId)
    else this.#furtherIds.set(managerId, further)
  }

  /** True if the debugger has no breakpoint. */
  get isEmpty(): boolean {
    return this.#debuggerIds.size === 0
  }

  /** Removes a breakpoint. */
  remove(managerId: number): void {
    for (const debuggerId of this.allOf(managerId)) this.#removed.add(debuggerId)
    this.forget(managerId)
  }

  /** Removes a breakpoint that no late stop can name. */
  forget(managerId: number): void {
    this.#debuggerIds.delete(managerId)
    this.#furtherIds.delete(managerId)
    this.#resolved.delete(managerId)
    this.#conditional.delete(managerId)
    this.#assumed.delete(managerId)
  }

  /** Records that a breakpoint counts as resolved until the debugger says whether it is. */
  assume(managerId: number): void {
    this.#assumed.add(managerId)
  }

  /** The breakpoints that count as resolved and for which the debugger has found no code. */
  get assumed(): ReadonlyArray<number> {
    return [...this.#assumed]
  }

  /** True if a stop names removed breakpoints only. */
  areRemoved(debuggerIds: ReadonlyArray<number>): boolean {
    return (
      debuggerIds.length > 0 && debuggerIds.every((id) => this.#removed.has(id) && this.managerIdOf(id) === undefined)
    )
  }

  /** Sets the location of a breakpoint. Returns true if it changed. */
  setLocation(managerId: number, file: string, line: number): boolean {
    const before = this.#locations.get(managerId)
    this.#locations.set(managerId, { file, line })
    return before === undefined || before.file !== file || before.line !== line
  }

  /** Returns the debugger's numbers of the breakpoints at a line. */
  debuggerIdsAt(file: string, line: number): ReadonlyArray<number> {
    return [...this.#debuggerIds].flatMap(([managerId, debuggerId]) => {
      const location = this.#locations.get(managerId)
      return location?.file === file && location.line === line ? [debuggerId] : []
    })
  }

  /** Returns the debugger's numbers of the breakpoints on a function. `name` may have the class before it: `Bank.withdraw`. */
  debuggerIdsOn(name: string): ReadonlyArray<number> {
    return [...this.functions].flatMap(([managerId, own]) => {
      const debuggerId = this.#debuggerIds.get(managerId)
      return debuggerId !== undefined && (own === name || name.endsWith(`.${own}`)) ? [debuggerId] : []
    })
  }

  /** Sets whether a breakpoint is resolved. Returns true if that changed. */
  setResolved(managerId: number, resolved: boolean): boolean {
    this.#assumed.delete(managerId)
    if (this.#resolved.has(managerId) === resolved) return false
    if (resolved) this.#resolved.add(managerId)
    else this.#resolved.delete(managerId)
    return true
  }

  /** Remembers which of the requested breakpoints have conditions. Returns the requests. */
  withConditions<A extends { readonly id: number; readonly condition?: string }>(
    wanted: ReadonlyArray<A>
  ): ReadonlyArray<A> {
    for (const { condition, id } of wanted) {
      if (condition === undefined) this.#conditional.delete(id)
      else this.#conditional.set(id, condition)
    }
    return wanted
  }

  /** True if the debugger evaluates the condition of a breakpoint. */
  get hasConditions(): boolean {
    return this.#conditional.size > 0
  }

  /** True if the debugger evaluates a condition of the breakpoint. */
  isConditional(managerId: number): boolean {
    return this.#conditional.has(managerId)
  }

  /** Returns the manager's number for a debugger number; the first if two breakpoints share it. */
  managerIdOf(debuggerId: number): number | undefined {
    for (const [managerId, known] of this.#debuggerIds) if (known === debuggerId) return managerId
    for (const [managerId, known] of this.#furtherIds) if (known.includes(debuggerId)) return managerId
    return undefined
  }

  /** Returns the debugger's number of a breakpoint. */
  debuggerIdOf(managerId: number): number | undefined {
    return this.#debuggerIds.get(managerId)
  }

  /** Returns all numbers of the debugger for a breakpoint. */
  allOf(managerId: number): ReadonlyArray<number> {
    const first = this.#debuggerIds.get(managerId)
    return [...(first === undefined ? [] : [first]), ...(this.#furtherIds.get(managerId) ?? [])]
  }

  /** Returns the condition of the breakpoint that the debugger evaluates. */
  conditionOf(managerId: number): string | undefined {
    return this.#conditional.get(managerId)
  }

  /**
   * Returns the manager's numbers of the breakpoints that a stop names. Old adapters name them only in the stop's text:
   * `breakpoint 2.1 3.1`.
   */
  managerIdsOf(debuggerIds: ReadonlyArray<number>, text: string | undefined): ReadonlyArray<number> {
    const listed = /^breakpoint ((?:\d+\.\d+ ?)+)/.exec(text ?? "")?.[1]?.trim()
    const inText = listed === undefined ? [] : listed.split(/\s+/).map((place) => Number.parseInt(place, 10))
    const named = new Set([...debuggerIds, ...inText])
    return [...this.#debuggerIds]
      .filter(
        ([managerId, known]) =>
          named.has(known) || this.#furtherIds.get(managerId)?.some((other) => named.has(other)) === true
      )
      .map(([managerId]) => managerId)
  }
}
