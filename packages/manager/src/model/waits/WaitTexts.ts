/**
 * What explanations of a hang say: a clause for each wait, and a sentence about all threads.
 */
import type { Explanation, Frame } from "@sigtrap/protocol"

/** The words for objects that have a name or an address. */
export const nouns: { readonly [kind in Explanation.WaitKind]?: string } = {
  mutex: "mutex",
  rwlock: "read-write lock",
  condition: "condition",
  semaphore: "semaphore",
  barrier: "barrier",
  latch: "latch",
  once: "one-time initialization",
  futex: "futex"
}

const clauses: { readonly [kind in Explanation.WaitKind]?: string } = {
  runs: "runs",
  sleep: "sleeps",
  signal: "waits for a signal",
  poll: "waits for descriptors (poll)",
  park: "is parked",
  task: "waits for a task",
  events: "waits for events, and runs no code of the program",
  channel: "waits for a channel"
}

/** What a clause says of a wait that ends by itself. */
const limit = ", with a time limit"

/** What a clause says: the kind, the object, who has it, and whether the wait ends by itself. */
export interface Clause {
  readonly kind: Explanation.WaitKind
  readonly object: string | undefined
  /** A part of a sentence such as `held by thread 2`, or empty. */
  readonly held: string
  readonly limited: boolean
}

const plainClause = ({ held, kind, object }: Clause): string => {
  const noun = nouns[kind]
  const by = held === "" ? "" : `, ${held}`
  if (kind === "future") return `waits for ${object === undefined ? "a future" : `the future ${object}`}`
  if (kind === "library") return `waits for ${object ?? "a lock of the C library"}${by}`
  if (noun !== undefined) return `waits for ${noun}${object === undefined ? "" : ` ${object}`}${by}`
  if (kind === "join") return `waits for the end of ${held === "" ? "a thread" : held}`
  if (kind === "read" || kind === "write") return `${kind}s ${object ?? "a descriptor"}${by}`
  if (kind === "accept") return `waits for a connection to ${object ?? "a socket"}`
  if (kind === "connect") return `connects ${object ?? "a socket"}`
  if (kind === "unknown")
    return object === undefined ? "waits for something unknown" : `is in the system call ${object}`
  if (kind === "child") return `waits for ${object ?? "a child process"}${by}`
  if (kind === "lock") return `waits for a lock of ${object ?? "a file"}${by}`
  if (kind === "poll" && object !== undefined) return `waits for descriptors (poll): ${object}`
  if (kind === "open") return `opens ${object ?? "a file"}`
  return clauses[kind] ?? kind
}

/** Returns the clause of a wait. */
export const clauseOf = (clause: Clause): string => `${plainClause(clause)}${clause.limited ? limit : ""}`

/** The numbers of threads as people read them. */
const numbersOf = (threads: ReadonlyArray<Frame.Thread>) => threads.map(({ id, number }) => number ?? id)

const listed = (numbers: ReadonlyArray<number>) =>
  numbers.length < 2 ? numbers.join("") : `${numbers.slice(0, -1).join(", ")} and ${numbers.at(-1)}`

/** Threads that ran while the program was watched before it was paused, and for how many milliseconds it was. */
export interface Watched {
  readonly millis: number
  readonly ran: number
}

/** Most threads of a cycle that a sentence names. */
const mostNumbers = 8

/** Returns the sentence about all threads. */
export const summaryOf = (
  count: number,
  waits: ReadonlyArray<Explanation.Wait>,
  cycles: ReadonlyArray<ReadonlyArray<Explanation.CycleEdge>>,
  watched?: Watched,
  areOwnersRead = true
): string => {
  const [cycle] = cycles
  const noCycle = areOwnersRead ? "; no cycle of waiting threads" : ""
  if (cycle !== undefined) {
    const numbers = numbersOf(cycle.map(({ thread }) => thread))
    const isLimited = waits.some(
      (wait) => wait.limited === true && cycle.some(({ thread }) => wait.threads.some(({ id }) => id === thread.id))
    )
    const others =
      cycles.length === 1 ? "" : `, and ${cycles.length - 1} more such cycle${cycles.length === 2 ? "" : "s"}`
    const more = `${isLimited ? limit : ""}${others}`
    return numbers.length === 1
      ? `thread ${numbers[0]} of ${count} waits for itself${more}`
      : numbers.length > mostNumbers
        ? `threads ${numbers.slice(0, mostNumbers).join(", ")} and ${numbers.length - mostNumbers} others of ${count} wait for each other${more}`
        : `threads ${listed(numbers)} of ${count} wait for each other${more}`
  }
  const [first] = waits
  const running = waits.filter(({ kind }) => kind === "runs").reduce((sum, wait) => sum + wait.count, 0)
  if (first === undefined) return `${count} threads`
  if (watched !== undefined && waits.some(({ switches }) => switches !== undefined)) {
    const { millis, ran } = watched
    return `${ran} of ${count} thread${count === 1 ? "" : "s"} ran in the ${millis} ms before the pause${noCycle}`
  }
  if (running > 0)
    return count === 1
      ? "the only thread runs"
      : `${running} of ${count} threads run${running === 1 ? "s" : ""}${noCycle}`
  const who = first.count === 1 ? `thread ${numbersOf(first.threads)[0] ?? ""}` : `${first.count} of ${count} threads`
  return `${who}: ${first.text}`
}
