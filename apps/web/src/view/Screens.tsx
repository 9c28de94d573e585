/**
 * The screens without a session: the list of sessions, the first run, and a page that has no token.
 */
import type { ComponentChildren } from "preact"
import type { Missing } from "../connection/Credentials.ts"
import type { Session } from "../session/Session.ts"
import { chipOf, endOf, fileName, isAlive, reasonOf } from "../session/StopWords.ts"
import { Mark } from "./Header.tsx"
import { usePage } from "./PageContext.ts"

const placeWords = ({ snapshot }: Session): string => {
  const { state, stopped } = snapshot.value
  if (!isAlive(snapshot.value)) return endOf(snapshot.value)
  return state === "stopped" && stopped !== undefined ? reasonOf(stopped) : state
}

/** The sessions as rows. */
export const SessionRows = ({ onChoose }: { readonly onChoose: () => void }) => {
  const page = usePage()
  return (
    <ul class="sessionRows">
      {[...page.sessions.value.values()].map((session) => {
        const { pid, program } = session.snapshot.value
        const chip = chipOf(session.snapshot.value, { connected: true, past: false, silent: false })
        return (
          <li key={session.name}>
            <button
              type="button"
              class="row session"
              onClick={() => {
                page.chosen.value = session.name
                onChoose()
              }}
            >
              <strong>{session.name}</strong>
              <span class="facts">
                {program === undefined ? "" : fileName(program)}
                {pid === undefined ? "" : ` · pid ${pid}`}
              </span>
              <span class={`chip ${chip.toLowerCase()}`}>{chip}</span>
              <span class="where">{placeWords(session)}</span>
            </button>
          </li>
        )
      })}
    </ul>
  )
}

const Screen = ({ children, title }: { readonly title: string; readonly children: ComponentChildren }) => (
  <div class="screen">
    <header class="header">
      <Mark />
    </header>
    <main>
      <h2>{title}</h2>
      {children}
    </main>
  </div>
)

/** The list of sessions, or the first run. */
export const SessionsScreen = () => {
  const page = usePage()
  if (page.refused.value) return <MissingScreen missing="used" />
  if (!page.ready.value) {
    const lost = page.connection.value.state === "lost"
    return (
      <Screen title={lost ? "Not connected" : "Connecting"}>
        <p>{lost ? "The server does not answer. Trying again." : ""}</p>
      </Screen>
    )
  }
  if (page.sessions.value.size === 0) {
    return (
      <Screen title="No program is being debugged">
        <p>Start one in a terminal, or ask your agent to. It opens here by itself.</p>
        <pre class="sunken">sigtrap start ./app --break main</pre>
      </Screen>
    )
  }
  return (
    <Screen title="Sessions">
      <SessionRows onChoose={() => {}} />
    </Screen>
  )
}

/** The page without a token. */
export const MissingScreen = ({ missing }: { readonly missing: Missing }) => (
  <Screen title={missing === "used" ? "This link was used already." : "This page needs a link."}>
    <p>
      Run <code>sigtrap web</code> for a new one.
    </p>
  </Screen>
)
