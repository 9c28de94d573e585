/** The list of the decision records in `docs/README.md`: the number and the title of each, which `npm run reference` writes. */
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const docs = new URL("../../docs/", import.meta.url)

const read = (path: string): string => readFileSync(fileURLToPath(new URL(path, docs)), "utf8")

const line = (name: string): string => {
  const [, number = "", title = ""] = /^# (\d+)\. (.+)$/m.exec(read(`decisions/${name}`)) ?? []
  if (Number(number) !== Number(name.slice(0, 4))) throw new Error(`${name} has the number ${number}`)
  return `- ${number}: [${title}](decisions/${name})`
}

/** Returns `docs/README.md` with the records that exist. */
export const filled = (): string => {
  const names = readdirSync(fileURLToPath(new URL("decisions/", docs))).filter((name) => name.endsWith(".md"))
  return read("README.md").replace(
    /(\n## Decisions\n\n)[^]*?(\n\n[^-\d\n])/,
    (_, before: string, after: string) => `${before}${names.toSorted().map(line).join("\n")}${after}`
  )
}
