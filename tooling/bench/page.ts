// The page in a real Chromium, against each line of its budget: what is transferred, the first paint, the first stop, a step of
// another client on one page and on three, a long file, a large array, much output, eight tabs, and the heap. The ratio is that of
// the median to the budget.
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

/** A row of values other than times, against a budget. */
const plain = (name: string, unit: "bytes" | "count" | "MB", budget: number, values: ReadonlyArray<number>) => ({
  name,
  unit,
  min: Math.min(...values),
  median: median(values),
  p90: Math.max(...values),
  limit: budget
})

/** The bytes of the page and its files, as they were transferred. */
const transferred = `[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
  .filter(({ name }) => name.includes("/page/") || new URL(name).pathname === "/")
  .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`

/** Scrolls the values by 24 pixels with each frame, for 90 frames; returns the frames in a second. */
const scrolled = `new Promise((resolve) => {
  const box = document.querySelector("#variables .scroll")
  const begin = performance.now()
  let frames = 0
  const frame = () => {
    box.scrollTop += 24
    frames += 1
    if (frames === 90) resolve(frames / ((performance.now() - begin) / 1000))
    else requestAnimationFrame(frame)
  }
  requestAnimationFrame(frame)
})`

/** Returns the bytes of the heap after a collection, in MB. */
const heapOf = async (page: Page): Promise<number> => {
  const client = await page.context().newCDPSession(page)
  await client.send("HeapProfiler.collectGarbage")
  const { usedSize } = await client.send("Runtime.getHeapUsage")
  await client.detach()
  return usedSize / 1_000_000
}

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

    const bytes: Array<number> = []
    const tabs: Array<number> = []
    const paints: Array<number> = []
    const stops: Array<number> = []
    const steps: Array<number> = []
    const watched: Array<number> = []
    yield* Effect.promise(async () => {
      for (let round = 0; round < rounds; round++) {
        const page = await open("work")
        await page.locator(".pill.now").waitFor()
        paints.push(await numberIn(page, "performance.getEntriesByName('first-contentful-paint')[0].startTime"))
        bytes.push(await numberIn(page, transferred))
        stops.push(await numberIn(page, "Object.values(globalThis.shown)[0] - performance.timeOrigin"))
        await close(page)
      }
      const place = RuntimePath.resolve({
        explicit: join(folder, "run"),
        environment: {},
        uid: process.geteuid?.() ?? -1
      })
      if (place._tag !== "Place") throw new Error("no runtime directory")
      const connection = new Connection(place.socket)
      for (const [count, found] of [
        [1, steps],
        [3, watched]
      ] as const) {
        const pages: Array<Page> = []
        for (let at = 0; at < count; at++) pages.push(await open("work"))
        for (const page of pages) await page.locator("#variables .scroll:not(.dim) .row.value").first().waitFor()
        for (let step = 0; step < rounds * 2; step++) {
          const { text } = await connection.run(["--json", "--session", "work", "next"], folder)
          const answered = Date.now()
          const { stop }: { readonly stop: number } = JSON.parse(text)
          const times: Array<number> = []
          for (const page of pages) {
            const shown = () => numberIn(page, `globalThis.shown["${stop}"] ?? 0`)
            let at = await shown()
            for (; at === 0; at = await shown()) await page.waitForTimeout(20)
            times.push(Math.max(0, at - answered))
          }
          found.push(Math.max(...times))
        }
        for (const page of pages) await close(page)
      }
      connection.close()
      // Eight tabs of one browser share a stream.
      const context = await opened.newContext({ viewport: { width: 1280, height: 800 } })
      let open8 = 0
      for (let tab = 0; tab < 8; tab++) {
        const page = await context.newPage()
        const streams = new Set<unknown>()
        page.on("request", (request) => {
          if (!request.url().endsWith("/v1/stream")) return
          if (streams.size === 0) open8 += 1
          streams.add(request)
        })
        await page.goto(sigtrap("web", "--print", "--session", "work"))
        await page.locator(".pill.now").waitFor()
      }
      tabs.push(open8)
      await context.close()
    })

    const files: Array<number> = []
    const arrays: Array<number> = []
    const bursts: Array<number> = []
    const elements: Array<number> = []
    const frames: Array<number> = []
    const heap: Array<number> = []
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
        for (let shown = 100; shown < 1000; shown += 100) {
          await page.getByRole("button", { name: "Show 100 more" }).click()
          await page.locator(".row.more .note", { hasText: (shown + 100).toLocaleString("en") }).waitFor()
        }
        await page.evaluate("document.querySelector('#variables .scroll').scrollTop = 0")
        frames.push(await numberIn(page, scrolled))
        elements.push(await page.locator("*").count())
        const before = await heapOf(page)
        await page.getByRole("tab", { name: "Output" }).click()
        await page.evaluate("globalThis.longest = 0")
        await page.keyboard.press("F8")
        await page.locator("#lower .outputLine", { hasText: "16383" }).waitFor()
        bursts.push(await numberIn(page, "globalThis.longest"))
        heap.push((await heapOf(page)) - before)
        await close(page)
        sigtrap("stop", "--session", session)
      }
    })
    const table: Table = {
      title: "The page in Chromium, times and their budget",
      rounds,
      rows: [
        plain("transfer, compressed", "bytes", 150_000, bytes),
        row("first paint", 400, paints),
        row("first stop shown", 1000, stops),
        row("a step shown after its answer", 100, steps),
        row("a step on the last of three pages", 300, watched),
        row("100,000 lines shown after their text arrived", 300, files),
        row("first 100 of 10,000 elements", 200, arrays),
        row(
          "a frame while 1,000 elements are scrolled",
          20,
          frames.map((count) => 1000 / count)
        ),
        plain("elements with 100,000 lines and 1,000 values", "count", 5000, elements),
        row("longest task while 1 MB of output arrives, 0 if none is over 50 ms", 50, bursts),
        plain("heap added by 1 MB of output and a stop", "MB", 20, heap),
        plain("streams of eight tabs", "count", 1, tabs)
      ]
    }
    return [table]
  }).pipe(Effect.scoped, Effect.runPromise)
