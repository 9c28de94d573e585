/** What the tests of the page share: waiting for a text, and pressing keys. */
import { Effect } from "effect"
import type { Page } from "playwright-core"

/** Waits until an element has a text. */
export const shows = (page: Page, selector: string, text: string | RegExp) =>
  Effect.promise(() => page.locator(selector).filter({ hasText: text }).first().waitFor({ timeout: 30_000 }))

/** Presses keys one after the other. */
export const press = (page: Page, ...keys: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    for (const key of keys) await page.keyboard.press(key)
  })
