// Changesets (.changeset/*.md) and the changelogs that are made of them. A changeset names packages with their bump, and its text may
// begin with its group: `changed: …`. Without one, what asks for a minor version is added, and a patch is fixed.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** The groups of a changelog, in their order. */
const groups = ["added", "changed", "removed", "fixed"]

/**
 * A changeset: its file's name, the bump of each package, its group and its text.
 * @typedef {{ readonly name: string, readonly bumps: ReadonlyMap<string, string>, readonly group: string, readonly text: string }} Changeset
 */

/**
 * Reads a changeset; throws if it has another form.
 * @type {(name: string, source: string) => Changeset}
 */
export const read = (name, source) => {
  const [, front = "", body = ""] = /^---\n([^]*?)\n---\n([^]*)$/.exec(source) ?? []
  const bumps = new Map(
    front.split("\n").map((line) => {
      const [, subject, bump] = /^"([^"]+)": (major|minor|patch)$/.exec(line) ?? []
      if (subject === undefined || bump === undefined) throw new Error(`${name}: "${line}" is not "PACKAGE": BUMP`)
      return [subject, bump]
    })
  )
  const [, given, text = ""] = new RegExp(`^(?:(${groups.join("|")}): )?([^]*)$`).exec(body.trim()) ?? []
  if (text === "") throw new Error(`${name}: it has no text`)
  const isPatch = [...bumps.values()].every((bump) => bump === "patch")
  return { name, bumps, group: given ?? (isPatch ? "fixed" : "added"), text }
}

/**
 * Reads every changeset of a folder.
 * @type {(folder: string) => ReadonlyArray<Changeset>}
 */
export const all = (folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".md"))
    .toSorted()
    .map((name) => read(name, readFileSync(join(folder, name), "utf8")))

/** @type {(text: string) => string} */
const item = (text) =>
  `- ${text
    .split("\n")
    .map((line, index) => (index === 0 || line === "" ? line : `  ${line}`))
    .join("\n")}`

/**
 * Returns the part of a package's changelog for one version.
 * @type {(subject: string, version: string, changesets: ReadonlyArray<Changeset>) => string}
 */
export const section = (subject, version, changesets) => {
  const own = changesets.filter(({ bumps }) => bumps.has(subject))
  const parts = groups.flatMap((group) => {
    const items = own.filter((one) => one.group === group).map(({ text }) => item(text))
    const title = `${group.slice(0, 1).toUpperCase()}${group.slice(1)}`
    return items.length === 0 ? [] : [`### ${title}\n\n${items.join("\n")}`]
  })
  const none = "No changes of its own. All packages of sigtrap are released with one version."
  return [`## ${version}`, ...(parts.length === 0 ? [none] : parts)].join("\n\n")
}

/**
 * Returns a changelog with one more part at its beginning. `before` is its text, or undefined for a new one.
 * @type {(subject: string, part: string, before: string | undefined) => string}
 */
export const extended = (subject, part, before) => {
  const title = `# ${subject}`
  const rest = before === undefined ? "" : before.replace(title, "").trim()
  return `${[title, part, ...(rest === "" ? [] : [rest])].join("\n\n")}\n`
}

/**
 * Returns the part of a version in a changelog, without its title; empty if there is none.
 * @type {(text: string, version: string) => string}
 */
export const part = (text, version) => {
  const [, rest = ""] = text.split(`\n## ${version}\n`)
  return rest.split(/\n## /)[0]?.trim() ?? ""
}
