/**
 * The screens without a session: the list of sessions, the first run, and a page that has no token.
 */
import type { ComponentChildren } from "preact"
import type { Missing } from "../connection/Credentials.ts"
import { copy } from "../session/actions/Clipboard.ts"
import { chipOf, isAlive } from "../session/words/StopWords.ts"
import { Command } from "./parts/CopyableCommand.tsx"
import { FoundDebuggers } from "./overlays/Debuggers.tsx"
import { HeaderTools, Mark } from "./rows/Header.tsx"
import { NoticeWithoutRow } from "./rows/Notices.tsx"
import { usePage } from "./parts/PageContext.ts"
import { Button } from "./parts/Parts.tsx"
import { SessionRows } from "./overlays/SessionRows.tsx"

/** A screen with the header and the footer of a session. `command` shows the same in a terminal. */
const Screen = ({ children, command }: { readonly command: string; readonly children: ComponentChildren }) => {
  const page = usePage()
  const count = page.sessions.value.size
  return (
    <div class="screen">
      <header class="header">
        <Mark />
        <span class="space" />
        <HeaderTools />
      </header>
      <main>{children}</main>
      <footer class="footer">
        <code class="command">$ {command}</code>
        <Button label="Copy" icon="copy" kind="bare" onClick={() => copy(page, command, "The command")} />
        <span class="space" />
        <span>
          {count} session{count === 1 ? "" : "s"}
        </span>
        <span>{page.version.value === "" ? "" : `sigtrap ${page.version.value}`}</span>
        <button type="button" class="link" onClick={() => (page.overlay.value = "keys")}>
          ? keys
        </button>
      </footer>
      <NoticeWithoutRow />
    </div>
  )
}

/** Starts a program; a page that may not do that says what it needs. */
const StartButton = () => {
  const page = usePage()
  return <Button label="Start a program" icon="plus" onClick={() => (page.overlay.value = "start")} />
}

/** Starts a program; nothing for a page that may not. */
const AllowedStart = () => (usePage().may("admin") ? <StartButton /> : null)

/** The first screen of a page that may see one session only, while that session does not exist. */
const OnlySession = ({ name }: { readonly name: string }) => (
  <Screen command={`sigtrap start ./app --session ${name}`}>
    <div class="firstRun">
      <h2>There is no session {name}</h2>
      <p>This page may see this session only. The session was removed, or has not started yet.</p>
      <h3>Start it: it opens here</h3>
      <Command text={`sigtrap start ./app --session ${name}`} />
      <h3>See other sessions</h3>
      <Command text="sigtrap web" />
      <p class="hint">This command opens a page for all sessions.</p>
      <FoundDebuggers />
    </div>
  </Screen>
)

const FirstRun = () => (
  <Screen command="sigtrap doctor">
    <div class="firstRun">
      <h2>No program is being debugged</h2>
      <p>Start a program in a terminal, or ask your agent to. Its session opens here by itself.</p>
      <h3>Start a program</h3>
      <Command text="sigtrap start ./app --break app.c:14" />
      <p class="hint">C, C++, Rust and Swift built with -g, or a file: app.py, main.go, server.js</p>
      <AllowedStart />
      <h3>Connect an agent</h3>
      <Command text="sigtrap mcp install --client claude-code" />
      <p class="hint">
        Then ask it: “Find out why ./app prints 60 and not 61.5.” You see every step, and take control whenever you
        like.
      </p>
      <h3>Attach to a running program, or open a core file</h3>
      <Command text="sigtrap attach 4242" />
      <Command text="sigtrap core core.4242 --program ./app" />
      <FoundDebuggers />
    </div>
  </Screen>
)

/** Returns how many sessions are in each state: `3 stopped, 1 running`. */
const useSummary = (): string => {
  const counts = new Map<string, number>()
  for (const { snapshot } of usePage().sessions.value.values()) {
    const chip = chipOf(snapshot.value, { connected: true, past: false, silent: false }).toLowerCase()
    counts.set(chip, (counts.get(chip) ?? 0) + 1)
  }
  return [...counts].map(([chip, count]) => `${count} ${chip}`).join(", ")
}

const SessionList = () => {
  const page = usePage()
  const summary = useSummary()
  const confined = page.credentials.session !== undefined
  const ended = [...page.sessions.value.values()].some(({ snapshot }) => !isAlive(snapshot.value))
  return (
    <Screen command="sigtrap sessions">
      <div class="sessionList">
        <div class="listHead">
          <h2>Sessions</h2>
          <p>{summary}</p>
          <span class="listButtons">
            {ended && page.may("control") && !confined ? (
              <Button
                label="Remove ended sessions"
                onClick={() => void page.act("session.prune", {}, "sigtrap session prune")}
              />
            ) : null}
            {confined ? null : <StartButton />}
          </span>
        </div>
        <div class="sessionTable">
          <SessionRows onChoose={() => {}} />
        </div>
        <p class="hint">
          A session opens here by itself when it is the only one. New ones appear in this list as an agent starts them.
        </p>
      </div>
    </Screen>
  )
}

/** The list of sessions, or the first run. */
export const SessionsScreen = () => {
  const page = usePage()
  if (page.refused.value) return <MissingScreen missing="ended" />
  if (!page.ready.value) {
    const lost = page.connection.value.state === "lost"
    return (
      <Plain title={lost ? "Not connected" : "Connecting"}>
        <p>{lost ? "The server does not answer. Trying again." : ""}</p>
      </Plain>
    )
  }
  if (page.sessions.value.size > 0) return <SessionList />
  const { session } = page.credentials
  return session === undefined ? <FirstRun /> : <OnlySession name={session} />
}

const Plain = ({ children, title }: { readonly title: string; readonly children: ComponentChildren }) => (
  <div class="screen">
    <header class="header">
      <Mark />
    </header>
    <main>
      <div class="firstRun">
        <h2>{title}</h2>
        {children}
      </div>
    </main>
  </div>
)

const missingWords = {
  "no-code": "This page needs a link.",
  used: "This link was used already.",
  ended: "This page has no access to the daemon any more."
} as const

/** The page without a token. */
export const MissingScreen = ({ missing }: { readonly missing: Missing | "ended" }) => (
  <Plain title={missingWords[missing]}>
    <p>
      Run <code>sigtrap web</code> for a new one.
    </p>
  </Plain>
)
