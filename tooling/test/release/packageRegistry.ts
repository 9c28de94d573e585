/** A package registry on the loopback that has the packed packages and nothing else, for npm, pnpm, Bun and Deno. */
import { createHash } from "node:crypto"
import { createReadStream, readFileSync } from "node:fs"
import { createServer } from "node:http"
import { basename } from "node:path"
import * as Pack from "../../release/Pack.ts"

/** A running registry. */
export interface PackageRegistry {
  /** Its address, without a slash at the end. */
  readonly address: string
  readonly end: () => void
}

/** Old enough for package managers that refuse new versions. */
const published = "2020-01-01T00:00:00.000Z"

/** Returns what a registry answers about a package with one version. */
const describe = (file: string, address: string) => {
  const manifest: { readonly name: string; readonly version: string } = JSON.parse(
    Pack.run("tar", ["-xOzf", file, "package/package.json"], Pack.root)
  )
  const { name, version } = manifest
  const integrity = `sha512-${createHash("sha512").update(readFileSync(file)).digest("base64")}`
  const dist = { tarball: `${address}/files/${basename(file)}`, integrity }
  return {
    name,
    "dist-tags": { latest: version },
    versions: { [version]: { ...manifest, dist } },
    time: { created: published, modified: published, [version]: published }
  }
}

/** Starts a registry of tarballs. */
export const start = (tarballs: ReadonlyArray<string>): Promise<PackageRegistry> =>
  new Promise((resolve, reject) => {
    const answers = new Map<string, string>()
    const files = new Map(tarballs.map((file) => [`/files/${basename(file)}`, file]))
    const server = createServer(({ url = "" }, response) => {
      const path = decodeURIComponent(url.replace(/\?.*/, ""))
      const [answer, file] = [answers.get(path), files.get(path)]
      if (file !== undefined) createReadStream(file).pipe(response)
      else if (answer !== undefined) response.setHeader("content-type", "application/json").end(answer)
      else response.writeHead(404, { "content-type": "application/json" }).end("{}")
    })
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const own = server.address()
      if (typeof own !== "object" || own === null) return reject(new Error("no port is free"))
      const address = `http://127.0.0.1:${own.port}`
      for (const file of tarballs) {
        const answer = describe(file, address)
        answers.set(`/${answer.name}`, JSON.stringify(answer))
      }
      resolve({
        address,
        end: () => {
          server.close()
          server.closeAllConnections()
        }
      })
    })
  })
