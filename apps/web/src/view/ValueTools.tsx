/**
 * What can be done with a value: copy, watch, stop when it changes, set.
 */
import { useState } from "preact/hooks"
import type { Value } from "../connection/Answers.ts"
import { needsTiers } from "../session/FailureWords.ts"
import { addWatch } from "../session/Watches.ts"
import { usePage, useView } from "./PageContext.ts"
import { Button } from "./Parts.tsx"

/** Returns what a value is called in a command. */
export const expressionOf = (value: Value): string => value.expression ?? value.name

/** A field for a new value. Enter sets it, Esc leaves it. */
export const SetValue = ({ onClose, value }: { readonly value: Value; readonly onClose: () => void }) => {
  const page = usePage()
  const view = useView()
  const [text, setText] = useState(value.value)
  const save = async () => {
    const target = expressionOf(value)
    const session = view.session.name
    const outcome = await page.act(
      "set",
      { session, target, value: text },
      `sigtrap set ${target} ${text} --session ${session}`
    )
    if (outcome.ok) {
      onClose()
      await view.readStop(false)
    }
  }
  return (
    <input
      type="text"
      class="setValue"
      aria-label={`New value of ${value.name}`}
      value={text}
      ref={(element) => element?.focus()}
      onInput={(event) => setText(event.currentTarget.value)}
      onKeyDown={(event) => {
        event.stopPropagation()
        if (event.key === "Enter") void save()
        if (event.key === "Escape") onClose()
      }}
    />
  )
}

/** The buttons and the menu of a value. */
export const ValueTools = ({ onSet, value }: { readonly value: Value; readonly onSet: () => void }) => {
  const page = usePage()
  const view = useView()
  const expression = expressionOf(value)
  const session = view.session.name
  const copy = (text: string, what: string) =>
    void navigator.clipboard.writeText(text).then(() => page.say({ text: `${what} was copied.`, tone: "plain" }))
  const [open, setOpenMenu] = useState(false)
  return (
    <span class="valueTools">
      <Button
        label={`Copy the value of ${value.name}`}
        icon="copy"
        iconOnly
        kind="bare"
        onClick={() => copy(value.value, "The value")}
      />
      <Button
        label={`Watch ${expression}`}
        icon="pin"
        iconOnly
        kind="bare"
        onClick={() => addWatch(view.session.snapshot.value.program, expression)}
      />
      <Button
        label={`More for ${value.name}`}
        icon="menu"
        iconOnly
        kind="bare"
        pressed={open}
        onClick={() => setOpenMenu(!open)}
      />
      {open ? (
        <span class="valueMenu" role="menu" onClick={() => setOpenMenu(false)}>
          <Button label="Copy path" icon="copy" kind="quiet" onClick={() => copy(expression, "The path")} />
          <Button
            label="Copy as command"
            icon="copy"
            kind="quiet"
            onClick={() => copy(`sigtrap print '${expression}' --session ${session}`, "The command")}
          />
          <Button
            label="Stop when it changes"
            icon="bolt"
            kind="quiet"
            onClick={() =>
              void page.act("watch", { session, expression }, `sigtrap watch '${expression}' --session ${session}`)
            }
          />
          <Button
            label="Set value…"
            icon="edit"
            kind="quiet"
            obstacle={page.may("write") ? undefined : needsTiers(["write"], page.credentials.tiers)}
            onClick={() =>
              page.may("write")
                ? onSet()
                : page.say({
                    text: needsTiers(["write"], page.credentials.tiers),
                    tone: "refused"
                  })
            }
          />
        </span>
      ) : null}
    </span>
  )
}
