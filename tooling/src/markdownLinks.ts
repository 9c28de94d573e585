/** Links and headings of Markdown documents: for the test of links, for READMEs of packages and for the site. */
import { posix } from "node:path"

/** A link as it is written. */
export interface Link {
  readonly label: string
  /** A path or an address, with the anchor. */
  readonly target: string
}

const fence = /^( *)(```+|~~~+)[^]*?^\1\2 *$/gm

/** Inline code, which is left alone, or a link, whose label may have code. */
const inline = /`+[^`\n]*`+|(?<!!)\[((?:[^[\]`]|`[^`]*`)*)\]\(([^()\s]+)\)/g

/** Replaces the links outside code by the answers of a function. */
export const replaced = (text: string, replace: (link: Link) => string): string => {
  const prose = (part: string) =>
    part.replaceAll(inline, (all: string, label: string | undefined, target: string | undefined) =>
      label === undefined || target === undefined ? all : replace({ label, target })
    )
  let result = ""
  let from = 0
  for (const { 0: block, index } of text.matchAll(fence)) {
    result += prose(text.slice(from, index)) + block
    from = index + block.length
  }
  return result + prose(text.slice(from))
}

/** Returns the links outside code. */
export const of = (text: string): ReadonlyArray<Link> => {
  const all: Array<Link> = []
  replaced(text, (link) => {
    all.push(link)
    return ""
  })
  return all
}

/** Returns whether a target is an address, such as `https://` or `mailto:`. */
export const isAddress = (target: string): boolean => /^[a-z][a-z+.-]*:/.test(target)

/** Returns a link from one page to another. */
export const relative = (from: string, to: string): string => {
  const path = posix.relative(posix.dirname(from), to)
  return path.startsWith(".") ? path : `./${path}`
}

/** Returns the anchors of the headings, as GitHub makes them. */
export const anchors = (text: string): ReadonlySet<string> => {
  const found = new Set<string>()
  for (const [, heading = ""] of text.replaceAll(fence, "").matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const label = replaced(heading, (link) => link.label)
    const anchor = label
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, "")
      .replaceAll(" ", "-")
    let own = anchor
    for (let count = 1; found.has(own); count++) own = `${anchor}-${count}`
    found.add(own)
  }
  return found
}
