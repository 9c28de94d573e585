/**
 * The card below the line at which the program failed: the signal or the exception, what is known of it, and why, on request.
 */
import { signal } from "@preact/signals"
import { explain } from "../../session/actions/Explanations.ts"
import { faultOf } from "../../session/stops/Fault.ts"
import type { SessionView } from "../../session/SessionView.ts"
import { fileName, unreadableWords } from "../../session/words/StopWords.ts"
import { Icon } from "../parts/Icons.tsx"
import { usePage, useView } from "../parts/PageContext.ts"
import { Button } from "../parts/Parts.tsx"

/** Returns the report of a stop at which the program failed; undefined for another one. */
export const useFailure = () => {
  const report = useView().report.value
  return report === undefined ||
    (report.exception === undefined && report.reason !== "signal" && report.reason !== "sanitizer")
    ? undefined
    : report
}

/** The stop that was explained last. It stays known when the card moves below its line. */
const explained = signal<
  { readonly view: SessionView; readonly stop: number; readonly lines?: ReadonlyArray<string> } | undefined
>(undefined)

/** Returns the explanation of the shown stop, if it was asked for. */
const explanationOf = (view: SessionView) =>
  explained.value?.view === view && explained.value.stop === view.reportStop.value ? explained.value : undefined

/** Why the program failed, once it is asked for. */
const Explanation = () => {
  const page = usePage()
  const view = useView()
  const stop = view.reportStop.value
  const known = explanationOf(view)
  const lines = known?.lines
  const asking = known !== undefined && lines === undefined
  const obstacle = unreadableWords(view.session.snapshot.value)
  const ask = async () => {
    explained.value = { view, stop }
    const found = await explain(page, view)
    if (explained.value?.view !== view || explained.value.stop !== stop) return
    explained.value = found === undefined ? undefined : { view, stop, lines: found }
  }
  if (lines === undefined) {
    return (
      <p class="cardButtons">
        <Button
          label={asking ? "Explaining…" : "Explain"}
          obstacle={obstacle}
          onClick={() => {
            if (obstacle !== undefined) page.say({ text: obstacle, tone: "plain" })
            else if (!asking) void ask()
          }}
        />
      </p>
    )
  }
  return (
    <ul class="explanation" aria-label="Explanation">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  )
}

/** Draws the card at a stop where the program failed; nothing at another stop. */
export const FailureCard = () => {
  const view = useView()
  const report = useFailure()
  if (report === undefined) return null
  const { exception, signal } = report
  const looked = view.past.value
  const { events, snapshot } = view.session
  const { address, cause } = faultOf(snapshot.value, events.value, view.reportStop.value)
  const place = exception?.thrown_at
  const facts = [
    address === undefined ? undefined : `Fault address ${address}.`,
    // The explanation says it too.
    (explanationOf(view)?.lines === undefined || looked ? report.explain : undefined)
      ?.replace(/^the /, "The ")
      .replace(/(?<![.!?])$/, "."),
    // Once the program runs again it receives the signal.
    report.reason !== "signal" || !view.live.value
      ? undefined
      : view.session.snapshot.value.core === true
        ? "This is a core file."
        : "The program has not received the signal yet.",
    place === undefined || signal !== undefined ? undefined : `Thrown at ${fileName(place.file ?? "?")}:${place.line}.`
  ].filter((fact) => fact !== undefined)
  // A signal that means something else, such as a failed assertion, has a description of its own.
  const message =
    signal === undefined ? exception?.message : report.reason === "signal" ? cause : (cause ?? report.description)
  return (
    <div class="failure" role="note">
      <p class="failureTitle">
        <Icon name="warn" />
        <strong>{signal ?? exception?.type ?? exception?.id ?? report.raw_reason}</strong>
        {message === undefined ? null : <span title={message}>{message}</span>}
      </p>
      {facts.length === 0 ? null : <p class="facts">{facts.join(" ")}</p>}
      {looked ? null : <Explanation key={view.reportStop.value} />}
    </div>
  )
}
