// Finds files of earlier builds in a folder. Their names have a hash, and no file of the newest build names them. Turbo adds the files
// of a build that it restores from its cache to those of the folder, so they remain.
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** A name with a hash of the content: `page-0e5d4bb690e3.js`, `daemon-31gmspw5.mjs`. */
const isHashed = (name) => /-[0-9a-z]{8,12}\.(?:mjs|js|css|svg)$/.test(name)

/** Returns the names of the files of earlier builds. A file belongs to the newest build if one that does names it. */
export const earlierFiles = (folder) => {
  if (!existsSync(folder)) return []
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
  const left = new Set(names.filter(isHashed))
  const kept = names.filter((name) => !isHashed(name) && /\.(?:mjs|cjs|js|html)$/.test(name))
  for (const name of kept) {
    if (left.size === 0) break
    const text = readFileSync(join(folder, name), "latin1")
    for (const other of left) {
      if (!text.includes(other)) continue
      left.delete(other)
      kept.push(other)
    }
  }
  return [...left]
}
