/**
 * Activity: who did what, newest below. It stays at its end unless it was scrolled up.
 */
import { useSignal } from "@preact/signals"
import { useMemo } from "preact/hooks"
import { activityRows, type Row } from "../session/ActivityRows.ts"
import { timeOf } from "../session/StopWords.ts"
import { AskCard } from "./AskCard.tsx"
import { usePage, useView } from "./PageContext.ts"
import { Icon } from "./Icons.tsx"
import { Shape, VirtualRows } from "./Parts.tsx"
import { useCoarse } from "./Widths.ts"

const filters = ["Everyone", "Agents", "People", "Program"] as const
type Filter = (typeof filters)[number]

const passes = (filter: Filter, { who }: Row): boolean => {
  switch (filter) {
    case "Everyone":
      return true
    case "Agents":
      return who === "agent"
    case "People":
      return who === "you" || who === "person"
    case "Program":
      return who === "program" || who === "debugger"
  }
}

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
  const before = row.kind === "read" || row.kind === "output" || row.text === "evaluated" || row.text === "started"
  const code = row.code === undefined ? null : <code>{row.code}</code>
  return (
    <button
      type="button"
      class={`row activity${tone}`}
      tabIndex={-1}
      onClick={() => (row.stop === undefined ? undefined : void view.look(row.stop))}
    >
      <time>{timeOf(row.time)}</time>
      <Shape who={row.who} />
      <span class={`actor ${row.who}`}>{row.actor}</span>
      <span class="what">
        {before ? `${row.text} ` : null}
        {code}
        {before ? (row.rest === undefined ? null : ` ${row.rest}`) : ` ${row.text}`}
      </span>
      <span class="seq">{row.seq}</span>
    </button>
  )
}

/** The activity of the session. */
export const ActivityPanel = () => {
  const page = usePage()
  const view = useView()
  const filter = useSignal<Filter>("Everyone")
  const up = useSignal(false)
  const seen = useSignal(0)
  const toEnd = useSignal(0)
  const coarse = useCoarse()
  const { events, gone, output } = view.session
  const stops = view.stopsByNumber.value
  const own = page.credentials.actor.id
  const all = useMemo(
    () => activityRows(events.value, output.value, stops, own),
    [events.value, output.value, stops, own]
  )
  const rows = filter.value === "Everyone" ? all : all.filter((row) => passes(filter.value, row))
  return (
    <section class="panel" id="activity" aria-label="Activity">
      <header class="panelHead">
        <h2>Activity</h2>
        <span class="note">{gone.value === 0 ? "" : `${gone.value.toLocaleString("en")} older events are gone`}</span>
        <span class="tools">
          <label class="select">
            <span class="hiddenName">Show the activity of</span>
            <select
              value={filter.value}
              onChange={(event) =>
                (filter.value = filters.find((one) => one === event.currentTarget.value) ?? "Everyone")
              }
            >
              {filters.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
            <Icon name="down" />
          </label>
        </span>
      </header>
      {rows.length === 0 ? <p class="empty">Nothing has happened yet.</p> : null}
      <VirtualRows
        atEnd
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
      <AskCard />
    </section>
  )
}
