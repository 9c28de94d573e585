/**
 * One table in a TOML file, set while everything else stays as it was written. Knows no more of TOML than where tables
 * begin; a file that writes the same table in another way is left to a person.
 */

const escaped = (name: string) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")

/** A value as TOML writes it: texts, truth values, numbers and lists of these. */
const written = (value: unknown): string =>
  Array.isArray(value) ? `[${value.map(written).join(", ")}]` : (JSON.stringify(value) ?? '""')

/** A table in words of TOML. */
export const table = (path: ReadonlyArray<string>, fields: { readonly [key: string]: unknown }): string =>
  [`[${path.join(".")}]`, ...Object.entries(fields).map(([key, value]) => `${key} = ${written(value)}`)].join("\n")

/** Where a table stands, its sub-tables included; nothing when it is not there. */
const place = (text: string, path: ReadonlyArray<string>): readonly [from: number, to: number] | undefined => {
  const name = path.map((part) => `(?:"${escaped(part)}"|${escaped(part)})`).join(String.raw`\s*\.\s*`)
  const head = new RegExp(String.raw`^[ \t]*\[\s*${name}\s*\][^\n]*$`, "m").exec(text)
  if (head === null) return undefined
  const others = new RegExp(String.raw`^[ \t]*\[(?!\s*${name}\s*\.)`, "gm")
  others.lastIndex = head.index + head[0].length
  const next = others.exec(text)
  return [head.index, next?.index ?? text.length]
}

/** The table as it stands in a text; nothing when it is not there. */
export const find = (text: string, path: ReadonlyArray<string>): string | undefined => {
  const found = place(text, path)
  return found === undefined ? undefined : text.slice(...found).trim()
}

/** The text with a table; the sentence that says why it cannot be put there. */
export const set = (
  text: string,
  path: readonly [string, ...ReadonlyArray<string>],
  fields: { readonly [key: string]: unknown }
): { readonly text: string } | { readonly problem: string } => {
  if (new RegExp(String.raw`^[ \t]*${escaped(path[0])}\s*[=.]`, "m").test(text)) {
    return { problem: `it writes ${path[0]} in a way that only a person should change` }
  }
  const found = place(text, path)
  if (found === undefined) {
    const before = text.trimEnd()
    return { text: `${before}${before === "" ? "" : "\n\n"}${table(path, fields)}\n` }
  }
  const [from, to] = found
  const after = text.slice(to)
  return { text: `${text.slice(0, from)}${table(path, fields)}\n${after === "" ? "" : "\n"}${after}` }
}
