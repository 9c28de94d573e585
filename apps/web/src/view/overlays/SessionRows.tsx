/**
 * The sessions as rows: the program, its state, why and where it stopped, who drives, and since when.
 */
import { useEffect, useState } from "preact/hooks"
import type { PastStop } from "../../connection/Answers.ts"
import { driverOf } from "../../session/actions/Actions.ts"
import type { Session } from "../../session/Session.ts"
import {
  chipOf,
  endOf,
  fileName,
  canBeDriven,
  isAlive,
  placeOf,
  reasonWithHits,
  secondsOf,
  shortFunction
} from "../../session/words/StopWords.ts"
import { Icon } from "../parts/Icons.tsx"
import { usePage } from "../parts/PageContext.ts"
import { Shape } from "../parts/Parts.tsx"
import { chipIcons } from "../rows/RunRow.tsx"
import { useSeconds } from "../parts/Seconds.ts"

/** Returns the newest stop of a session, as it is kept. */
const useNewestStop = (session: Session): PastStop | undefined => {
  const page = usePage()
  const [stop, setStop] = useState<PastStop | undefined>(undefined)
  const { state, stop: number } = session.snapshot.value
  useEffect(() => {
    if (number === 0) return undefined
    const abort = new AbortController()
    void page.calls.call("stops", { session: session.name, limit: 1 }, abort.signal).then((outcome) => {
      if (outcome.ok) setStop(outcome.answer.data.stops.at(-1))
    })
    return () => abort.abort()
  }, [session, number, state])
  return stop
}

/** Returns why a session is in its state, and where. */
const wordsOf = (session: Session, stop: PastStop | undefined, now: number) => {
  const { snapshot, since } = session
  const place = [shortFunction(stop?.location?.function ?? ""), placeOf(stop?.location)]
    .filter((part) => part !== undefined && part !== "")
    .join(" ")
  if (!isAlive(snapshot.value))
    return { why: endOf(snapshot.value), where: place === "" ? "" : `last stop ${placeOf(stop?.location) ?? ""}` }
  const { state, stopped } = snapshot.value
  if (state !== "stopped") return { why: `for ${secondsOf(now - since.value)}`, where: "" }
  const why = stop === undefined ? "" : reasonWithHits(stop)
  const together = stopped?.threads.length ?? 0
  return { why: together > 1 ? `${why.replace(/, .* hit$/, "")} in ${together} threads` : why, where: place }
}

const Row = ({
  now,
  onChoose,
  session
}: {
  readonly session: Session
  readonly now: number
  readonly onChoose: () => void
}) => {
  const page = usePage()
  const { pid, program, stop: count } = session.snapshot.value
  const stop = useNewestStop(session)
  const chip = chipOf(session.snapshot.value, {
    connected: true,
    past: false,
    silent: session.silentSince.value !== undefined
  })
  const { where, why } = wordsOf(session, stop, now)
  const driver = canBeDriven(session.snapshot.value) ? driverOf(page, session) : undefined
  const last = session.events.value.at(-1)?.time
  const ago = last === undefined ? undefined : now - last
  return (
    <li>
      <button
        type="button"
        class="sessionRow"
        onClick={() => {
          page.chosen.value = session.name
          onChoose()
        }}
      >
        <span class="two">
          <strong>{session.name}</strong>
          <span class="facts">
            {program === undefined ? "" : fileName(program)}
            {pid === undefined ? "" : ` · ${pid}`}
          </span>
        </span>
        <span class={`chip ${chip.replace(" ", "").toLowerCase()}`}>
          <Icon name={chipIcons[chip]} />
          {chip}
        </span>
        <span class="two">
          <span class="why">{why}</span>
          <code class="facts">{where}</code>
        </span>
        <span class="drives">
          {driver === undefined ? (
            "No driver"
          ) : (
            <>
              <Shape who={driver.who} />
              <span class={`actor ${driver.who}`}>{driver.who}</span>
              {driver.who === "you" ? "drive" : "drives"}
            </>
          )}
        </span>
        <span class="count">
          {count} stop{count === 1 ? "" : "s"}
        </span>
        <span class="ago">{ago === undefined ? "" : ago < 1000 ? "now" : `${secondsOf(ago)} ago`}</span>
        <Icon name="right" />
      </button>
    </li>
  )
}

/** The sessions as rows. */
export const SessionRows = ({ onChoose }: { readonly onChoose: () => void }) => {
  const page = usePage()
  const now = useSeconds(true)
  return (
    <ul class="sessionRows">
      {[...page.sessions.value.values()].map((session) => (
        <Row key={session.name} session={session} now={now} onChoose={onChoose} />
      ))}
    </ul>
  )
}
