// The times of the page in a real Chromium, against its budget: the first paint, the first stop, a step of another client, a long
// file, a large array, much output, and an agent that three pages watch. The ratio is that of the median to the budget.
import { RuntimePath } from "@sigtrap/host"
import { directory } from "@sigtrap/host/testing"
import { Effect } from "effect"
import { execFileSync, spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { chromium, type Page } from "playwright-core"
import { Connection } from "../src/poison/Connection.ts"
import type { Table } from "./Harness.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const rounds = 7

/** A program of 100,000 lines with an array of 10,000 elements, which writes 1 MB after its first stop. */
const large = [
  "#include <stdio.h>",
  "static int squares[10000];",
  ...Array.from({ length: 99_960 }, (_, at) => `/* ${at + 3} */`),
  "int main(void) {",
  "  for (int i = 0; i < 10000; i++) squares[i] = i * i;",
  "  int (*all)[10000] = &squares;",
  "  int total = (*all)[4]; /* first */",
  '  for (int i = 0; i < 16384; i++) printf("%-62d.\\n", i);',
  "  fflush(stdout);",
  "  total += 1; /* second */",
  "  return total == 17 ? 0 : 1;",
  "}"
]
const lineOf = (mark: string) => large.findIndex((line) => line.includes(`/* ${mark} */`)) + 1

const loop = ["int main(void) {", "  volatile unsigned n = 0;", "  for (;;) {", "    n += 1;", "  }", "}"]

/** Notes in the page when a stop is first shown (`shown`, by number, in milliseconds since 1970), and the longest task. */
const notes = `
  globalThis.shown = {}
  globalThis.longest = 0
  new PerformanceObserver((list) => { for (const one of list.getEntries()) globalThis.longest = Math.max(globalThis.longest, one.duration) }).observe({ type: "longtask", buffered: true })
  new MutationObserver(() => {
    // The stop is listed, and its values are there.
    const now = document.querySelector(".pill.now b")?.textContent
    if (now && globalThis.shown[now] === undefined && document.querySelector("#variables .scroll:not(.dim) .row.value"))
      globalThis.shown[now] = Date.now()
    if (document.querySelector(".line.current")) globalThis.lineAt ??= Date.now()
  }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true })
`

const numberIn = async (page: Page, code: string): Promise<number> => Number(await page.evaluate(code))

const median = (values: ReadonlyArray<number>) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** A row of times in milliseconds against a budget. */
const row = (name: string, budget: number, millis: ReadonlyArray<number>) => ({
  name: `${name} (≤ ${budget} ms)`,
  min: Math.min(...millis) * 1000,
  median: median(millis) * 1000,
  p90: Math.max(...millis) * 1000,
  ratio: median(millis) / budget,
  target: 1
})

/** Measures the budget of the page. */
export const run = (): Promise<ReadonlyArray<Table>> =>
  Effect.gen(function* () {
    const folder = yield* directory
    const env = { ...process.env, SIGTRAP_RUNTIME_DIR: join(folder, "run") }
    const sigtrap = (...words: ReadonlyArray<string>): string =>
      spawnSync(process.execPath, [join(root, "apps/cli/dist/sigtrap.js"), ...words], {
        cwd: folder,
        encoding: "utf8",
        env
      }).stdout.trim()
    yield* Effect.addFinalizer(() => Effect.sync(() => sigtrap("daemon", "stop", "--force")))
    for (const [name, lines] of [
      ["large", large],
      ["loop", loop]
    ] as const) {
      writeFileSync(join(folder, `${name}.c`), `${lines.join("\n")}\n`)
      execFileSync("cc", ["-g", "-O0", `${name}.c`, "-o", name], { cwd: folder })
    }
    sigtrap("start", "./loop", "--break", "loop.c:4", "--session", "work")
    const opened = yield* Effect.acquireRelease(
      Effect.promise(() =>
        chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] })
      ),
      (browser) => Effect.promise(() => browser.close())
    )
    const open = async (session: string): Promise<Page> => {
      const context = await opened.newContext({ viewport: { width: 1280, height: 800 } })
      await context.addInitScript(notes)
      const page = await context.newPage()
      await page.goto(sigtrap("web", "--print", "--session", session))
      return page
    }
    const close = (page: Page) => page.context().close()

    const paints: Array<number> = []
    const stops: Array<number> = []
    const steps: Array<number> = []
    const watched: Array<number> = []
    yield* Effect.promise(async () => {
      for (let round = 0; round < rounds; round++) {
        const page = await open("work")
        await page.locator(".pill.now").waitFor()
        paints.push(await numberIn(page, "performance.getEntriesByName('first-contentful-paint')[0].startTime"))
        stops.push(await numberIn(page, "Object.values(globalThis.shown)[0] - performance.timeOrigin"))
        await close(page)
      }
      const pages = [await open("work"), await open("work"), await open("work")]
      for (const page of pages) await page.locator(".pill.now").waitFor()
      const place = RuntimePath.resolve({
        explicit: join(folder, "run"),
        environment: {},
        uid: process.geteuid?.() ?? -1
      })
      if (place._tag !== "Place") throw new Error("no runtime directory")
      const connection = new Connection(place.socket)
      for (let step = 0; step < rounds * 3; step++) {
        const { text } = await connection.run(["--json", "--session", "work", "next"], folder)
        const answered = Date.now()
        const { stop }: { readonly stop: number } = JSON.parse(text)
        const times: Array<number> = []
        for (const page of pages) {
          await page
            .locator(".pill.now b")
            .filter({ hasText: String(stop) })
            .waitFor()
          times.push(Math.max(0, (await numberIn(page, `globalThis.shown["${stop}"]`)) - answered))
        }
        steps.push(times[0] ?? 0)
        watched.push(Math.max(...times))
      }
      connection.close()
      for (const page of pages) await close(page)
    })

    const files: Array<number> = []
    const arrays: Array<number> = []
    const bursts: Array<number> = []
    yield* Effect.promise(async () => {
      for (let round = 0; round < 3; round++) {
        const session = `large${round}`
        sigtrap("start", "./large", "--break", `large.c:${lineOf("first")}`, "--session", session)
        sigtrap("break", `large.c:${lineOf("second")}`, "--session", session)
        const page = await open(session)
        await page.locator(".line.current").waitFor()
        files.push(
          await numberIn(
            page,
            "(() => { const { responseEnd } = performance.getEntriesByType('resource').findLast(({ name }) => name.endsWith('/v1/source')); return Math.max(0, globalThis.lineAt - performance.timeOrigin - responseEnd) })()"
          )
        )
        const begin = Date.now()
        await page.locator(".row.value", { hasText: "all" }).first().locator(".opener").click()
        await page.locator(".row.value", { hasText: "[99]" }).first().waitFor()
        arrays.push(Date.now() - begin)
        await page.getByRole("tab", { name: "Output" }).click()
        await page.evaluate("globalThis.longest = 0")
        await page.keyboard.press("F8")
        await page.locator("#lower .outputLine", { hasText: "16383" }).waitFor()
        bursts.push(await numberIn(page, "globalThis.longest"))
        await close(page)
        sigtrap("stop", "--session", session)
      }
    })
    const table: Table = {
      title: "The page in Chromium, times and their budget",
      rounds,
      rows: [
        row("first paint", 400, paints),
        row("first stop shown", 1000, stops),
        row("a step shown after its answer", 100, steps),
        row("a step on the last of three pages", 300, watched),
        row("100,000 lines shown after their text arrived", 300, files),
        row("first 100 of 10,000 elements", 200, arrays),
        row("longest task while 1 MB of output arrives", 50, bursts)
      ]
    }
    return [table]
  }).pipe(Effect.scoped, Effect.runPromise)
