/**
 * A call of another client that waits for consent: who asks, for what exactly, and the answers. It is the last row of Activity.
 */
import { useLayoutEffect, useRef } from "preact/hooks"
import type { Question } from "../../connection/Answers.ts"
import { askWords, codeOf, consequenceOf } from "../../session/activity/AskedCall.ts"
import { secondsOf } from "../../session/words/StopWords.ts"
import { usePage } from "../parts/PageContext.ts"
import { Button, Shape } from "../parts/Parts.tsx"
import { useSeconds } from "../parts/Seconds.ts"

const Card = ({ more, question }: { readonly question: Question; readonly more: number }) => {
  const page = usePage()
  const now = useSeconds(true)
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const element = box.current
    // The focus that was in the card goes to the rows of Activity, or to the tab of the shown panel if they are hidden. The next question
    // gets no key that was meant for this one.
    return () => {
      if (element?.contains(document.activeElement) !== true) return
      for (const next of ["#activity .rows", ".phoneTabs [aria-current]"]) {
        const target = document.querySelector<HTMLElement>(next)
        target?.focus()
        if (document.activeElement === target) return
      }
    }
  }, [])
  const words = askWords(question, page.credentials.actor.id)
  /** True while an answer is sent: a second press answers nothing. */
  const answering = useRef(false)
  const answer = async (verdict: "allow" | "session" | "deny") => {
    if (answering.current) return
    answering.current = true
    const command = `sigtrap ask answer ${question.id} ${verdict}`
    const outcome = await page.act("ask.answer", { id: question.id, answer: verdict }, command)
    if (!outcome.ok) answering.current = false
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const verdict = event.key === "y" ? "allow" : event.key === "n" ? "deny" : undefined
    if (verdict === undefined) return
    event.stopPropagation()
    void answer(verdict)
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
      <pre class="sunken">{codeOf(question)}</pre>
      <p class="askButtons">
        <Button label="Allow once" keys="Y" kind="main" onClick={() => void answer("allow")} />
        <Button label="Allow for this session" onClick={() => void answer("session")} />
        <Button label="Deny" keys="N" onClick={() => void answer("deny")} />
        <span class="note">
          {question.function === undefined ? undefined : (
            <>
              In <code>{question.function}</code>.{" "}
            </>
          )}
          {consequenceOf(question)}
        </span>
      </p>
    </div>
  )
}

/** The question that waits longest. Its keys act only while the focus is in it. */
export const AskCard = () => {
  const [question, ...others] = usePage().requests.value.values()
  return question === undefined ? null : <Card key={question.id} question={question} more={others.length} />
}
