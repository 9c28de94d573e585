/**
 * Writes the runs of one call to files: as JSON lines, and as JUnit XML.
 */
import { type Answer, Hint, type Operations, RunReport } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as FileWriter from "../../model/FileWriter.ts"
import * as Policy from "../../model/permissions/Policy.ts"
import type { Secrets } from "../../model/secrets/Secrets.ts"

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
const lines = (data: RunReport.RunReport): string =>
  [...(data.run?.records ?? []).map(RunReport.runLine), RunReport.reportLine(data)]
    .map((one) => `${JSON.stringify(one)}\n`)
    .join("")

/** The files of a payload of `run`. */
type Files = Pick<Operations.Payload<"run">, "directory" | "force" | "junit" | "report">

const options = ({ force }: Files): FileWriter.Options => ({
  force,
  retry: Hint.again("run", { force: true }, "to replace it")
})

const wholePaths = ({ directory = ".", junit: xml, report }: Files, { path }: FileWriter.Machine) =>
  [report, xml].map((file) => (file === undefined ? undefined : path.resolve(directory, file)))

/** Fails before the first run if a file cannot be written, or may not be by the policy. */
export const check = Effect.fnUntraced(function* (files: Files, policy: Policy.Policy, machine: FileWriter.Machine) {
  for (const file of wholePaths(files, machine)) {
    if (file === undefined) continue
    yield* Policy.checkFiles(policy, [file], machine)
    yield* FileWriter.check(file, options(files), machine)
  }
})

/** Writes the files that the caller asked for. Returns a warning for each that could not be written. */
export const write = Effect.fnUntraced(function* (
  data: RunReport.RunReport,
  program: string,
  files: Files,
  secrets: Secrets,
  machine: FileWriter.Machine
) {
  const [report, xml] = wholePaths(files, machine)
  const file = (whole: string | undefined, text: () => string) =>
    whole === undefined
      ? Effect.succeed([])
      : FileWriter.write(whole, secrets.inText(text()), options(files), machine).pipe(
          Effect.match({
            onSuccess: () => [],
            onFailure: (error): ReadonlyArray<Answer.Warning> => [
              { code: "NOT_WRITTEN", message: error.message, hints: error.hints }
            ]
          })
        )
  return [
    ...(yield* file(report, () => lines(data))),
    ...(yield* file(xml, () => (data.run === undefined ? "" : junit(program, data.run))))
  ]
})
