/** A model of breakpoints in a loop, with which random edits and their stops are compared. */
import { HitCount } from "@sigtrap/protocol"

/** The program: each pass of its loop comes to the lines `first`, `second`, `third` and, in the function that `third` calls, to `inner`. */
export const source = `#include <stdio.h>
static int sum;
__attribute__((noinline)) int work(int n) {
  sum += n; // mark: inner
  return sum;
}
int main(void) {
  int total = 0;
  for (int n = 0; n < 40; n++) {
    total += n; // mark: first
    total ^= 3; // mark: second
    total += work(n); // mark: third
  }
  printf("%d\\n", total);
  return 0;
}
`

/** The line of a mark. */
export const lineOf = (mark: string): number =>
  source.split("\n").findIndex((one) => one.endsWith(`// mark: ${mark}`)) + 1

/** The lines in the order in which a pass comes to them. */
const order = ["first", "second", "third", "inner"].map(lineOf)

/** Passes of the loop. */
const passes = 40

/** The options of a breakpoint, as an operation takes them. `rest` and `every` are its condition: `n % every == rest`. */
export interface Options {
  readonly every?: number
  readonly rest?: number
  readonly hits?: string
  readonly log?: string
  readonly max?: number
  readonly temporary?: boolean
}

interface Modelled {
  readonly line: number
  options: Options
  enabled: boolean
  count: number
}

/** Where the program stops, and the breakpoints that stop it. Undefined at its end. */
export type Stop = { readonly line: number; readonly breakpoints: ReadonlyArray<number> } | undefined

/** The breakpoints of the program, by number, and its place. */
export class Model {
  readonly all = new Map<number, Modelled>()
  /** The messages of logpoints, in order. */
  readonly messages: Array<string> = []
  #pass = 0
  #at = -1

  #limited(one: Modelled): void {
    const { max, ...others } = one.options
    if (max === undefined) return
    if (max > 1) one.options = { ...others, max: max - 1 }
    else {
      one.options = others
      one.enabled = false
    }
  }

  /** The breakpoints that stop the program at the current place. */
  #stopping(): ReadonlyArray<number> {
    const stopping: Array<number> = []
    for (const [number, one] of this.all) {
      const { every, hits, log, rest } = one.options
      const holds = every === undefined || this.#pass % every === rest
      if (one.line !== order[this.#at] || !one.enabled || !holds) continue
      one.count++
      const count = hits === undefined ? undefined : HitCount.parse(hits)
      if (count !== undefined && !HitCount.includes(count, one.count)) continue
      if (log === undefined) stopping.push(number)
      else {
        this.messages.push(`${log} ${this.#pass}`)
        this.#limited(one)
      }
    }
    for (const number of stopping) {
      const one = this.all.get(number)
      if (one?.options.temporary === true) this.all.delete(number)
      else if (one !== undefined) this.#limited(one)
    }
    return stopping
  }

  /** Continues to the next stop. */
  proceed(): Stop {
    for (;;) {
      this.#at++
      if (this.#at === order.length) {
        this.#at = 0
        this.#pass++
      }
      const line = order[this.#at] ?? 0
      if (this.#pass === passes) return undefined
      const breakpoints = this.#stopping()
      if (breakpoints.length > 0) return { line, breakpoints }
    }
  }
}
