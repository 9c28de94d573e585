/**
 * Failed tests in a report in the form of JUnit, as Bun and Deno write it.
 */
import type { FailedTest } from "./Runner.ts"

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

/** Returns the failed tests. Deno has the file in `classname`, Bun in `file`. */
export const failedTests = (xml: string): ReadonlyArray<FailedTest> =>
  [...xml.matchAll(/<testcase\b([^>]*[^/>])>([\s\S]*?)<\/testcase>/g)].flatMap(([, head = "", body = ""]) => {
    if (!/<(?:failure|error)\b/.test(body)) return []
    const attributes = attributesOf(head)
    const name = attributes.get("name")
    const owner = attributes.get("classname")
    const own = attributes.get("file")
    const file = own ?? (owner?.startsWith("./") === true || owner?.startsWith("file:") === true ? owner : undefined)
    const line = Number(attributes.get("line"))
    const suite = own === undefined || owner === undefined || owner === "" ? "" : `${owner} `
    return name === undefined
      ? []
      : [
          {
            name: `${suite}${name}`,
            ...(file === undefined ? {} : { file: file.replace(/^file:\/\//, "") }),
            ...(Number.isInteger(line) && line > 0 ? { line } : {})
          }
        ]
  })
