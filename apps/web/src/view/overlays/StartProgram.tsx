/**
 * Starts a program under the debugger: its path, its arguments, and where it stops first. A page that may not start programs says
 * which tier it needs.
 */
import { useState } from "preact/hooks"
import { copy } from "../../session/actions/Clipboard.ts"
import { failureWords, wholeWords } from "../../session/words/FailureWords.ts"
import { join } from "@sigtrap/protocol/ShellWords"
import { wordsOf } from "../../session/words/Words.ts"
import { Overlay } from "./Overlay.tsx"
import { usePage } from "../parts/PageContext.ts"
import { Button } from "../parts/Parts.tsx"

/** What is shown to a page that may not start programs. */
const NotAllowed = () => {
  const page = usePage()
  const may = page.credentials.tiers.length === 0 ? "nothing" : page.credentials.tiers.join(" and ")
  const command = "sigtrap web --allow admin"
  return (
    <div class="startForm">
      <p>
        <strong>Starting programs needs the tier “admin”.</strong> This page may {may}. Allow it in a terminal:
      </p>
      <div class="commandRow">
        <code>{command}</code>
        <Button label="Copy" icon="copy" onClick={() => copy(page, command, "The command")} />
      </div>
    </div>
  )
}

const Form = () => {
  const page = usePage()
  const [program, setProgram] = useState("")
  const [words, setWords] = useState("")
  const [place, setPlace] = useState("")
  const [starting, setStarting] = useState(false)
  const [problem, setProblem] = useState<string | undefined>(undefined)
  const path = program.trim()
  const args = wordsOf(words)
  const at = place.trim()
  const command = `sigtrap start ${join([path === "" ? "/path/of/the/program" : path, ...(at === "" ? [] : ["--break", at])])}${
    args === undefined || args.length === 0 ? "" : ` -- ${join(args)}`
  }`
  const start = async () => {
    if (starting) return
    // The page is in no directory.
    if (!path.startsWith("/")) return setProblem("Write the whole path of the program, from / on.")
    if (args === undefined) return setProblem("A quote of the arguments is not closed.")
    setStarting(true)
    setProblem(undefined)
    const outcome = await page.calls.call("start", {
      program: path,
      args,
      ...(at === "" ? {} : { break: [at] }),
      cwd: path.slice(0, Math.max(1, path.lastIndexOf("/"))),
      wait_for: "running"
    })
    setStarting(false)
    if (!outcome.ok) {
      const text = failureWords(outcome.failure, page.credentials.tiers)
      return setProblem(text.length > 0 ? text : wholeWords(outcome.failure))
    }
    page.command.value = command
    page.chosen.value = outcome.answer.data.session
    page.warn(command, outcome.answer.warnings)
    page.overlay.value = undefined
  }
  const field = (label: string, value: string, hint: string, set: (value: string) => void) => (
    <label>
      <span>{label}</span>
      <input
        type="text"
        value={value}
        placeholder={hint}
        spellcheck={false}
        autocomplete="off"
        onInput={(event) => set(event.currentTarget.value)}
      />
    </label>
  )
  return (
    <div
      class="startForm"
      onKeyDown={(event) => {
        if (event.key === "Enter" && event.target instanceof HTMLInputElement) void start()
      }}
    >
      {field("Program", program, "/home/me/app, or a file such as /home/me/app.py", setProgram)}
      {field("Arguments", words, 'one "two words"', setWords)}
      {field("Stop at", place, "app.c:14 or a function (the first crash, or the end)", setPlace)}
      {problem === undefined ? null : (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <code class="startCommand">$ {command}</code>
      <p class="cardButtons">
        <Button label={starting ? "Starting…" : "Start"} kind="main" onClick={() => void start()} />
        <Button label="Cancel" onClick={() => (page.overlay.value = undefined)} />
      </p>
    </div>
  )
}

/** The layer that starts a program. */
export const StartProgram = () => {
  const page = usePage()
  return (
    <Overlay label="Start a program">
      <h2>Start a program</h2>
      {page.may("admin") ? <Form /> : <NotAllowed />}
    </Overlay>
  )
}
