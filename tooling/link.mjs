// Links the built apps into node_modules/.bin, so that `npx sigtrap` and ./node_modules/.bin/sigtrap run the last build, and removes
// files of earlier builds. This is a separate step because turbo runs no script when it restores a build from its cache.
import { existsSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { earlierFiles } from "./earlierFiles.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))
const built = {
  sigtrap: "apps/cli/dist/sigtrap.js",
  "sigtrap-mcp": "apps/mcp/dist/sigtrap-mcp.js",
  "sigtrap-http": "apps/http/dist/sigtrap-http.js"
}

for (const [name, file] of Object.entries(built)) {
  const link = join(root, "node_modules/.bin", name)
  rmSync(link, { force: true })
  if (existsSync(join(root, file))) symlinkSync(join("../..", file), link)
}

const folders = [
  "apps/web/dist",
  "apps/http/dist",
  "apps/http/dist/page",
  "apps/mcp/dist",
  "apps/cli/dist",
  "apps/cli/dist/page"
]
for (const folder of folders.map((name) => join(root, name))) {
  for (const name of earlierFiles(folder)) rmSync(join(folder, name), { force: true })
}
