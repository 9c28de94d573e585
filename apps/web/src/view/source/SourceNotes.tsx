/**
 * What is beside and below the lines of the source: values, the threads that are there, and how the line is drawn.
 */
import { useLayoutEffect } from "preact/hooks"
import type { ThreadRow } from "../../connection/Answers.ts"
import { type InlineValue, withWas } from "../../session/source/InlineValues.ts"
import type { SessionView } from "../../session/SessionView.ts"
import { cutClass } from "../../session/words/ValueWords.ts"
import { isFailure } from "../../session/words/StopWords.ts"
import { useView } from "../parts/PageContext.ts"

/** Returns the width of a line in columns: a tab leads to the next multiple of 8, wide characters have two. */
const columnsOf = (line: string): number => {
  let columns = 0
  for (const character of line) columns += character === "\t" ? 8 - (columns % 8) : character >= "\u1100" ? 2 : 1
  return columns
}

/** Returns the width in columns that shows something of a value: its name, its beginning, and the ellipsis if more follows. */
const leastOf = ([first, second]: ReadonlyArray<InlineValue>): number => {
  if (first === undefined) return 0
  const follows = first.value.length > 6 || first.old !== undefined || second !== undefined
  return columnsOf(first.name) + " = ".length + Math.min(first.value.length, 6) + (follows ? 1 : 0)
}

/** Returns the most width of a note beside a line, in pixels: letters of 6 pixels between 20. */
const widthOfNote = (note: string): number => (note === "" ? 0 : note.length * 6 + 20)

/** A value, or what it was. The ellipsis of one that was cut is a box, so that the ellipsis of the edge replaces it. */
const Shortened = ({ value }: { readonly value: string }) =>
  value.endsWith("…") ? (
    <>
      {value.slice(0, -1)}
      <span class="ellipsis">…</span>
    </>
  ) : (
    <>{value}</>
  )

/** Values at the end of a line, cut at the edge of the panel or at the note beside them. `code` is the line itself. */
export const Values = ({
  code = "",
  note = "",
  values
}: {
  readonly values: ReadonlyArray<InlineValue>
  readonly code?: string
  readonly note?: string
}) => (
  <span
    class={`inline${cutClass(values.map(({ value }) => value).join(""))}`}
    style={{
      "--columns": String(columnsOf(code)),
      "--least": String(leastOf(values)),
      "--note": `${widthOfNote(note)}px`
    }}
    key={values.map(({ isOld = false, name, old, value }) => `${name} ${value} ${old ?? ""} ${isOld}`).join()}
    title={values.map(({ name, old, value, whole }) => `${name} = ${whole ?? withWas(value, old)}`).join("\n")}
  >
    {values.map(({ isChanged, isOld, name, old, value }) => (
      <span key={name} class={isOld === true ? "inlineValue dim" : "inlineValue"}>
        <i>{name}</i> ={" "}
        {old === undefined && isChanged !== true ? (
          <Shortened value={value} />
        ) : (
          <b>
            <Shortened value={value} />
          </b>
        )}
        {old === undefined ? null : (
          <span class="was">
            {" "}
            was <Shortened value={old} />
          </span>
        )}
      </span>
    ))}
  </span>
)

/** Returns how the line of the shown frame is drawn. */
export const stateOfLine = (view: SessionView): "past" | "kept" | "failed" | "current" => {
  const report = view.report.value
  const failed = isFailure(report) && view.reported.value
  return view.past.value ? "past" : !view.live.value ? "kept" : failed ? "failed" : "current"
}

/** Returns the columns of 7.2 pixels that are free after the code of a line, up to the edge of a panel. */
export const freeColumns = (code: string, width: number): number => (width - 70 - columnsOf(code) * 7.8 - 32 - 12) / 7.2

/** True if a note does not cover the code of its line: columns of 8 pixels after 82. */
export const hasRoom = (code: string, note: string, width: number): boolean =>
  82 + columnsOf(code) * 8 + widthOfNote(note) <= width

/** Returns the number of the frame of the shown thread that is at a line. */
export const frameOf = (view: SessionView, file: string, line: number): number | undefined => {
  const frames = view.thread.value === undefined ? [] : (view.stacks.value.get(view.thread.value)?.frames ?? [])
  // A frame in which an earlier exception was raised did not call anything.
  return frames.find((frame) => frame.file === file && frame.line === line && frame.raised === undefined)?.index
}

/** Most threads that are named beside a line. */
const mostThreads = 4

/** Where the threads are, and which one is shown. */
interface Places {
  /** True if there are threads whose places were not read. */
  readonly some: boolean
  readonly threads: ReadonlyArray<ThreadRow>
  readonly shown: number | undefined
}

/** Where the threads of a session were when that was read last. */
const lastPlaces = new WeakMap<SessionView, Places>()

/** Returns the threads beside the shown one by the line of a file where they are: `thread 4 is here`. */
const threadNotes = ({ shown, some, threads }: Places, file: string): ReadonlyMap<number, string> => {
  const found = new Map<number, ReadonlyArray<number>>()
  for (const { id, location, number = id } of threads) {
    if (id === shown || location?.file !== file || location.line === undefined) continue
    found.set(location.line, [...(found.get(location.line) ?? []), number])
  }
  return new Map(
    [...found].map(([line, all]) => {
      const [first] = all
      const least = some ? "at least " : ""
      const more = all.length > mostThreads + 1 ? ` and ${least}${all.length - mostThreads} more` : ""
      const named = more === "" ? all : all.slice(0, mostThreads)
      return [line, all.length === 1 ? `thread ${first ?? ""} is here` : `threads ${named.join(", ")}${more} are here`]
    })
  )
}

/**
 * Returns the threads by the line of a file where they are, and whether that is of an earlier stop. While the program runs they keep
 * their place, until they are read again; a past stop has none.
 */
export const threadsByLine = (
  view: SessionView,
  file: string
): { readonly notes: ReadonlyMap<number, string>; readonly isOld: boolean } => {
  const live = view.threadsLive.value
  if (live) {
    const threads = view.threads.value
    const known = threads.filter(({ location }) => location !== undefined).length
    lastPlaces.set(view, { threads, shown: view.thread.value, some: view.threadList.total.value > known })
  }
  const places = view.past.value || !view.alive() ? undefined : lastPlaces.get(view)
  return { notes: places === undefined ? new Map() : threadNotes(places, file), isOld: !live }
}

/** Removes the note of a stop that is not followed once its line is in view, also by scrolling. `topOf` returns the top of a line in the box of the lines. */
export const useUnseenNote = (
  view: SessionView,
  box: { readonly current: HTMLElement | null },
  shownFile: string,
  topOf: (line: number) => number,
  height: number
) => {
  const unseen = view.unseen.value
  useLayoutEffect(() => {
    const { file, line } = unseen?.location ?? {}
    if (box.current === null || line === undefined || file !== shownFile) return
    const top = topOf(line) - box.current.scrollTop
    if (top >= 0 && top + height <= box.current.clientHeight) view.unseen.value = undefined
  })
}

/** The values of the current line, below it. */
export const ValuesBelow = ({ top, values }: { readonly top: number; readonly values: ReadonlyArray<InlineValue> }) => (
  <div
    class={`line ${stateOfLine(useView())} valuesBelow`}
    style={{ transform: `translateY(${top}px)` }}
    role="presentation"
  >
    <code class="text">
      <Values values={values} />
    </code>
  </div>
)

/** What is at a line besides its code, on a line of its own below it. */
export const NoteBelow = ({
  isOld,
  note,
  of,
  top
}: {
  readonly top: number
  readonly note: string
  readonly isOld: boolean
  readonly of: "current" | "caller" | ""
}) => {
  const view = useView()
  return (
    <div
      class={`line ${of === "current" ? stateOfLine(view) : of} noteBelow${isOld ? " old" : ""}`}
      style={{ transform: `translateY(${top}px)` }}
      role="presentation"
    >
      <span class="text">{note}</span>
    </div>
  )
}
