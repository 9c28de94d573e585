// Starts main.ts with its types already stripped: loading the stripper takes three times as long as the rest, and a test makes
// dozens of calls. The stripped files are cached by the hash of their source, for all state directories.
import { createHash } from "node:crypto"
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { registerHooks, stripTypeScriptTypes } from "node:module"
import { join } from "node:path"

const state = process.env["SIGTRAP_SIM_STATE"]
const folder = join(import.meta.dirname, "../../node_modules/.cache/fake-xcrun")

const stripped = (text) => {
  const path = join(folder, createHash("sha256").update(text).digest("hex"))
  try {
    return readFileSync(path, "utf8")
  } catch {
    const source = stripTypeScriptTypes(text)
    try {
      mkdirSync(folder, { recursive: true })
      writeFileSync(`${path}.${process.pid}`, source)
      renameSync(`${path}.${process.pid}`, path)
    } catch {
      // Without a writable cache it is stripped each time.
    }
    return source
  }
}

if (state)
  registerHooks({
    load: (url, context, next) =>
      url.startsWith("file:") && url.endsWith(".ts")
        ? { format: "module", source: stripped(readFileSync(new URL(url), "utf8")), shortCircuit: true }
        : next(url, context)
  })
await import("./src/main.ts")
