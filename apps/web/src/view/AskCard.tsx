/**
 * A call of another client that waits for consent: who asks, for what exactly, and the answers. It is the last row of Activity.
 */
import { useLayoutEffect, useRef } from "preact/hooks"
import type { Question } from "../connection/Answers.ts"
import { nameOf } from "../session/ActorWords.ts"
import { secondsOf } from "../session/StopWords.ts"
import { usePage } from "./PageContext.ts"
import { Button, Shape } from "./Parts.tsx"
import { useSeconds } from "./RunRow.tsx"

/** What an effect is, in a sentence's words, and what it can do. */
const effects: { readonly [effect: string]: readonly [string, string] } = {
  eval: ["run code in the program", "It can change the program."],
  "write-memory": ["change a value of the program", "It changes the program."],
  "write-file": ["write a file", "It changes a file of yours."],
  launch: ["start, attach to or end a program", "A program runs with your rights."],
  raw: ["run a command of the debugger", "It can do everything that you can."]
}

/** Returns the arguments of a call as one text. */
const argumentsOf = ({ input, operation }: Question): string => {
  const texts = Object.values(input).filter((value) => typeof value === "string")
  return texts.length === 1 ? String(texts[0]) : `${operation} ${JSON.stringify(input)}`
}

/** Returns what a question is, as a sentence: `agent asks to run code in the program`. */
export const askWords = ({ actor, missing, operation }: Question, own: string): string => {
  const [what] = effects[missing[0]?.effect ?? ""] ?? [`call ${operation}`]
  return `${nameOf(actor, own)} asks to ${what}`
}

const Card = ({ more, question }: { readonly question: Question; readonly more: number }) => {
  const page = usePage()
  const now = useSeconds(true)
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const element = box.current
    // The focus that was in the card goes to the rows of Activity. The next question gets no key that was meant for this one.
    return () => {
      if (element?.contains(document.activeElement) === true)
        document.querySelector<HTMLElement>("#activity .rows")?.focus()
    }
  }, [])
  const [, consequence = ""] = effects[question.missing[0]?.effect ?? ""] ?? []
  const words = askWords(question, page.credentials.actor.id)
  const answer = (verdict: "allow" | "session" | "deny") =>
    void page.act("ask.answer", { id: question.id, answer: verdict }, `sigtrap ask answer ${question.id} ${verdict}`)
  const onKeyDown = (event: KeyboardEvent) => {
    const verdict = event.key === "y" ? "allow" : event.key === "n" ? "deny" : undefined
    if (verdict === undefined) return
    event.stopPropagation()
    answer(verdict)
  }
  return (
    <div class="askCard" ref={box} id="ask" role="group" aria-label={words} tabIndex={-1} onKeyDown={onKeyDown}>
      <p class="askTitle">
        <Shape who="agent" />
        <strong>{words}</strong>
        <span class="note">
          waiting {secondsOf(now - question.created)}, denied by itself in {secondsOf(question.expires - now)}
          {more === 0 ? "" : `, ${more} more`}
        </span>
      </p>
      <pre class="sunken">{argumentsOf(question)}</pre>
      <p class="askButtons">
        <Button label="Allow once" keys="Y" kind="main" onClick={() => answer("allow")} />
        <Button label="Allow for this session" onClick={() => answer("session")} />
        <Button label="Deny" keys="N" onClick={() => answer("deny")} />
        <span class="note">{consequence}</span>
      </p>
    </div>
  )
}

/** The question that waits longest. Its keys act only while the focus is in it. */
export const AskCard = () => {
  const [question, ...others] = usePage().requests.value.values()
  return question === undefined ? null : <Card key={question.id} question={question} more={others.length} />
}
