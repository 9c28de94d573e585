/**
 * The lines of the shown file, with the current line, breakpoints, and the values at the ends of the lines. Only the lines that
 * are visible exist.
 */
import { signal, useComputed } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks"
import { breakpointsAt, toggleBreakpoint } from "../../session/actions/Actions.ts"
import { signOf } from "../../session/breakpoints/BreakpointFields.ts"
import { editedLine, followsStops } from "../../session/breakpoints/EditedLine.ts"
import { inlineValues, type InlineValue } from "../../session/source/InlineValues.ts"
import { withMembers } from "../../session/values/ReadMembers.ts"
import { scopeLines } from "../../session/source/FunctionLines.ts"
import { useSelection } from "./SourceSelection.ts"
import { useCoarse, useNarrow } from "../layout/WindowWidths.ts"
import type { SourceText } from "../../session/source/SourceText.ts"
import { fileName } from "../../session/words/StopWords.ts"
import { Highlighter, type Token } from "../../language/Tokens.ts"
import { BreakpointEditor } from "./BreakpointEditor.tsx"
import { isVisible, scrollTo, useCard, useHeight, useSize } from "../layout/ElementSize.ts"
import {
  frameOf,
  freeColumns,
  hasRoom,
  NoteBelow,
  stateOfLine,
  threadsByLine,
  useUnseenNote,
  Values,
  ValuesBelow
} from "./SourceNotes.tsx"
import { useKeptFocus } from "../parts/KeptFocus.ts"
import { usePage, useView } from "../parts/PageContext.ts"

/** Height of the breakpoint editor below its line. */
const editorHeight = 128

/** The text that is looked for in the source; undefined while nothing is looked for. */
export const findText = signal<string | undefined>(undefined)
/** The line of the keyboard. */
export const cursorLine = signal(1)

/** Time that a finger rests on a sign to edit its breakpoint, in milliseconds. Not every browser makes a menu event of it. */
const holdTime = 600

/** Returns handlers that tell a finger that rests from one that taps. `isTap` is false for the click that follows a rest. */
const useHold = (act: () => void) => {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const held = useRef(false)
  const end = () => clearTimeout(timer.current)
  return {
    isTap: () => !held.current,
    handlers: {
      onPointerDown: ({ pointerType }: PointerEvent) => {
        held.current = false
        if (pointerType !== "touch") return
        timer.current = setTimeout(() => {
          held.current = true
          act()
        }, holdTime)
      },
      onPointerUp: end,
      onPointerCancel: end,
      onPointerLeave: end
    }
  }
}

const Gutter = ({ file, line }: { readonly file: string; readonly line: number }) => {
  const page = usePage()
  const view = useView()
  const there = breakpointsAt(view, file, line)
  const [first] = there
  const bindable = view.codeLines.of(file)
  const sign = first === undefined ? (bindable === undefined || bindable.has(line) ? "none" : "bare") : signOf(first)
  const words =
    first === undefined ? `Set a breakpoint on line ${line}` : `Remove breakpoint ${first.id} on line ${line}`
  const edit = () => (editedLine.value = { file, line })
  const { handlers, isTap } = useHold(edit)
  return (
    <button
      type="button"
      {...handlers}
      class={`sign ${sign}`}
      aria-label={words}
      tabIndex={-1}
      onPointerEnter={() => void view.codeLines.read(file)}
      onClick={() => (isTap() ? void toggleBreakpoint(page, view, file, line) : undefined)}
      onContextMenu={(event) => {
        event.preventDefault()
        edit()
      }}
    />
  )
}

/** Marks the places of a text in a line. */
const marked = (tokens: ReadonlyArray<Token>, find: string | undefined) =>
  tokens.map(({ kind, text }, at) => {
    const parts = find === undefined || find === "" ? [text] : text.split(find)
    return (
      <span key={at} class={kind}>
        {parts.map((part, index) => (index === 0 ? part : [<mark key={index}>{find}</mark>, part]))}
      </span>
    )
  })

interface LineProps {
  readonly index: number
  readonly top: number
  readonly highlighter: Highlighter
  readonly file: string
  readonly code: string
  readonly values: ReadonlyArray<InlineValue> | undefined
  readonly frame: number | undefined
  /** The other threads that are at this line, in words. */
  readonly threads: string | undefined
  /** True if the threads were there at an earlier stop. */
  readonly isOld: boolean
  readonly below: boolean
  readonly height: number
}

const LineRow = (props: LineProps) => {
  const { below, code, file, frame, height, highlighter, index, isOld, threads, top, values } = props
  const view = useView()
  const line = index + 1
  const current = view.currentLine.value === line
  const state = current ? ` ${stateOfLine(view)}` : frame === undefined ? "" : " caller"
  const note = [frame === undefined || current ? undefined : `frame ${frame}`, threads]
    .filter((part) => part !== undefined)
    .join(" · ")
  return (
    <div
      class={`line${state}${cursorLine.value === line ? " cursor" : ""}`}
      style={{ transform: `translateY(${top}px)`, height: `${height}px` }}
      role="row"
      id={`line-${line}`}
      aria-selected={cursorLine.value === line}
      aria-current={current ? "location" : undefined}
      onMouseDown={() => (cursorLine.value = line)}
    >
      <span role="gridcell" class="gutter">
        <Gutter file={file} line={line} />
        {current ? (
          <span class="here" aria-hidden="true">
            here
          </span>
        ) : null}
      </span>
      <span role="gridcell" class="number">
        {line}
      </span>
      <code role="gridcell" class="text">
        {marked(highlighter.line(index), findText.value)}
        {values === undefined || below ? null : <Values values={values} code={code} note={note} />}
      </code>
      {note === "" ? null : (
        <span role="gridcell" class={threads === undefined || isOld ? "frameNote old" : "frameNote"}>
          {note}
        </span>
      )}
    </div>
  )
}

/** How far keys move the line of the keyboard. */
const lineKeys = new Map([
  ["ArrowDown", 1],
  ["ArrowUp", -1],
  ["PageDown", 20],
  ["PageUp", -20]
])

/** Returns the indexes of the lines that exist: those that are visible, and the line where a selection begins. */
const linesToDraw = (
  { first, last }: { readonly first: number; readonly last: number },
  count: number,
  pinned: number | undefined
): ReadonlyArray<number> => {
  const visible = Array.from({ length: Math.max(0, Math.min(count, last) - first) }, (_, at) => first + at)
  if (pinned === undefined || (pinned > first && pinned <= last)) return visible
  return pinned <= first ? [pinned - 1, ...visible] : [...visible, pinned - 1]
}

/** The editor of the breakpoint of a line, below it. */
const Editor = ({
  file,
  line,
  onClose,
  top
}: {
  readonly file: string
  readonly line: number
  readonly top: number
  readonly onClose: () => void
}) => (
  <div class="editor" style={{ transform: `translateY(${top}px)` }} role="row">
    <div role="gridcell">
      <BreakpointEditor
        key={`${file}:${line}`}
        file={file}
        line={line}
        onClose={() => {
          editedLine.value = undefined
          onClose()
        }}
      />
    </div>
  </div>
)

/** Returns how much wider numbers are than those of four digits, in pixels. */
const widerNumbers = (lines: number): number => Math.max(0, String(lines).length - 4) * 8

/** Returns the values at the ends of lines. Those of a narrow panel's current line are below it. `width` is that of the panel. */
const useInlineValues = (text: SourceText, highlighter: Highlighter, narrow: boolean, width: number) => {
  const view = useView()
  const current = view.currentLine.value
  const reading = view.reading.value
  const variables = useComputed(() => withMembers(view, view.values.value)).value
  return useMemo(() => {
    if (current === undefined || reading) return new Map<number, ReadonlyArray<InlineValue>>()
    const code = (index: number) => highlighter.code(index)
    return inlineValues(code, scopeLines(code, current, highlighter.isIndented), current, variables, (line) =>
      freeColumns(narrow && line === current ? "" : (text.lines[line - 1] ?? ""), width)
    )
  }, [text, current, variables, reading, narrow, width])
}

/** The lines of a file. */
export const Lines = ({
  card,
  text
}: {
  readonly text: SourceText
  /** What is below the current line. */
  readonly card?: ComponentChildren
}) => {
  const page = usePage()
  const view = useView()
  const box = useRef<HTMLDivElement>(null)
  const [range, setRange] = useState({ first: 0, last: 60, width: 0 })
  const highlighter = useMemo(() => new Highlighter(text.file, text.lines), [text])
  const current = view.currentLine.value
  /** The current line, and whether it was visible when the lines were measured last. */
  const kept = useRef({ line: current, seen: false })
  kept.current.line = current
  const [narrow, lineHeight] = [useNarrow(), useCoarse() ? 24 : 20]
  const wider = widerNumbers(text.lines.length)
  const values = useInlineValues(text, highlighter, narrow, range.width - wider)
  const selection = useSelection(box, text.lines)
  useKeptFocus(box)
  const frameAt = (line: number) => frameOf(view, text.file, line)
  const { isOld, notes: threadsAt } = threadsByLine(view, text.file)
  const edited = editedLine.value?.file === text.file ? editedLine.value.line : undefined
  const hasCard = card !== undefined && current !== undefined
  const [cardBox, cardHeight] = useHeight(hasCard)
  const below = narrow && current !== undefined && values.has(current)
  const notesBelow = [...threadsAt].filter(
    ([at, note]) => !hasRoom(text.lines[at - 1] ?? "", note, range.width - wider)
  )
  /** Returns the top of a line: lines below the editor, or below the values or the threads of a line, are lower. */
  const topOf = (index: number) =>
    index * lineHeight +
    notesBelow.filter(([line]) => index >= line).length * lineHeight +
    (edited !== undefined && index >= edited ? editorHeight : 0) +
    (hasCard && current !== undefined && index >= current ? cardHeight : 0) +
    (below && current !== undefined && index >= current ? lineHeight : 0)
  const topOfCard = topOf(current ?? 0) - cardHeight - (edited === current ? editorHeight : 0)

  const measure = () => {
    const element = box.current
    if (element === null) return
    const first = Math.max(0, Math.floor(element.scrollTop / lineHeight) - 20)
    const last = Math.ceil((element.scrollTop + element.clientHeight) / lineHeight) + 20
    kept.current.seen = isVisible(box.current, kept.current.line, lineHeight)
    const width = element.clientWidth
    setRange((now) => (now.first === first && now.last === last && now.width === width ? now : { first, last, width }))
  }
  const show = (line: number, always: boolean) => {
    const element = box.current
    if (element === null) return
    const ownHeight = line === current ? topOf(line) - topOf(line - 1) : lineHeight
    element.scrollTop = scrollTo(element, topOf(line - 1), lineHeight, ownHeight, always)
    measure()
  }
  useSize(box, kept, lineHeight, { show: (line) => show(line, true), measure })
  const opened = view.opened.value
  useLayoutEffect(() => {
    if (opened !== undefined && opened.file === text.file) {
      cursorLine.value = opened.line
      show(opened.line, true)
    } else if (current !== undefined && (followsStops.value || view.past.value)) {
      cursorLine.value = current
      show(current, false)
    }
  }, [text, current, opened, view.reportStop.value])
  useUnseenNote(view, box, text.file, (line) => topOf(line - 1), lineHeight)
  useCard(hasCard ? cardHeight : undefined, kept, (line) => show(line, false))
  useLayoutEffect(measure, [text, lineHeight, current])

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || selection.onKey(event)) return
    const by = lineKeys.get(event.key)
    if (by !== undefined) {
      event.preventDefault()
      cursorLine.value = Math.min(text.lines.length, Math.max(1, cursorLine.value + by))
      show(cursorLine.value, false)
    }
    if (event.key === "Enter") void toggleBreakpoint(page, view, text.file, cursorLine.value)
  }
  const shown = linesToDraw(range, text.lines.length, selection.pinned)
  const longest = useMemo(() => text.lines.reduce((most, line) => Math.max(most, line.length), 0), [text])
  return (
    <div
      class={`lines${view.live.value || view.past.value ? "" : " dim"}${selection.all ? " all" : ""}`}
      ref={box}
      style={{ "--digits": `${wider}px` }}
      onScroll={measure}
      onKeyDown={onKeyDown}
      onMouseDown={selection.onMouseDown}
      onCopy={selection.onCopy}
      tabIndex={0}
      role="grid"
      aria-label={`${fileName(text.file)}, line ${cursorLine.value}`}
      aria-activedescendant={`line-${cursorLine.value}`}
    >
      <div
        class="linesSpace"
        style={{ height: `${topOf(text.lines.length)}px`, minWidth: `${Math.min(longest, 2000) + 12}ch` }}
      >
        {shown.map((index) => (
          <LineRow
            key={index}
            index={index}
            top={topOf(index)}
            height={lineHeight}
            highlighter={highlighter}
            file={text.file}
            code={text.lines[index] ?? ""}
            values={values.get(index + 1)}
            frame={frameAt(index + 1)}
            threads={notesBelow.some(([line]) => line === index + 1) ? undefined : threadsAt.get(index + 1)}
            isOld={isOld}
            below={below && current === index + 1}
          />
        ))}
        {below && current !== undefined ? (
          <ValuesBelow top={topOf(current - 1) + lineHeight} values={values.get(current) ?? []} />
        ) : null}
        {notesBelow.map(([line, note]) => {
          const of = line === current ? "current" : frameAt(line) === undefined ? "" : "caller"
          const top = topOf(line - 1) + lineHeight * (below && line === current ? 2 : 1)
          return <NoteBelow key={line} note={note} isOld={isOld} of={of} top={top} />
        })}
        {hasCard && current !== undefined ? (
          <div class="cardBelow" ref={cardBox} style={{ transform: `translateY(${topOfCard}px)` }} role="row">
            <div role="gridcell">{card}</div>
          </div>
        ) : null}
        {edited === undefined ? null : (
          <Editor
            file={text.file}
            line={edited}
            top={topOf(edited) - editorHeight}
            onClose={() => box.current?.focus()}
          />
        )}
      </div>
    </div>
  )
}
