/**
 * A call of another client that waits for consent: who asks, for what exactly, and the answers. It is the last row of Activity.
 */
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

/** The question that waits longest. Its keys act only while the focus is in it. */
export const AskCard = () => {
  const page = usePage()
  const [question, ...others] = page.requests.value.values()
  const now = useSeconds(question !== undefined)
  if (question === undefined) return null
  const effect = question.missing[0]?.effect ?? ""
  const [what, consequence] = effects[effect] ?? [`call ${question.operation}`, ""]
  const who = nameOf(question.actor, page.credentials.actor.id)
  const answer = (verdict: "allow" | "session" | "deny") =>
    void page.act("ask.answer", { id: question.id, answer: verdict }, `sigtrap ask answer ${question.id} ${verdict}`)
  const onKeyDown = (event: KeyboardEvent) => {
    const verdict = event.key === "y" ? "allow" : event.key === "n" ? "deny" : undefined
    if (verdict === undefined) return
    event.stopPropagation()
    answer(verdict)
  }
  return (
    <div
      class="askCard"
      id="ask"
      role="group"
      aria-label={`${who} asks to ${what}`}
      tabIndex={-1}
      onKeyDown={onKeyDown}
    >
      <p class="askTitle">
        <Shape who="agent" />
        <strong>
          {who} asks to {what}
        </strong>
        <span class="note">
          waiting {secondsOf(now - question.created)}, denied by itself in {secondsOf(question.expires - now)}
          {others.length === 0 ? "" : `, ${others.length} more`}
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
