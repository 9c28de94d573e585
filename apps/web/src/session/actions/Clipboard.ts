/**
 * What a person copies: a value, a link for a person who only watches, and a stop as text.
 */
import type { Page } from "../Page.ts"
import type { SessionView } from "../SessionView.ts"

const copied = async (page: Page, text: string, words: string): Promise<void> => {
  try {
    await navigator.clipboard.writeText(text)
    page.say({ text: words, tone: "plain" })
  } catch {
    page.say({ text: `The browser did not allow copying. ${text}`, tone: "refused" })
  }
}

/** Copies a text, and says so: `The value was copied.` */
export const copy = (page: Page, text: string, what: string): void => void copied(page, text, `${what} was copied.`)

/** What a copied link is good for. */
export const linkHint = "Copies a link for one more person, who can watch and change nothing"

/** What a copied report is. */
export const reportHint = "Copies this stop as text: the reason, the stack and the values, for an issue or a chat"

/** Copies a link that shows the session to one more browser, which may only observe. */
export const copyLink = async (page: Page, view: SessionView): Promise<void> => {
  const session = view.session.name
  // A page for one session gives on what its own token names.
  const code = await page.calls.link(page.credentials.session ?? session)
  if (!code.ok) return page.say({ text: code.failure.message, tone: "refused" })
  const link = `${location.origin}/#code=${code.answer.data.code}&session=${encodeURIComponent(session)}`
  await copied(page, link, "A read-only link was copied. It works once, within a minute.")
}

/** Copies the shown stop as Markdown. */
export const copyReport = async (page: Page, view: SessionView): Promise<void> => {
  const session = view.session.name
  const stop = view.reportStop.value
  const outcome = await page.act(
    "report",
    { session, stop: String(stop) },
    `sigtrap report --stop ${stop} --session ${session}`
  )
  if (outcome.ok) await copied(page, outcome.answer.data.markdown, `Stop ${stop} was copied as Markdown.`)
}
