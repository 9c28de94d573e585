/**
 * The page: the screen of the shown session, or one of the screens without a session.
 */
import { effect } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { Page } from "../session/Page.ts"
import { density, theme } from "../session/Preferences.ts"
import { Overlays } from "./overlays/Overlays.tsx"
import { PageContext, ViewContext } from "./parts/PageContext.ts"
import { SessionsScreen } from "./Screens.tsx"
import { SessionScreen } from "./SessionScreen.tsx"
import { endWritten, noteWritten, onKey } from "./Shortcuts.ts"

/** Draws the page: a screen, and what opens over it. */
export const App = ({ page }: { readonly page: Page }) => {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => onKey(page, event)
    document.addEventListener("keydown", noteWritten, true)
    document.addEventListener("pointerdown", endWritten, true)
    document.addEventListener("keydown", onKeyDown)
    const end = effect(() => {
      const name = theme.value.toLowerCase()
      if (name === "system") document.documentElement.removeAttribute("data-theme")
      else document.documentElement.dataset["theme"] = name
      document.documentElement.dataset["density"] = density.value.toLowerCase()
    })
    const onTitle = effect(() => {
      const session = page.view.value?.session
      document.title = session === undefined ? "sigtrap" : `${session.name} ${session.snapshot.value.state} · sigtrap`
    })
    return () => {
      document.removeEventListener("keydown", noteWritten, true)
      document.removeEventListener("pointerdown", endWritten, true)
      document.removeEventListener("keydown", onKeyDown)
      end()
      onTitle()
    }
  }, [page])
  const view = page.view.value
  return (
    <PageContext.Provider value={page}>
      {view === undefined || page.refused.value ? (
        <SessionsScreen />
      ) : (
        <ViewContext.Provider value={view} key={view.session.name}>
          <SessionScreen />
        </ViewContext.Provider>
      )}
      <Overlays />
    </PageContext.Provider>
  )
}
