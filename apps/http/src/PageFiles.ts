/**
 * The files of the page, read once when the server starts. No path of a request becomes the path of a file.
 *
 * A bundle has them in `page/` beside it, sources in the `dist/` of apps/web, and the compiled executable in itself. Without
 * them the server has no page.
 */
import { Effect, FileSystem, Option } from "effect"
import { FileReader } from "@sigtrap/host"
import * as Content from "@sigtrap/host/http/Content"
import { extname, join } from "node:path"
import * as EmbeddedPage from "./EmbeddedPage.ts"

/** A file of the page. */
export interface File {
  readonly content: Content.Content
  /** True if its name has a hash of its content, so that a browser may keep it for ever. */
  readonly hashed: boolean
}

/** The files by the path that serves them: `/` for the document, `/page/NAME` for the others. */
export type Files = ReadonlyMap<string, File>

/** The folder of the files: `page/` beside the bundle, or what apps/web has built. */
const folder = join(import.meta.dirname, import.meta.filename.endsWith(".ts") ? "../../web/dist" : "page")

/** The name of the document. */
const index = "index.html"

/** Media types by the end of the name. Other files are not served. */
const types: { readonly [extension: string]: string } = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2"
}

/** Most files, and largest file in bytes. */
const most = 64
const largest = 4 * 1024 * 1024

const isServed = (name: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(name) && extname(name) in types

/** A name with a hash: `page-3f2a91.js`. A hash has a digit, else it could be a word. */
const isHashed = (name: string): boolean => /-(?=[A-Za-z0-9_]*\d)[A-Za-z0-9_]{6,}\.[a-z0-9]+$/.test(name)

/** Returns the paths of the files by their names. */
const pathsIn = Effect.fnUntraced(function* (directory: string) {
  const fs = yield* FileSystem.FileSystem
  const names = yield* Effect.orElseSucceed(fs.readDirectory(directory), (): ReadonlyArray<string> => [])
  return names.map((name) => [name, join(directory, name)] as const)
})

/** Reads the files of a folder, by default those of this program. Links, other kinds of files and large files are left out. */
export const load = Effect.fnUntraced(function* (directory?: string) {
  const isEmbedded = directory === undefined && EmbeddedPage.paths.size > 0
  const named = isEmbedded ? [...EmbeddedPage.paths] : yield* pathsIn(directory ?? folder)
  const reader = FileReader.make()
  const files = new Map<string, File>()
  for (const [name, path] of named.filter(([name]) => isServed(name)).slice(0, most)) {
    const bytes = yield* Effect.option(
      isEmbedded ? EmbeddedPage.read(path) : reader.bytes(path, { limit: largest, direct: true })
    )
    if (Option.isNone(bytes)) continue
    const content = yield* Content.make(types[extname(name)] ?? "", bytes.value)
    files.set(name === index ? "/" : `/page/${name}`, { content, hashed: name !== index && isHashed(name) })
  }
  return files.has("/") ? files : new Map<string, File>()
})
