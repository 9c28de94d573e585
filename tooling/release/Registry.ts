/** A package registry on the loopback (verdaccio), to which a dry release publishes. It forwards what it does not have. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import * as Pack from "./Pack.ts"

/** The version of verdaccio; its dependency `node-fetch` is replaced, because the version that it asks for cannot be installed. */
const manifest = { dependencies: { verdaccio: "6.10.4" }, overrides: { "node-fetch": "2.7.0" } }

/** A running registry. */
export interface Registry {
  readonly address: string
  /** The path of the npm settings that have a token for it. */
  readonly settings: string
  readonly end: () => void
}

const install = (): string => {
  const folder = join(Pack.root, "node_modules/.cache/verdaccio")
  const main = join(folder, "node_modules/verdaccio/bin/verdaccio")
  if (existsSync(main)) return main
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest))
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts"], { cwd: folder, stdio: "ignore" })
  return main
}

const listens = (child: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    let text = ""
    child.stdout?.on("data", (chunk) => {
      text += String(chunk)
      if (text.includes("http address")) resolve()
    })
    child.once("exit", (code) => reject(new Error(`verdaccio ended with ${code}: ${text}`)))
  })

/** Returns a port on which nothing listens. */
const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() =>
        typeof address === "object" && address !== null ? resolve(address.port) : reject(new Error("no port is free"))
      )
    })
  })

/** Starts a registry that keeps its packages in a folder. */
export const start = async (folder: string): Promise<Registry> => {
  const port = await freePort()
  mkdirSync(folder, { recursive: true })
  const upstream = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim()
  const own = { access: "$all", publish: "$all" }
  const settings = {
    storage: join(folder, "storage"),
    uplinks: { upstream: { url: upstream } },
    packages: { sigtrap: own, "@sigtrap/*": own, "**": { access: "$all", proxy: "upstream" } },
    max_body_size: "200mb",
    log: { type: "stdout", format: "pretty", level: "warn" }
  }
  // YAML reads JSON.
  const configuration = join(folder, "verdaccio.yaml")
  writeFileSync(configuration, JSON.stringify(settings))
  const authority = `127.0.0.1:${port}`
  const npmrc = join(folder, "npmrc")
  writeFileSync(npmrc, `//${authority}/:_authToken=dry\n`)
  const child = spawn(process.execPath, [install(), "-c", configuration, "-l", authority], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  await listens(child)
  return { address: `http://${authority}/`, settings: npmrc, end: () => child.kill("SIGTERM") }
}
