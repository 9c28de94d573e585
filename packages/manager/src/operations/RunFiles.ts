/**
 * Writes the runs of one call to files: as JSON lines, and as JUnit XML.
 */
import { Errors, Hint, type RunReport } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"

const escaped = (text: string): string =>
  text
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD]/g, "?")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll('"', "&quot;")

/** Returns the runs as JUnit XML. */
const junit = (program: string, { records = [], signatures }: RunReport.RunSummary): string => {
  const name = escaped(program.slice(program.lastIndexOf("/") + 1))
  const failed = records.filter(({ signature }) => signature !== undefined).length
  const cases = records.map(({ ms, n, signature }) => {
    const head = `  <testcase classname="${name}" name="run ${n}" time="${(ms / 1000).toFixed(3)}"`
    const found = signatures.find(({ id }) => id === signature)
    if (found === undefined) return `${head}/>`
    return `${head}><failure message="${escaped([found.reason, ...found.frames].join(" "))}"/></testcase>`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="${name}" tests="${records.length}" failures="${failed}">\n${cases.join("\n")}\n</testsuite>\n`
}

/** Returns the runs and then the report, each as a line of JSON. */
const lines = ({ stops: _, run, ...stop }: RunReport.RunReport): string => {
  const { records = [], ...summary } = run ?? { records: [] }
  const report = {
    type: "report",
    ...summary,
    ...(stop.event === "stopped" ? { stop } : { exit_code: stop.exit_code })
  }
  return [...records.map((record) => ({ type: "run", ...record })), report]
    .map((one) => `${JSON.stringify(one)}\n`)
    .join("")
}

/** Where the files are. */
export interface Files {
  readonly report?: string
  readonly junit?: string
  readonly directory?: string
}

/** Writes the files that the caller asked for. */
export const write = Effect.fnUntraced(function* (
  data: RunReport.RunReport,
  program: string,
  files: Files,
  { fs, path }: { readonly fs: FileSystem.FileSystem; readonly path: Path.Path }
) {
  const file = (name: string | undefined, text: () => string) => {
    if (name === undefined) return Effect.void
    const whole = path.resolve(files.directory ?? ".", name)
    return fs.writeFileString(whole, text()).pipe(
      Effect.mapError(
        ({ message }) =>
          new Errors.Usage({
            problem: `${whole} was not written: ${message}`,
            near: [],
            remedies: [Hint.help("run")]
          })
      )
    )
  }
  yield* file(files.report, () => lines(data))
  yield* file(files.junit, () => (data.run === undefined ? "" : junit(program, data.run)))
})
