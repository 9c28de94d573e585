/**
 * Completes previews of values that an adapter stopped after a time.
 *
 * lldb-dap writes members, `{id:1, name:"a", ...}`, until the text is longer than 32 characters or 10 ms have passed. So a shorter
 * text that is cut depends on the load of the machine. It is completed with members that were read, up to the same length. (lldb-dap:
 * `TryCreateAutoSummaryForContainer`.)
 */

/** A member of a value: its name and its text. */
export interface Member {
  readonly name: string
  readonly value: string
}

/** Length after which the adapter cuts a preview by itself, in characters. */
const longest = 32

/** Matches a cut preview: an address, or the name that GDB's printers give to a container; the members that are shown. */
const cutPreview = /^((?:0x[0-9a-f]+ )?|[^{}"']+ (?=\{\.\.\.\}$))(\{.*?)(?:, )?\.\.\.\}$/s

/** Returns the text of a member in a preview: the summary, otherwise the value, otherwise that it has members. */
const textOf = (value: string) => {
  const [, address, summary] = /^(0x[0-9a-f]+) (.*)$/s.exec(value) ?? []
  if (address !== undefined && summary !== undefined) return summary.startsWith("{") ? address : summary
  return value === "" || value.startsWith("{") ? "{...}" : value
}

/** True if a preview was cut before the adapter's own limit. */
export const isStoppedEarly = (preview: string): boolean => {
  const shown = cutPreview.exec(preview)?.[2]
  return shown !== undefined && shown.length <= longest
}

/** True for a text without members, or with a name of a container only. */
export const showsNoMembers = (preview: string): boolean => /^(?:(?!0x)[^{}"']+ )?\{\.\.\.\}$/.test(preview)

/** True for the text of a reference of C++ in GDB: the address of its target, which is its only member. */
export const isReference = (preview: string): boolean => /^@0x[0-9a-f]+$/.test(preview)

/** Returns the text of the target of a reference; the text of the reference if the target is a structure. */
export const target = (preview: string, members: ReadonlyArray<Member>): string => {
  const [only, ...others] = members
  return only === undefined || others.length > 0 || /^(?:$|[{@])/.test(only.value) ? preview : only.value
}

/** Returns the preview as the adapter writes it without a limit of time; the same text if the members do not fit to it. */
export const completed = (preview: string, members: ReadonlyArray<Member>): string => {
  const [, address = "", shown = ""] = cutPreview.exec(preview) ?? []
  if (!isStoppedEarly(preview) || members.length === 0) return preview
  let text = "{"
  let separator = ""
  for (const { name, value } of members) {
    if (text.length > longest) {
      text += `${separator}...`
      break
    }
    text += `${separator}${name.startsWith("[") ? "" : `${name}:`}${textOf(value)}`
    separator = ", "
  }
  return text.startsWith(shown) ? `${address}${text}}` : preview
}

/** A value with the members that were read. `more` is true if it has others. */
export interface Tree {
  readonly value: string
  readonly members?: ReadonlyMap<string, Tree>
  readonly more?: boolean
}

/**
 * Returns a cut preview with all members and theirs, `{m:{a:1, b:2}, k:3}`, if it has at most `room` characters. Undefined for
 * another value, and if a member was not read. `leaf` gives the text of a member without members of its own.
 */
export const whole = (
  { members, more, value }: Tree,
  room: number,
  leaf: (member: Member) => string
): string | undefined => {
  const address = /^(?:0x[0-9a-f]+ )?(?=\{)/.exec(value)?.[0]
  if (address === undefined || members === undefined || more === true || members.size === 0) return undefined
  let text = `${address}{`
  for (const [name, member] of members) {
    const isWhole = member.value.startsWith("{") && !member.value.includes("...")
    const plain = leaf({ name, value: isWhole ? member.value : textOf(member.value) })
    const shown = plain.includes("...") ? whole(member, room - text.length, leaf) : plain
    if (shown === undefined) return undefined
    text += `${text.endsWith("{") ? "" : ", "}${name === "" || name.startsWith("[") ? "" : `${name}:`}${shown}`
    if (text.length >= room) return undefined
  }
  return `${text}}`
}
