/**
 * Tests in a report in the form of JUnit, as Bun and Deno write it.
 */
import type { Context, FailedTest } from "./Runner.ts"
import { failedTest, lineIn } from "./NodeTest.ts"

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" }

const decoded = (text: string): string =>
  text.replaceAll(/&(?:#x([0-9a-fA-F]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));/g, (whole, hex, decimal, name) => {
    if (typeof name === "string") return entities[name] ?? whole
    const code = typeof hex === "string" ? Number.parseInt(hex, 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })

const attributesOf = (element: string) =>
  new Map(
    [...element.matchAll(/ ([\w-]+)="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, decoded(value)] as const)
  )

/** A test of a report, with the line where it failed, or else where it begins. */
export interface ReportedTest extends FailedTest {
  readonly failed: boolean
}

/** Returns the path of a file: Deno names it by its address, or relative to the directory. */
const pathOf = (file: string | undefined, { directory, path }: Pick<Context, "directory" | "path">) => {
  if (file === undefined) return undefined
  return path.resolve(directory, file.startsWith("file://") ? decodeURIComponent(file.slice("file://".length)) : file)
}

/** Returns the tests. Deno has the file in `classname`, Bun in `file`. */
export const tests = (xml: string, context: Pick<Context, "directory" | "path">): ReadonlyArray<ReportedTest> =>
  [...xml.matchAll(/<testcase\b([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g)].flatMap(([, head = "", body = ""]) => {
    const attributes = attributesOf(head)
    const name = attributes.get("name")
    const owner = attributes.get("classname")
    const own = attributes.get("file")
    const file = pathOf(own ?? (/^(?:\.{1,2}\/|file:)/.test(owner ?? "") ? owner : undefined), context)
    const line = Number(attributes.get("line"))
    // Bun names the innermost suite first.
    const suite = own === undefined || !owner ? "" : `${owner.split(" > ").toReversed().join(" ")} `
    if (name === undefined) return []
    const begins = Number.isInteger(line) && line > 0 ? line : undefined
    const place = failedTest(`${suite}${name}`, file, lineIn(decoded(body), file) ?? begins)
    const [, problem] = /<(?:failure|error)\b([^>]*)>/.exec(body) ?? []
    const [message = ""] =
      attributesOf(problem ?? "")
        .get("message")
        ?.replace(/^Uncaught /, "")
        .split("\n") ?? []
    const test: ReportedTest = { ...place, ...(message === "" ? {} : { message }), failed: problem !== undefined }
    return [test]
  })

/** Returns the name and the place of a test. */
export const placeOf = ({ failed: _, ...place }: ReportedTest): FailedTest => place
