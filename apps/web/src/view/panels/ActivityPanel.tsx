/**
 * Activity: who did what, newest below. It stays at its end unless it was scrolled up.
 */
import { useSignal } from "@preact/signals"
import { useMemo } from "preact/hooks"
import {
  actorFilters,
  kindFilters,
  leftOut,
  passing,
  shownActors,
  toggleKind
} from "../../session/activity/ActivityKinds.ts"
import { activityRows, type Row } from "../../session/activity/ActivityRows.ts"
import { timeOf } from "../../session/words/StopWords.ts"
import { AskCard } from "./AskCard.tsx"
import { usePage, useView } from "../parts/PageContext.ts"
import { Icon } from "../parts/Icons.tsx"
import { Button, Shape, VirtualRows } from "../parts/Parts.tsx"
import { Popover } from "../parts/Popover.tsx"
import { useCoarse, usePhone } from "../layout/WindowWidths.ts"

const ActivityRow = ({ row }: { readonly row: Row }) => {
  const view = useView()
  const { stop: now } = view.session.snapshot.value
  const looked = view.looked.value
  const tone =
    row.refused === true || row.failed === true
      ? " refused"
      : row.stop !== undefined && row.stop === looked
        ? " looked"
        : row.stop !== undefined && row.stop === now && view.session.snapshot.value.state === "stopped"
          ? " now"
          : ""
  const before = row.codeLast === true || row.subjects !== undefined || row.kind === "output"
  const code =
    row.code === undefined ? (
      row.subjects?.map(({ code: name, text }, at) => [
        at === 0 ? "" : ", ",
        name === "" ? "" : <code>{name}</code>,
        text
      ])
    ) : (
      <code>{row.code}</code>
    )
  // What follows the verdict, such as who drives, has no colour.
  const [verdict = "", ...reason] = row.text.split(/(?= · )/)
  const isVerdict = row.refused === true && row.kind === "change"
  const after = isVerdict
    ? [<span class="verdict">{verdict}</span>, reason.length === 0 ? null : <span class="reason">{reason}</span>]
    : row.text
  return (
    <button
      type="button"
      class={`row activity${tone}`}
      tabIndex={-1}
      onClick={() => (row.stop === undefined ? undefined : void view.look(row.stop))}
    >
      <time>
        <span class="hour">{timeOf(row.time).slice(0, 3)}</span>
        {timeOf(row.time).slice(3)}
      </time>
      <Shape who={row.who} />
      <span class={`actor ${row.who}${row.actor === row.who ? " general" : ""}`} title={row.actor}>
        {row.actor}
      </span>
      <span class={`what${isVerdict ? " judged" : ""}`} title={row.refused === true ? row.text : undefined}>
        {before ? `${row.text} ` : null}
        {code}
        {before ? (row.rest === undefined ? null : ` ${row.rest}`) : [" ", after]}
      </span>
      <span class="seq">{row.seq}</span>
    </button>
  )
}

/** Chooses the kinds of rows that are shown. */
const Kinds = () => {
  const open = useSignal(false)
  const some = leftOut.value.size > 0
  return (
    <span class="kinds">
      <Button
        label={some ? `Kinds of rows, ${leftOut.value.size} hidden` : "Kinds of rows"}
        icon="filter"
        iconOnly
        kind="bare"
        className={`kindsButton${some ? " active" : ""}`}
        onClick={() => (open.value = !open.value)}
      />
      {open.value ? (
        <Popover label="Kinds of rows" className="kindsMenu" anchor=".kindsButton" onClose={() => (open.value = false)}>
          {kindFilters.map(({ label }) => (
            <label key={label}>
              <input type="checkbox" checked={!leftOut.value.has(label)} onChange={() => toggleKind(label)} />
              {label}
            </label>
          ))}
        </Popover>
      ) : null}
    </span>
  )
}

/** The activity of the session. */
export const ActivityPanel = () => {
  const page = usePage()
  const view = useView()
  const up = useSignal(false)
  const seen = useSignal(0)
  const toEnd = useSignal(0)
  const [coarse, phone] = [useCoarse(), usePhone()]
  const { events, gone, writes } = view.session
  const stops = view.stopsByNumber.value
  const own = page.credentials.actor.id
  const all = useMemo(
    () => activityRows(events.value, writes.value, stops, own),
    [events.value, writes.value, stops, own]
  )
  const rows = useMemo(() => passing(all, shownActors.value, leftOut.value), [all, shownActors.value, leftOut.value])
  return (
    <section class="panel" id="activity" aria-label="Activity" tabIndex={-1}>
      <header class="panelHead">
        <h2>Activity</h2>
        <span class="note">{gone.value === 0 ? "" : `${gone.value.toLocaleString("en")} older events are gone`}</span>
        <span class="tools">
          <label class="select">
            <span class="hiddenName">Show the activity of</span>
            <select
              value={shownActors.value}
              onChange={(event) =>
                (shownActors.value = actorFilters.find((one) => one === event.currentTarget.value) ?? "Everyone")
              }
            >
              {actorFilters.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
            <Icon name="down" />
          </label>
          <Kinds />
        </span>
      </header>
      <div class="rowsBox">
        {rows.length > 0 ? null : (
          <p class="empty">{all.length === 0 ? "Nothing has happened yet." : "The filter hides every row."}</p>
        )}
        <VirtualRows
          atEnd
          roving
          count={rows.length}
          height={coarse ? 32 : 24}
          label="Activity"
          role="log"
          onScrolledUp={(isUp) => {
            if (isUp !== up.value) seen.value = rows.length
            up.value = isUp
          }}
          toEnd={toEnd.value}
          render={(index) => {
            const row = rows[index]
            return row === undefined ? null : <ActivityRow key={row.seq} row={row} />
          }}
        />
        {up.value && rows.length > seen.value ? (
          <button type="button" class="toEnd" onClick={() => (toEnd.value += 1)}>
            {rows.length - seen.value} new · go to the end
          </button>
        ) : null}
      </div>
      {phone ? null : <AskCard />}
    </section>
  )
}
