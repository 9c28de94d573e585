/** Compares answers with what follows from the program's source, and with the memory of the program. */
import type { Input } from "./Clients.ts"
import * as Machine from "./Machine.ts"
import * as Output from "./Output.ts"

/** The program, and where its lines and its variable are. */
export interface Program {
  readonly file: string
  readonly before: number
  readonly after: number
  /** Address of `total`. */
  readonly total: number
}

/** An answer and what is known about its session. */
export interface Answer {
  readonly operation: string
  readonly data: Input
  readonly program: Program
  /** The process of the program. */
  readonly pid: number | undefined
  /** How often the program was started again in this session, at most. */
  readonly restarts: number
}

const list = (value: unknown) => (Array.isArray(value) ? value : [])

/** Returns an integer among the variables of an answer. A value that cannot be read has a text that says why. */
const integers = (data: Input) => {
  const variables = [...list(data["values"]), ...list(data["locals"])]
  return (name: string): number | undefined => {
    const number = Number(variables.find((one) => one?.name === name)?.value)
    return Number.isNaN(number) ? undefined : number
  }
}

/** Returns what is missing after `recover`: the breakpoint of the session, or something that it reports as lost. */
const problemOfRecovery = (data: Input, program: Program): string | undefined => {
  if (data["done"] !== true) return "it was not done"
  const { breakpoints, lost } = Object(data["recovered"])
  // LLDB sets no breakpoint in a program that was killed while it started.
  if (list(lost).length > 0 && data["event"] !== "exited") return `lost: ${JSON.stringify(lost)}`
  const lines = list(breakpoints).map((one) => Number(Object(one?.requested).line))
  return lines.includes(program.after) ? undefined : `breakpoints: ${JSON.stringify(breakpoints).slice(0, 200)}`
}

/** Returns what is wrong with an answer: the invariant that it breaks, and how. */
export const problemsOf = ({
  data,
  operation,
  pid,
  program,
  restarts
}: Answer): ReadonlyArray<readonly [invariant: string, detail: string]> => {
  const problems: Array<readonly [string, string]> = []
  const untrue = (detail: string) => problems.push(["answers are true", detail])
  const value = integers(data)
  const [n, doubled, total] = [value("n"), value("doubled"), value("total")]
  if (operation === "print" && n !== undefined && total !== undefined) {
    if (![n * (n - 1), n * (n + 1)].includes(total)) untrue(`n ${n}, total ${total}`)
    const inMemory = pid === undefined ? undefined : Machine.integerAt(pid, program.total)
    if (inMemory !== undefined && inMemory !== total) untrue(`total ${total}, in memory ${inMemory}`)
  }
  const line = Number(Object(data["location"]).line)
  if (n !== undefined && doubled !== undefined && line >= program.before && doubled !== 2 * n) {
    untrue(`n ${n}, doubled ${doubled}`)
  }
  if (operation === "break" && data["resolved"] !== true) untrue("not resolved")
  const page = operation === "output" ? Output.problemOfPage(String(data["text"] ?? ""), restarts) : undefined
  if (page !== undefined) problems.push(["output has every byte", page])
  const loss = operation === "recover" ? problemOfRecovery(data, program) : undefined
  if (loss !== undefined) problems.push(["recover brings everything back", loss])
  return problems
}
