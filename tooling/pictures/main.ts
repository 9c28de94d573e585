// `npm run pictures [-- --only NAME,NAME] [--widths 360,768,1280,1920]`: draws the states of the page with real sessions into
// `.artifacts/page/NAME-WIDTH-THEME.png`, with a contact sheet, and two of them into `docs/pictures/`. Needs Debian's
// `chromium`, `fonts-inter` and `fonts-jetbrains-mono`.
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import type { Page } from "playwright-core"
import * as Stage from "./Stage.ts"
import type { State } from "./StateSteps.ts"
import { states } from "./states.ts"

const { values } = parseArgs({
  options: { only: { type: "string" }, widths: { type: "string", default: "360,768,1280,1920" } }
})
const root = fileURLToPath(new URL("../..", import.meta.url))
const folder = join(root, ".artifacts/page")
const heights = new Map([
  [360, 760],
  [768, 1024],
  [1280, 800],
  [1920, 1080]
])

/** The pictures of the guide, by the state and the format they show. */
const shown = [
  { from: "stopped-1280-light", to: "agent-drives.png" },
  { from: "past-stop-1280-dark", to: "past-stop.png" }
]

const themes = ["light", "dark"] as const
const formats: ReadonlyArray<Stage.Format> = values.widths
  .split(",")
  .map(Number)
  .map((width) => ({ width, height: heights.get(width) ?? 800 }))

/** Takes the picture of a page. */
const picture = async (name: string, page: Page) => {
  // Fonts and the last answer.
  await page.waitForTimeout(150)
  await page.screenshot({ path: join(folder, `${name}.png`) })
}

/** Takes the focus from the source, which the keys of a state needed. */
const withoutFocus = (page: Page) =>
  page.evaluate("document.activeElement?.matches('.lines') && document.activeElement.blur()")

/** Takes a step into a state, and says when it is not possible. */
const attempt = async (name: string, step: () => Promise<void> | undefined) => {
  try {
    await step()
  } catch (error) {
    process.stdout.write(`${name}: ${String(error).split("\n")[0]}\n`)
  }
}

/** Draws a state in all formats; returns the names of the pictures. */
const draw = async (stage: Stage.Stage, state: State): Promise<ReadonlyArray<string>> => {
  state.prepare(stage)
  const opened: Array<{ readonly name: string; readonly page: Page }> = []
  const take = async (name: string, page: Page) => {
    await withoutFocus(page)
    for (const colorScheme of themes) {
      await page.emulateMedia({ colorScheme })
      await picture(`${name}-${colorScheme}`, page)
    }
  }
  for (const format of state.formats ?? formats) {
    const page = await stage.open(format, state.session, state.options, state.allow)
    await attempt(`${state.name}-${format.width}`, () => state.show?.(page, stage))
    const name = `${state.name}-${format.width}`
    opened.push({ name, page })
    if (state.after === undefined) await take(name, page)
  }
  if (state.after !== undefined) {
    state.after(stage)
    for (const { name, page } of opened) {
      await attempt(name, () => state.afterFault?.(page))
      await take(name, page)
    }
  }
  await stage.closePages()
  stage.endDaemon()
  return opened.flatMap(({ name }) => themes.map((theme) => `${name}-${theme}`))
}

/** A page with all pictures, small. */
const sheet = (names: ReadonlyArray<string>): string =>
  `<!doctype html><meta charset="utf-8"><title>Pictures of the page</title>
<p>Each picture shows a session of a real debugger or a real fault. None shows a recorded stream.</p>
<style>p{grid-column:1/-1;margin:0}body{font:13px system-ui;display:grid;grid-template-columns:repeat(4,1fr);gap:12px}img{width:100%;border:1px solid #888}figure{margin:0}</style>
${names.map((name) => `<figure><a href="${name}.png"><img src="${name}.png" alt=""></a><figcaption>${name}</figcaption></figure>`).join("\n")}
`

mkdirSync(folder, { recursive: true })
const only = values.only?.split(",")
const stage = await Stage.make()
const drawn: Array<string> = []
try {
  for (const state of states) {
    if (only !== undefined && !only.includes(state.name)) continue
    drawn.push(...(await draw(stage, state)))
    process.stdout.write(`${state.name}\n`)
  }
} finally {
  await stage.close()
}
writeFileSync(join(folder, "sheet.html"), sheet(drawn))
mkdirSync(join(root, "docs/pictures"), { recursive: true })
for (const { from, to } of shown) {
  if (drawn.includes(from)) copyFileSync(join(folder, `${from}.png`), join(root, "docs/pictures", to))
}
