/** Which documents of the repository are pages of the site, and how their links are written there. */
import { posix } from "node:path"
import * as MarkdownLinks from "../src/markdownLinks.ts"

/** Documents at the root that are pages. */
const root = /^(ARCHITECTURE|SECURITY|CONTRIBUTING|AGENTS)\.md$/

/** Returns the page of a document, as a path of the site's sources; undefined if it is none. */
export const pageOf = (path: string): string | undefined => {
  const own = root.exec(path)?.[1]
  if (own !== undefined) return `project/${own.toLowerCase()}.md`
  if (path === "README.md") return "index.md"
  if (path === "examples/README.md") return "examples.md"
  const [, workspace] = /^(?:packages|apps)\/(\w+)\/README\.md$/.exec(path) ?? []
  if (workspace !== undefined) return `packages/${workspace}.md`
  const [, document] = /^docs\/(.*\.md)$/.exec(path) ?? []
  return document?.replace(/(?:^|(?<=\/))README\.md$/, "index.md")
}

/** Returns the address of a page below the site's own: `guide/start`, `guide/`. */
export const addressOf = (page: string): string => page.replace(/\.md$/, "").replace(/(?:^|(?<=\/))index$/, "")

/**
 * Returns the text of a document as a page. A link to another page is relative to it. A link to another file of the repository leads to
 * `files`, the address of the repository's files, or, if that is not known, becomes its label.
 */
export const written = (path: string, text: string, files: string | undefined): string => {
  const from = pageOf(path) ?? path
  return MarkdownLinks.replaced(text, ({ label, target }) => {
    if (MarkdownLinks.isAddress(target) || target.startsWith("#")) return `[${label}](${target})`
    const [file = "", anchor] = target.split("#")
    const found = posix.join(posix.dirname(path), file).replace(/\/$/, "")
    const end = anchor === undefined ? "" : `#${anchor}`
    const page = pageOf(found)
    if (page !== undefined) return `[${label}](${MarkdownLinks.relative(from, page)}${end})`
    return files === undefined ? label : `[${label}](${files}/${found}${end})`
  })
}

/** Returns the first heading of a document. */
export const titleOf = (text: string): string =>
  (/^# +(.+)$/m.exec(text)?.[1] ?? "").replaceAll("`", "").replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
