/**
 * READMEs of packages as they are published. Their links lead to files of the repository, which a tarball does not have, so they are
 * replaced by addresses: of the site, which has the documents, or of the repository's page.
 */
import { posix } from "node:path"
import * as Pages from "../site/Pages.ts"
import * as MarkdownLinks from "../src/markdownLinks.ts"

/** Addresses without a slash at the end; absent if they are not known. */
export interface Places {
  /** The site that `npm run docs` builds. */
  readonly site?: string
  /** The page of the repository's files, such as `https://HOST/OWNER/NAME/blob/v1.2.3`. */
  readonly files?: string
}

/** Returns the address of a file of the repository; undefined if none is known. */
const addressOf = (path: string, { files, site }: Places): string | undefined => {
  const page = Pages.pageOf(path)
  if (site !== undefined && page !== undefined) return `${site}/${Pages.addressOf(page)}`
  return files === undefined ? undefined : `${files}/${path}`
}

/**
 * Returns the README of the package in a folder of the repository with addresses for its relative links. Without an address the path
 * of the file in the repository is named.
 */
export const published = (text: string, directory: string, places: Places): string =>
  MarkdownLinks.replaced(text, ({ label, target }) => {
    if (MarkdownLinks.isAddress(target) || target.startsWith("#")) return `[${label}](${target})`
    const [file = "", anchor] = target.split("#")
    const path = posix.normalize(posix.join(directory, file))
    const address = addressOf(path, places)
    const end = anchor === undefined ? "" : `#${anchor}`
    if (address !== undefined) return `[${label}](${address}${end})`
    const names = [path, path.replace(/\/README\.md$/, "")].flatMap((name) => [name, `\`${name}\``])
    return names.includes(label) ? `${label} in the repository` : `${label} (${path} in the repository)`
  })
