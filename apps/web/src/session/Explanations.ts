/**
 * Why the program is where it is, as lines: what `explain` answers, asked for only on request.
 */
import type { Data, ThreadRow } from "../connection/Answers.ts"
import type { Page } from "./Page.ts"
import type { SessionView } from "./SessionView.ts"

type TaskGroup = NonNullable<Data<"explain">["tasks"]>[number]

const labelOf = ({ id, name, number }: Pick<ThreadRow, "id" | "name" | "number">): string =>
  `thread ${number ?? id}${name === undefined ? "" : ` "${name}"`}`

/** `5 goroutines at receiver: waiting, chan receive`. */
const taskLine = ({ awaits, count, frames, kind, state, wait }: TaskGroup): string =>
  `${count} ${kind}${count === 1 ? "" : "s"} at ${frames[0]?.function ?? "??"}: ${[state, wait, awaits].filter((part) => part !== undefined).join(", ")}`

/** Returns an explanation as lines: the summary, the facts, what threads wait for, and which wait for each other. */
const explanationLines = ({ cycles, facts, summary, tasks = [], waits }: Data<"explain">): ReadonlyArray<string> => [
  summary,
  ...facts.map(({ text }) => text).filter((text) => text !== summary),
  ...waits.map(({ text }) => text),
  ...tasks.map(taskLine),
  ...cycles.flatMap((cycle) =>
    cycle.map(
      ({ held_by, thread, waits_for }) => `${labelOf(thread)} waits for ${waits_for}, held by ${labelOf(held_by)}`
    )
  )
]

/** Asks why the program is where it is; undefined after a failure, which is shown. */
export const explain = async (page: Page, view: SessionView): Promise<ReadonlyArray<string> | undefined> => {
  const session = view.session.name
  const outcome = await page.act("explain", { session }, `sigtrap explain --session ${session}`)
  return outcome.ok ? explanationLines(outcome.answer.data) : undefined
}
