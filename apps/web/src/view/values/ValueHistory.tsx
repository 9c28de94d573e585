/**
 * The past of a value: a small line in its row, and the step chart with the list of its values at every stop.
 */
import { signal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { Data, Value } from "../../connection/Answers.ts"
import type { Calls } from "../../connection/Calls.ts"
import { withoutAddress } from "../../session/words/ShortValues.ts"
import type { SessionView } from "../../session/SessionView.ts"
import { shortFunction } from "../../session/words/StopWords.ts"
import { rangeOf, rangeWords, shortNumber } from "../../session/values/ValueRange.ts"
import { usePage, useView } from "../parts/PageContext.ts"
import { cutClass } from "../../session/words/ValueWords.ts"
import { Button, Panel } from "../parts/Parts.tsx"
import { moveFocus } from "../parts/RowFocus.ts"

type Past = Data<"history">["values"][number]

/** The numbers of a value by stop, by session and expression. Only what the page has seen itself. */
const seen = signal<ReadonlyMap<string, ReadonlyMap<number, number>>>(new Map())

const numberOf = (text: string): number | undefined => {
  // What follows a number, such as the elements of a container, makes it another value.
  const number = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?=$| ')/i.exec(text)?.[0]
  return number === undefined || text.startsWith("0x") ? undefined : Number(number)
}

/** Most values of a frame whose past is asked for. */
const mostAsked = 12

/** The values whose past was asked for. */
const asked = new Set<string>()

/** The variables of files, which are the same in each function, by session and expression. */
const ofFiles = new Set<string>()

const isOfFile = ({ session }: SessionView, path: string): boolean => ofFiles.has(`${session.id}\n${path}`)

/** Returns the key of a value: its session, its function unless it is a variable of a file, and its expression. */
const keyOf = (view: SessionView, path: string): string =>
  [view.session.id, isOfFile(view, path) ? "" : view.valuesFrame.value.name, path].join("\n")

/** Asks for the past of the values of a frame, once for each. */
const ask = async (calls: Calls, view: SessionView, values: ReadonlyArray<Value>): Promise<void> => {
  const session = view.session.name
  for (const value of values.filter((one) => numberOf(one.value) !== undefined).slice(0, mostAsked)) {
    const path = value.expression ?? value.name
    const key = keyOf(view, path)
    if (asked.has(key)) continue
    asked.add(key)
    const outcome = await calls.call("history", { session, path, limit: 200 })
    if (!outcome.ok) continue
    const stops = new Map(seen.value.get(key))
    for (const { function: other, stop, value: text } of outcome.answer.data.values) {
      const number = text === undefined || other !== undefined ? undefined : numberOf(text)
      if (number !== undefined) stops.set(stop, number)
    }
    seen.value = new Map(seen.value).set(key, stops)
  }
}

/** Notes the variables of a file at a stop. */
export const historyOfFile = (calls: Calls, view: SessionView, values: ReadonlyArray<Value>): void => {
  for (const { expression, name } of values) ofFiles.add(`${view.session.id}\n${expression ?? name}`)
  historyOf(calls, view, values)
}

/** Notes the values of a stop. */
export const historyOf = (calls: Calls, view: SessionView, values: ReadonlyArray<Value>): void => {
  void ask(calls, view, values)
  if (!view.reported.value || view.reading.value) return
  const next = new Map(seen.value)
  for (const value of values) {
    const number = numberOf(value.value)
    if (number === undefined) continue
    const key = keyOf(view, value.expression ?? value.name)
    next.set(key, new Map(next.get(key)).set(view.reportStop.value, number))
  }
  seen.value = next
}

/** Returns the path of a step line in a box, and where the point of a stop is. */
const stepLine = (
  points: ReadonlyArray<readonly [number, number]>,
  width: number,
  height: number,
  shown: number
): { readonly path: string; readonly dot: readonly [number, number] | undefined } => {
  const stops = points.map(([stop]) => stop)
  const numbers = points.map(([, number]) => number)
  const [first, last] = [Math.min(...stops), Math.max(...stops)]
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)]
  // Each stop has a part of the width, also the last one.
  const x = (stop: number) => ((stop - first) / (last - first + 1)) * (width - 6) + 2
  const y = (number: number) =>
    high === low ? height / 2 : height - 3 - ((number - low) / (high - low)) * (height - 6)
  const path = points
    .map(([stop, number], at) => (at === 0 ? `M${x(stop)} ${y(number)}` : `H${x(stop)}V${y(number)}`))
    .join("")
  const at = points.find(([stop]) => stop === shown)
  return { path: `${path}H${x(last + 1)}`, dot: at === undefined ? undefined : [x(at[0] + 1), y(at[1])] }
}

/**
 * Returns the function of a stop if it is not that of the shown frame: there the name means another variable. Undefined for a variable of
 * a file, and while the place of the stop is not known.
 */
const otherFunction = (view: SessionView, path: string, stop: number): string | undefined => {
  const name = view.stopsByNumber.value.get(stop)?.location?.function
  return isOfFile(view, path) || name === view.valuesFrame.value.name ? undefined : name
}

const pointsOf = (view: SessionView, path: string) =>
  [...(seen.value.get(keyOf(view, path)) ?? [])]
    .filter(([stop]) => otherFunction(view, path, stop) === undefined)
    .toSorted(([a], [b]) => a - b)

/** True if a value is a number that is known at two stops or more. */
export const hasPast = (view: SessionView, path: string): boolean => pointsOf(view, path).length >= 2

/** The small line of past values in the row of a value. */
export const PastLine = ({ onOpen, path }: { readonly path: string; readonly onOpen: () => void }) => {
  const view = useView()
  const points = pointsOf(view, path)
  const range = rangeOf(points)
  // The line of a value that never changed says nothing.
  if (range === undefined || range.low[1] === range.high[1]) return <span class="pastLine" />
  const { dot, path: line } = stepLine(points, 56, 14, view.reportStop.value)
  const words = `${path} at every stop: ${rangeWords(range)}`
  return (
    <button type="button" class="pastLine" tabIndex={-1} aria-label={words} title={words} onClick={onOpen}>
      <svg viewBox="0 0 56 14" width="56" height="14" aria-hidden="true">
        <path d={line} />
        {dot === undefined ? null : <circle cx={dot[0]} cy={dot[1]} r="2" />}
      </svg>
    </button>
  )
}

/** A value at every stop: a chart and a list. A row goes to its stop. */
export const ValueHistory = ({ onClose, path }: { readonly path: string; readonly onClose: () => void }) => {
  const page = usePage()
  const view = useView()
  const shown = view.looked.value ?? view.session.snapshot.value.stop
  return (
    <Panel
      id="watch"
      label={`${path} at every stop`}
      title={<code>{path}</code>}
      note="at every stop"
      tools={<Button label="Close" icon="close" iconOnly kind="bare" onClick={onClose} />}
    >
      <HistoryList path={path} shown={shown} page={page} view={view} />
    </Panel>
  )
}

/** The values of the expression that is shown. */
const read = signal<{ readonly path: string; readonly values: ReadonlyArray<Past> }>({ path: "", values: [] })

const HistoryList = ({
  page,
  path,
  shown,
  view
}: {
  readonly path: string
  readonly shown: number
  readonly page: ReturnType<typeof usePage>
  readonly view: SessionView
}) => {
  const newest = view.session.snapshot.value.stop
  // A variable of a file is read after the stop.
  const latest = pointsOf(view, path).at(-1)?.join()
  useEffect(() => {
    void page.calls.call("history", { session: view.session.name, path, limit: 200 }).then((outcome) => {
      if (outcome.ok) read.value = { path, values: outcome.answer.data.values }
    })
  }, [path, newest, latest])
  const values = read.value.path === path ? read.value.values : []
  const points = values.flatMap(({ stop, value }) => {
    const number = value === undefined ? undefined : numberOf(value)
    return number === undefined || otherFunction(view, path, stop) !== undefined ? [] : [[stop, number] as const]
  })
  const range = rangeOf(points)
  /** The row that Tab leads to. */
  const station = values.some(({ stop }) => stop === shown) ? shown : values.at(-1)?.stop
  const chart = stepLine(points, 320, 104, shown)
  return (
    <div class="scroll">
      {points.length < 2 || range === undefined ? null : (
        <figure class="chart">
          <div class="plot">
            <span class="axis most">{shortNumber(range.high[1])}</span>
            {range.low[1] === range.high[1] ? null : <span class="axis least">{shortNumber(range.low[1])}</span>}
            <svg
              viewBox="0 0 320 104"
              preserveAspectRatio="none"
              role="img"
              aria-label={`${path} at every stop: ${rangeWords(range)}`}
            >
              <path d={chart.path} />
              {chart.dot === undefined ? null : <path class="dot" d={`M${chart.dot[0]} ${chart.dot[1]}h0`} />}
            </svg>
            <span class="axis first">stop {range.first}</span>
            <span class="axis last">stop {range.last}</span>
          </div>
          <figcaption>
            {`most ${range.high[1]} at stop ${range.high[0]} · least ${range.low[1]} at stop ${range.low[0]}`}
          </figcaption>
        </figure>
      )}
      <ul onKeyDown={(event) => moveFocus(event, ".row.past")}>
        {values.toReversed().map(({ command, stop, value }, at, all) => {
          const other = otherFunction(view, path, stop)
          const before = all.slice(at + 1).find((one) => otherFunction(view, path, one.stop) === undefined)?.value
          return (
            <li key={stop}>
              <button
                type="button"
                class={`row past${stop === shown ? " chosen" : ""}`}
                tabIndex={stop === station ? 0 : -1}
                onClick={() => void view.look(stop)}
              >
                <span class="index">{stop}</span>
                {value === undefined ? (
                  <span class="faint">was not read</span>
                ) : (
                  <b class={`${cutClass(value)}${other === undefined ? "" : " faint"}`.trim()}>
                    {withoutAddress(value)}
                  </b>
                )}
                <span class={other === undefined ? "was" : "faint"} title={other}>
                  {other !== undefined && value !== undefined ? `in ${shortFunction(other)}` : ""}
                  {other === undefined && value !== undefined && before !== undefined && before !== value
                    ? `was ${withoutAddress(before)}`
                    : ""}
                </span>
                <span class="where">{command?.split(" ")[0]}</span>
              </button>
            </li>
          )
        })}
      </ul>
    </div>
  )
}
