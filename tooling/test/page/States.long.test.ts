// Every state of the pictures in a real browser: axe-core finds nothing in it, light and dark, and it has only the page's own sizes
// and colours.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import axe from "axe-core"
import type { Page } from "playwright-core"
import * as Stage from "../../pictures/Stage.ts"
import type { State } from "../../pictures/StateSteps.ts"
import { states } from "../../pictures/states.ts"
import { isPresent } from "../support/tools.ts"
import * as Chromium from "./browser.ts"
import { unusualStyles } from "./styles.ts"

/** What a state has that it must not have. */
const faultsOf = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(axe.source)
  const found = String(
    await page.evaluate(
      "axe.run(document).then((result) => result.violations.map((one) => one.id + ': ' + one.nodes.map(({ html }) => html.slice(0, 160)).join(' | ')).join('\\n'))"
    )
  )
  const width = Number(await page.evaluate("document.documentElement.scrollWidth - innerWidth"))
  return [
    ...found.split("\n").filter((line) => line !== ""),
    ...(width > 0 ? [`scrolls ${width} pixels sideways`] : [])
  ]
}

const check = async (stage: Stage.Stage, state: State): Promise<ReadonlyArray<string>> => {
  state.prepare(stage)
  const faults: Array<string> = []
  const opened: Array<Page> = []
  for (const { height, width } of state.formats ?? [{ width: 1280, height: 800 }]) {
    const page = await stage.open({ width, height }, state.session, { ...state.options, bypassCSP: true }, state.allow)
    opened.push(page)
    await state.show?.(page, stage)
  }
  state.after?.(stage)
  for (const page of opened) {
    await state.afterFault?.(page)
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme })
      const styles = state.name.startsWith("forced") ? [] : await Effect.runPromise(unusualStyles(page))
      faults.push(...[...(await faultsOf(page)), ...styles].map((fault) => `${state.name}, ${colorScheme}: ${fault}`))
    }
  }
  await stage.closePages()
  stage.endDaemon()
  return faults
}

describe.runIf(isPresent(Chromium.program, {}))("the states of the page", () => {
  it.live(
    "have no fault that axe-core finds, and only the page's sizes and colours",
    () =>
      Effect.gen(function* () {
        const stage = yield* Effect.acquireRelease(
          Effect.promise(() => Stage.make()),
          (made) => Effect.promise(() => made.close())
        )
        const faults: Array<string> = []
        // A grey picture has the elements of the coloured one.
        for (const state of states.filter(({ name }) => !name.startsWith("grey-")))
          faults.push(...(yield* Effect.promise(() => check(stage, state))))
        assert.strictEqual(faults.join("\n"), "")
      }).pipe(Effect.scoped),
    900_000
  )
})
