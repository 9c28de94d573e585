// Links the built apps into node_modules/.bin, so that `npx sigtrap` and ./node_modules/.bin/sigtrap run the last build.
// This is a separate step because turbo runs no script when it restores a build from its cache.
import { existsSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

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
