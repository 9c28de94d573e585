/**
 * What the states of the page that are drawn have in common: what they are made of, and the steps that lead into them.
 */
import type { BrowserContextOptions, Page } from "playwright-core"
import type { Format, Stage } from "./Stage.ts"

/** A state of the page. */
export interface State {
  readonly name: string
  /** Makes the sessions, once for all formats. */
  readonly prepare: (stage: Stage) => void
  /** The session that the page shows; without a name the list of sessions. */
  readonly session?: string
  /** Tiers of the page beside observe and control. */
  readonly allow?: string
  /** Brings an open page into the state. */
  readonly show?: (page: Page, stage: Stage) => Promise<void>
  /** The sizes of the window; all without it. */
  readonly formats?: ReadonlyArray<Format>
  /** Options of the browser for this state. */
  readonly options?: BrowserContextOptions
  /** Causes a fault after all pages are open. */
  readonly after?: (stage: Stage) => void
  /** Brings a page into the state after the fault. */
  readonly afterFault?: (page: Page) => Promise<void>
}

/** The session of the states. */
export const session = "app"
/** The session as words of a command line. */
export const named = ["--session", session] as const

/** Waits for the word of the state, such as `Stopped`. */
export const state = (word: string) => async (page: Page) => {
  await page.locator("#state").filter({ hasText: word }).waitFor()
}

/** Presses keys. */
export const key =
  (...keys: ReadonlyArray<string>) =>
  async (page: Page) => {
    for (const one of keys) await page.keyboard.press(one)
  }

/** Waits until the source is there, and puts the focus into it. */
export const inSource = async (page: Page) => {
  await page.locator(".line.current, .line.past, .line.failed, .line.kept").first().waitFor()
  await page.locator("#source .lines").focus()
}

/** Takes control, unless a page of this person has it. */
export const taken = async (page: Page) => {
  const lease = page.locator(".lease")
  if (!(await lease.innerText()).includes("you drive")) await key("t")(page)
  await lease.filter({ hasText: "you drive" }).waitFor()
}

/** Shows a panel in a narrow window, where one is shown at a time. */
export const panel = async (page: Page, name: "Source" | "Stack" | "Values" | "Activity" | "Console") => {
  const tab = page.locator(".phoneTabs").getByRole("button", { name })
  if (await tab.isVisible()) await tab.click()
}

/** Shows a lower pane; a wide window shows all. */
export const lower = async (page: Page, name: "Console" | "Output" | "Registers" | "Memory" | "Modules") => {
  await panel(page, "Console")
  const tab = page.getByRole("tab", { name }).first()
  if (await tab.isVisible()) await tab.click()
}

/** Returns the process of the program. */
export const pidOf = (stage: Stage): string =>
  /pid (?<pid>\d+)/.exec(stage.person("status", ...named))?.groups?.["pid"] ?? ""

/** An agent looks for the mistake in a sum, and a person helps: five stops, values and a frame that were read, a condition. */
export const hunting = (stage: Stage) => {
  stage.agent("start", "./app", "--break", "app.c:14", ...named)
  for (const command of ["next", "continue", "next", "continue"]) stage.agent(command, ...named)
  stage.agent("print", "items[i].score", "total", ...named)
  stage.agent("locals", "--frame", "1", ...named)
  stage.person("break", "app.c:16", "--if", "total != 61", ...named)
}

/** Opens a value by its name. */
const openValue = async (page: Page, name: string) => {
  const row = page
    .locator(".row.value[aria-level='1']")
    .filter({ has: page.getByText(name, { exact: true }) })
    .first()
  if ((await row.getAttribute("aria-expanded")) === "false") await row.locator(".opener").click()
  await page.locator(".row.value[aria-level='2']").first().waitFor()
}

/** Reads values in the console, watches some, and opens others, as far as the window shows these panels. */
export const dressed = async (page: Page) => {
  await inSource(page)
  await panel(page, "Values")
  await openValue(page, "items")
  if ((page.viewportSize()?.width ?? 0) >= 1024) {
    for (const expression of ["items[i].score", "(int)items[i].score", "items[2].name"]) {
      await page.keyboard.press("Alt+1")
      await page.keyboard.insertText(expression)
      await page.keyboard.press("Enter")
      await page.locator(".entry", { hasText: expression }).locator(".answered").first().waitFor()
    }
    for (const expression of ["items[i].score", "61 - total"]) {
      await page.locator("#watch .tools button").click()
      await page.keyboard.insertText(expression)
      await page.keyboard.press("Enter")
      await page
        .locator(".row.watch .num")
        .nth(expression.startsWith("61") ? 1 : 0)
        .waitFor()
    }
  }
  await panel(page, "Source")
  await page.locator("#source .lines").focus()
}

/** An agent steps through a program and reads two values. */
export const stepping = (stage: Stage) => {
  stage.agent("start", "./collatz", "--break", "collatz.c:12", ...named)
  for (let step = 0; step < 3; step++) stage.agent("next", ...named)
  stage.agent("print", "p->n", "p->peak", ...named)
  stage.agent("continue", ...named)
  stage.agent("next", ...named)
}
