/**
 * The header: the session, the follow switch, who drives, search and the menu.
 */
import { nameOf } from "../../session/words/ActorWords.ts"
import { driverOf, toggleControl } from "../../session/actions/Actions.ts"
import { canBeDriven } from "../../session/words/StopWords.ts"
import { watchWords } from "../../session/SessionStatus.ts"
import { densities, density, follow, theme, themes } from "../../session/Preferences.ts"
import { fileName } from "../../session/words/StopWords.ts"
import { Icon } from "../parts/Icons.tsx"
import { copyLink, copyReport, linkHint, reportHint } from "../../session/actions/Clipboard.ts"
import { usePage, useView } from "../parts/PageContext.ts"
import { reveal } from "../layout/Panes.ts"
import { Button, Shape } from "../parts/Parts.tsx"
import { Popover } from "../parts/Popover.tsx"
import { useNarrow } from "../layout/WindowWidths.ts"

/** The mark and the name of the product. */
export const Mark = () => (
  <span class="mark">
    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <rect width="16" height="16" rx="4" />
      <path d="M8 4v8M4 8h8" />
    </svg>
    <h1>sigtrap</h1>
  </span>
)

const SessionButton = () => {
  const page = usePage()
  const { session } = useView()
  const { pid, program } = session.snapshot.value
  const file = program === undefined ? undefined : fileName(program)
  // A session that has the name of its program says it once.
  const facts = [file === session.name ? undefined : file, pid === undefined ? undefined : `pid ${pid}`]
  return (
    <button
      type="button"
      class="sessionButton"
      aria-haspopup="dialog"
      title="Show all sessions"
      onClick={() => (page.overlay.value = "sessions")}
    >
      <strong>{session.name}</strong>
      <span class="facts">{facts.filter((fact) => fact !== undefined).join(" · ")}</span>
      <Icon name="down" />
    </button>
  )
}

const FollowSwitch = () => (
  <button
    type="button"
    class="switch"
    role="switch"
    aria-checked={follow.value}
    onClick={() => (follow.value = !follow.value)}
  >
    <span class="track" aria-hidden="true" />
    <span>Follow stops</span>
  </button>
)

/** Who drives, and the button that changes it. */
const LeaseChip = () => {
  const page = usePage()
  const view = useView()
  const driver = driverOf(page, view.session)
  if (!page.connected.value) {
    return (
      <div class="lease none">
        <div class="leaseBox">Not connected</div>
      </div>
    )
  }
  if (!canBeDriven(view.session.snapshot.value)) {
    return (
      <div class="lease none">
        <div class="leaseBox">
          <span>Nothing to drive</span>
          {page.credentials.session === undefined ? (
            <Button label="All sessions" kind="bare" onClick={() => page.showAll()} />
          ) : null}
        </div>
      </div>
    )
  }
  const take = () => void toggleControl(page, view)
  const obstacle = page.may("control") ? undefined : "This page may only observe."
  if (driver === undefined) {
    return (
      <div class="lease none">
        <div class="leaseBox">
          <span>No driver</span>
          <Button label="Take control" icon="hand" kind="bare" obstacle={obstacle} onClick={take} />
        </div>
      </div>
    )
  }
  const drives = driver.who === "you" ? "you drive" : `${nameOf(driver.actor, page.credentials.actor.id)} drives`
  const watches = driver.who === "you" ? watchWords(view.status.clients.value, page.credentials.actor.id) : "you watch"
  const gives = driver.who === "you" && driver.holds
  return (
    <div class={`lease ${driver.who}`}>
      <Shape who={driver.who} />
      <strong key={drives} title={drives}>
        {drives}
      </strong>
      {watches === undefined ? null : (
        <span class="watches" key={drives}>
          {watches}
        </span>
      )}
      <Button
        key={gives ? "give" : "take"}
        label={gives ? "Give back" : "Take control"}
        {...(gives ? {} : { icon: "hand" })}
        kind="bare"
        obstacle={obstacle}
        onClick={take}
      />
    </div>
  )
}

/** Leads to the calls that wait for consent. */
const Requests = () => {
  const count = usePage().requests.value.size
  if (count === 0) return null
  return (
    <button type="button" class="requests" onClick={() => reveal("Activity", "#ask")}>
      {count} request{count === 1 ? "" : "s"}
    </button>
  )
}

/** A choice of few names. */
const Choice = <Name extends string>({
  chosen,
  legend,
  names,
  onChoose
}: {
  readonly legend: string
  readonly names: ReadonlyArray<Name>
  readonly chosen: Name
  readonly onChoose: (name: Name) => void
}) => (
  <fieldset>
    <legend>{legend}</legend>
    {names.map((name) => (
      <label key={name}>
        <input type="radio" name={legend} checked={chosen === name} onChange={() => onChoose(name)} />
        {name}
      </label>
    ))}
  </fieldset>
)

/** The theme, the density, and what else is rarely needed. A narrow window has no room for the switch of following: it is here. */
const Menu = () => {
  const page = usePage()
  const view = page.view.value
  const narrow = useNarrow()
  if (page.overlay.value !== "menu") return null
  const holds = view?.session.snapshot.value.lease?.holder.id === page.credentials.actor.id
  /** Closes the menu, then acts. */
  const then = (act: () => void) => {
    page.overlay.value = undefined
    act()
  }
  return (
    <Popover
      label="Menu"
      className="menu"
      anchor=".menuButton"
      onClose={() => {
        if (page.overlay.value === "menu") page.overlay.value = undefined
      }}
    >
      <Choice legend="Theme" names={themes} chosen={theme.value} onChoose={(name) => (theme.value = name)} />
      <Choice legend="Density" names={densities} chosen={density.value} onChoose={(name) => (density.value = name)} />
      <div class="menuItems">
        {view === undefined ? null : (
          <>
            <Button
              label={holds ? "Give control back" : "Take control"}
              icon="hand"
              kind="quiet"
              keys="t"
              obstacle={page.may("control") ? undefined : "This page may only observe."}
              onClick={() => then(() => void toggleControl(page, view))}
            />
            {narrow ? (
              <Button
                label={follow.value ? "Do not follow stops" : "Follow stops"}
                icon="eye"
                kind="quiet"
                onClick={() => then(() => (follow.value = !follow.value))}
              />
            ) : null}
            <Button
              label="Copy read-only link"
              icon="link"
              kind="quiet"
              hint={linkHint}
              obstacle={page.may("control") ? undefined : "This page may only observe."}
              onClick={() => then(() => void copyLink(page, view))}
            />
            <Button
              label="Copy stop as Markdown"
              icon="copy"
              kind="quiet"
              hint={reportHint}
              obstacle={view.reportStop.value === 0 ? "There is no stop yet." : undefined}
              onClick={() => then(() => void copyReport(page, view))}
            />
          </>
        )}
        <Button label="Keys" icon="list" kind="quiet" keys="?" onClick={() => (page.overlay.value = "keys")} />
      </div>
      <p class="about">sigtrap {page.version.value}</p>
    </Popover>
  )
}

/** Search and the menu, at the right end of every header. */
export const HeaderTools = () => {
  const page = usePage()
  return (
    <>
      <button
        type="button"
        class="searchButton"
        aria-label="Search and actions, Ctrl K"
        onClick={() => (page.overlay.value = "palette")}
      >
        <Icon name="search" />
        <kbd>Ctrl K</kbd>
      </button>
      <Button
        label="Menu"
        icon="menu"
        iconOnly
        kind="quiet"
        className="menuButton"
        onClick={() => (page.overlay.value = page.overlay.value === "menu" ? undefined : "menu")}
      />
      <Menu />
    </>
  )
}

/** The header of a session. */
export const Header = () => (
  <header class="header">
    <Mark />
    <SessionButton />
    <span class="space" />
    <Requests />
    <FollowSwitch />
    <LeaseChip />
    <HeaderTools />
  </header>
)
