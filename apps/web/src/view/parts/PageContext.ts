/**
 * Gives the state of the page to the views.
 */
import { createContext } from "preact"
import { useContext } from "preact/hooks"
import type { Page } from "../../session/Page.ts"
import type { SessionView } from "../../session/SessionView.ts"

/** The page, below `App`. */
export const PageContext = createContext<Page | undefined>(undefined)

/** The view of the shown session, below `SessionScreen`. */
export const ViewContext = createContext<SessionView | undefined>(undefined)

/** Returns the page. */
export const usePage = (): Page => {
  const page = useContext(PageContext)
  if (page === undefined) throw new Error("no page above this view")
  return page
}

/** Returns the view of the shown session. */
export const useView = (): SessionView => {
  const view = useContext(ViewContext)
  if (view === undefined) throw new Error("no session above this view")
  return view
}
