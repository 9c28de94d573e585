/**
 * Why the program is where it is, as the lines that `sigtrap explain` prints, asked for only on request.
 */
import type { Data } from "../../connection/Answers.ts"
import type { Page } from "../Page.ts"
import type { SessionView } from "../SessionView.ts"
import { placeOf, shortFunction } from "../words/StopWords.ts"
import { cutText } from "../words/Words.ts"

type Explanation = Data<"explain">
type TaskGroup = NonNullable<Explanation["tasks"]>[number]
type Place = { readonly function?: string; readonly file?: string; readonly line?: number; readonly module?: string }

/** Most characters of a function's name, and of a fact. */
const [mostOfName, mostOfFact] = [60, 200]

const nameOf = (name: string): string => cutText(shortFunction(name), mostOfName)

/** Returns a place as a function with its line: `sum_scores app.c:14`. */
const at = (place: Place): string =>
  [place.function === undefined ? undefined : nameOf(place.function), placeOf(place)]
    .filter((part) => part !== undefined)
    .join(" ")

const chain = (callers: ReadonlyArray<Place>): string =>
  callers.map(({ function: name = "??" }) => ` < ${nameOf(name)}`).join("")

/** The facts that the first line does not contain. That of an expression has the meaning of the address. */
const factsOf = ({ facts, summary }: Explanation): ReadonlyArray<string> => {
  const hasExpression = facts.some(({ kind }) => kind === "expression")
  return facts
    .filter(
      ({ kind, text }) =>
        kind !== "exit" && kind !== "stop" && !summary.includes(text) && !(kind === "address" && hasExpression)
    )
    .map(({ text }) => cutText(text, mostOfFact))
}

const memoryOf = ({ sanitizer }: Explanation): ReadonlyArray<string> =>
  (["freed", "allocated"] as const).flatMap((verb) => {
    const [first, ...callers] = sanitizer?.[verb]?.frames ?? []
    return first === undefined ? [] : [`${verb} in ${at(first)}${chain(callers)}`]
  })

const verbs = { read: "read", write: "written" } as const

/** `written before by thread T1 in add race.cpp:5`: the accesses of a data race, and the memory. */
const raceOf = ({ sanitizer }: Explanation): ReadonlyArray<string> => [
  ...(sanitizer?.accesses ?? []).map(({ access, atomic, frames: [first, ...callers], locks, thread }, index) => {
    const how = `${atomic === true ? "atomically " : ""}${verbs[access]}${index === 0 ? "" : " before"}`
    const who = thread === 0 ? "the main thread" : `thread T${thread}`
    const held = locks === 0 ? "" : ` (held ${locks === 1 ? "a mutex" : `${locks} mutexes`})`
    return `${how} by ${who}${held}${first === undefined ? "" : ` in ${at(first)}`}${chain(callers)}`
  }),
  ...(sanitizer?.object === undefined ? [] : [`memory: ${cutText(sanitizer.object, 120)}`])
]

const waitsOf = ({ waits }: Explanation): ReadonlyArray<string> =>
  waits.map(({ count, stack, text, threads }) => {
    const numbers = threads.slice(0, 3).map(({ id, number }) => number ?? id)
    const who = count <= 3 ? numbers.join(" ") : `${numbers.join(" ")} … (${count} threads)`
    const [frame] = stack
    return [who, frame === undefined ? undefined : at(frame), cutText(text, 160)]
      .filter((part) => part !== undefined)
      .join(" ")
  })

const taskStates: { readonly [state in TaskGroup["state"]]: string } = {
  running: "running",
  runnable: "ready to run",
  waiting: "waits",
  syscall: "in a system call",
  unknown: "waits or runs (unknown)"
}

/** `5 goroutines 18 19 20 … worker main.go:9 waits: chan receive`. */
const tasksOf = ({ tasks = [] }: Explanation): ReadonlyArray<string> =>
  tasks.map(({ awaits, count, frames, kind, state, tasks: some, wait }) => {
    const noun = kind === "asyncio" ? "asyncio task" : kind
    const names = some.slice(0, 3).map(({ id, name }) => name ?? id)
    const who =
      count === 1
        ? `${noun} ${names.join(" ")}`
        : `${count} ${noun}s ${names.join(" ")}${count > names.length ? " …" : ""}`
    const reasons = [wait, awaits].filter((part) => part !== undefined)
    const what = reasons.length === 0 ? taskStates[state] : `${taskStates[state]}: ${reasons.join(", ")}`
    const [frame, ...callers] = frames
    return `${cutText(who, 80)} ${frame === undefined ? "" : at(frame)}${cutText(chain(callers), 123)} ${cutText(what, 160)}`
  })

/** Returns an explanation as lines: what happened and where, the facts, what threads wait for, and the callers. */
const explanationLines = (data: Explanation): ReadonlyArray<string> => {
  const { callers = [], summary, user_frame, what } = data
  const [first, ...rest] = callers
  const where = what === "hang" || user_frame === undefined ? "" : ` in ${at(user_frame)}`
  return [
    `${what}: ${cutText(summary, mostOfFact)}${where}`,
    ...factsOf(data),
    ...raceOf(data),
    ...memoryOf(data),
    ...waitsOf(data),
    ...tasksOf(data),
    ...(first === undefined ? [] : [`called from ${at(first)}${chain(rest)}`])
  ]
}

/** Asks why the program is where it is; undefined after a failure, which is shown. */
export const explain = async (page: Page, view: SessionView): Promise<ReadonlyArray<string> | undefined> => {
  const session = view.session.name
  const outcome = await page.act("explain", { session }, `sigtrap explain --session ${session}`)
  return outcome.ok ? explanationLines(outcome.answer.data) : undefined
}

/** Shows over the page why the program is where it is. */
export const showExplanation = async (page: Page, view: SessionView): Promise<void> => {
  const [first = "", ...rest] = (await explain(page, view)) ?? []
  if (first !== "") page.showWords(first, rest.join("\n"))
}
