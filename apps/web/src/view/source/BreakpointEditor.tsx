/**
 * The condition, the hit count and the message of a breakpoint, below its line.
 */
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import { breakpointsAt } from "../../session/actions/Actions.ts"
import { breakCommand, clearedOf, editCommand, fieldsOf } from "../../session/breakpoints/BreakpointFields.ts"
import { editedLine } from "../../session/breakpoints/EditedLine.ts"
import { fileName } from "../../session/words/StopWords.ts"
import { recordWarnings } from "../../session/Warnings.ts"
import { usePage, useView } from "../parts/PageContext.ts"
import { Button, keepKey } from "../parts/Parts.tsx"

/** Edits the breakpoint of a line, or sets one. */
export const BreakpointEditor = ({
  file,
  line,
  onClose
}: {
  readonly file: string
  readonly line: number
  readonly onClose: () => void
}) => {
  const page = usePage()
  const view = useView()
  const [known] = breakpointsAt(view, file, line)
  const [condition, setCondition] = useState(known?.condition ?? "")
  const [hits, setHits] = useState(known?.hits_wanted ?? "")
  const [log, setLog] = useState(known?.log ?? "")
  const first = useRef<HTMLInputElement>(null)
  const group = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    first.current?.focus({ preventScroll: true })
    group.current?.closest(".editor")?.scrollIntoView({ block: "nearest", inline: "nearest" })
    const mine = editedLine.value
    // Another file or the instructions take its place when the user asks for them. The source follows the stops again.
    return () => {
      if (editedLine.value === mine) editedLine.value = undefined
    }
  }, [])
  const session = view.session.name
  const at = `${file}:${line}`
  const saving = useRef(false)
  const save = async () => {
    if (saving.current) return
    saving.current = true
    await saveFields()
    saving.current = false
  }
  const saveFields = async () => {
    const fields = fieldsOf({ condition, hits, log })
    const cleared = known === undefined ? {} : clearedOf(known, fields)
    const set = async () => {
      if (known === undefined) {
        const command = breakCommand(fileName(file), line, fields, session)
        const outcome = await page.act("break", { session, at, ...fields }, command)
        return outcome.ok ? { ...outcome.answer, breakpoints: [outcome.answer.data] } : undefined
      }
      const edited = { ...fields, ...cleared }
      const input = { session, id: known.id, ...edited }
      const outcome = await page.act("breakpoint.edit", input, editCommand(known.id, edited, session))
      return outcome.ok ? { ...outcome.answer, ...outcome.answer.data } : undefined
    }
    const answer = await set()
    await view.readBreakpoints()
    if (answer === undefined) return
    for (const one of answer.breakpoints) recordWarnings(view.session, one, answer.warnings)
    onClose()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter") void save()
    if (event.key === "Escape") onClose()
    keepKey(event)
  }
  const field = (label: string, example: string, value: string, set: (value: string) => void, isFirst = false) => (
    <label>
      <span>{label}</span>
      <input
        type="text"
        value={value}
        placeholder={example}
        {...(isFirst ? { ref: first } : {})}
        onInput={(event) => set(event.currentTarget.value)}
      />
    </label>
  )
  return (
    <div
      ref={group}
      class="breakpointEditor"
      role="group"
      aria-label={`Breakpoint on line ${line}`}
      onKeyDown={onKeyDown}
    >
      {field("Stop when", "an expression, such as i == 2 (always)", condition, setCondition, true)}
      {field("Stop at hit", "3 and later, ==3 or %3", hits, setHits)}
      {field("Write a line", "i is {i} (stop instead)", log, setLog)}
      <div class="buttons">
        <Button label={known === undefined ? "Set breakpoint" : "Save"} kind="main" onClick={() => void save()} />
        <Button label="Cancel" onClick={onClose} />
      </div>
    </div>
  )
}
