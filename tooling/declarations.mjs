// Indents the declarations of the package in the current folder by one space for each level, in place of the compiler's four. Their
// readers are compilers and editors, and every byte is in the published package.
import { globSync, readFileSync, writeFileSync } from "node:fs"

for (const file of globSync("dist/**/*.d.ts")) {
  const text = readFileSync(file, "utf8")
  // A line of a comment begins with one space more than its level has.
  writeFileSync(
    file,
    text.replaceAll(/^(?: {4})+/gm, (spaces) => " ".repeat(spaces.length / 4))
  )
}
