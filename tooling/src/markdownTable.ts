/** Tables and code of generated Markdown pages. */

const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("\n", " ")

/** Returns a text as inline code. */
export const code = (text: string) => (text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``)

/** Returns a table. */
export const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>) =>
  [head, head.map(() => "---"), ...rows.map((row) => row.map(cell))].map((row) => `| ${row.join(" | ")} |`).join("\n")
