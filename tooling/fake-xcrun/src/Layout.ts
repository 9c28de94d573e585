/**
 * Formats data as the tools do: JSON in Foundation's layout (two spaces, ` : `, escaped slashes, an empty line in empty
 * collections) and the OpenStep style of `listapps` and `appinfo`.
 *
 * Evidence: `list-full.*.json`, `listapps.ios18.4.txt`, `appinfo-user-app.txt`.
 */

/** A JSON value. */
export type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [key: string]: Json | undefined }

const quoted = (text: string) => JSON.stringify(text).replaceAll("/", "\\/")

const block = (open: string, lines: ReadonlyArray<string>, close: string, indent: string) =>
  `${open}\n${lines.join(",\n")}\n${indent}${close}`

/** Formats a value as Foundation does, without a line end. */
export const json = (value: Json, indent = ""): string => {
  if (typeof value === "string") return quoted(value)
  if (value === null || typeof value !== "object") return String(value)
  const inner = `${indent}  `
  if (isList(value)) {
    return block(
      "[",
      value.map((item) => inner + json(item, inner)),
      "]",
      indent
    )
  }
  const lines = Object.entries(value).flatMap(([key, item]) =>
    item === undefined ? [] : [`${inner}${quoted(key)} : ${json(item, inner)}`]
  )
  return block("{", lines, "}", indent)
}

/** A value of an old-style property list. */
export type Plist = string | ReadonlyArray<Plist> | { readonly [key: string]: Plist }

const isList = <T>(value: object | ReadonlyArray<T>): value is ReadonlyArray<T> => Array.isArray(value)

/** Formats a word: letters, digits and underscores stay unquoted; anything else is quoted, with escapes for non-ASCII. */
const word = (text: string) =>
  /^[A-Za-z0-9_]+$/.test(text)
    ? text
    : `"${text
        .replace(/["\\]/g, "\\$&")
        .replaceAll("\n", "\\n")
        .replace(/[^\x20-\x7e]/g, (char) => `\\U${char.charCodeAt(0).toString(16).padStart(4, "0")}`)}"`

/** Formats a value in OpenStep style, without a line end; an opening bracket repeats the indentation of its line. */
export const openStep = (value: Plist, indent = ""): string => {
  if (typeof value === "string") return word(value)
  const inner = `${indent}    `
  if (isList(value)) {
    const items = value.map((item) => inner + openStep(item, inner))
    return `${indent}(\n${items.join(",\n")}${items.length === 0 ? "" : "\n"}${indent})`
  }
  const lines = Object.keys(value)
    .toSorted()
    .flatMap((key) => {
      const item = value[key]
      return item === undefined ? [] : [`${inner}${word(key)} = ${openStep(item, inner)};\n`]
    })
  return `${indent}{\n${lines.join("")}${indent}}`
}

/** Parses an XML property list, as far as `Info.plist` files need it. */
export const infoPlist = (text: string): { readonly [key: string]: Plist } | undefined => {
  const tokens = [...text.matchAll(/<(\/?)(dict|array|key|string|integer|real|date|data|true|false)\s*(\/?)>([^<]*)/g)]
  let at = 0
  const value = (): Plist | undefined => {
    const [, closing, tag = "", empty, body = ""] = tokens[at++] ?? []
    if (closing !== "") return undefined
    if (empty === "/") return tag === "array" ? [] : tag === "dict" ? {} : tag === "string" ? "" : tag
    if (tag === "array") {
      const items: Array<Plist> = []
      for (let item = value(); item !== undefined; item = value()) items.push(item)
      return items
    }
    if (tag === "dict") {
      const entries: Array<[string, Plist]> = []
      for (let key = value(); typeof key === "string"; key = value()) {
        const item = value()
        if (item !== undefined) entries.push([key, item])
      }
      return Object.fromEntries(entries)
    }
    at++
    return body
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&quot;", '"')
      .replaceAll("&apos;", "'")
      .replaceAll("&amp;", "&")
  }
  const top = tokens.length === 0 ? undefined : value()
  return top === undefined || typeof top === "string" || isList(top) ? undefined : top
}
