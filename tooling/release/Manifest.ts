/** Makes the manifests of published packages from those of the workspaces. */

/** A value of JSON. */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [name: string]: Json }

/** A manifest (`package.json`). */
export interface Manifest {
  readonly [field: string]: Json
}

/** What the manifests of all packages share. */
export interface Shared {
  /** The version of every package. */
  readonly version: string
  /** Versions of `catalog:`, by package. */
  readonly catalog: { readonly [name: string]: string }
  /** The packages with compiled executables, on which `sigtrap` depends optionally; empty if none are published. */
  readonly executables: ReadonlyArray<string>
  /** The field `repository` of the root's manifest, which `npm publish --provenance` needs; absent in a dry release. */
  readonly repository?: Json
  /** The address of the site with the documents, the field `homepage` of the root's manifest. */
  readonly homepage?: string
}

/** The condition that finds sources; it has no meaning outside the repository. */
const sourceCondition = "@sigtrap/source"

const isObject = (value: Json | undefined): value is { readonly [name: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Returns the exports without the sources; an export that has nothing else is left out. */
const publishedExports = (exports: Json): Json => {
  if (!isObject(exports)) return exports
  const kept = Object.entries(exports).flatMap(([name, value]) => {
    if (name === sourceCondition) return []
    const inner = publishedExports(value)
    return isObject(inner) && Object.keys(inner).length === 0 ? [] : [[name, inner] as const]
  })
  return Object.fromEntries(kept)
}

const range = (name: string, text: Json, { catalog, version }: Shared): string => {
  if (typeof text !== "string") throw new Error(`the version of ${name} is not a text`)
  if (text === "catalog:") {
    const found = catalog[name]
    if (found === undefined) throw new Error(`the catalog has no ${name}`)
    return found
  }
  // All packages are released together, and one is tested with the others of its version only.
  return text.startsWith("workspace:") ? version : text
}

const ranges = (dependencies: Json | undefined, shared: Shared): { readonly [name: string]: string } =>
  isObject(dependencies)
    ? Object.fromEntries(Object.entries(dependencies).map(([name, text]) => [name, range(name, text, shared)]))
    : {}

/** Returns the manifest to publish. `directory` is the folder of the workspace in the repository. */
export const published = (manifest: Manifest, directory: string, shared: Shared): Manifest => {
  const { dependencies, devDependencies: _, exports, repository: __, scripts: ___, version: ____, ...rest } = manifest
  const own = publishedExports(exports ?? {})
  const needed = ranges(dependencies, shared)
  return {
    ...rest,
    version: shared.version,
    ...(isObject(shared.repository) ? { repository: { ...shared.repository, directory } } : {}),
    ...(shared.homepage === undefined ? {} : { homepage: shared.homepage }),
    ...(isObject(own) && Object.keys(own).length === 0 ? {} : { exports: own }),
    ...(Object.keys(needed).length === 0 ? {} : { dependencies: needed }),
    publishConfig: { access: "public" }
  }
}

/**
 * Returns the manifest of a package that only starts a server of the package `sigtrap`, which it needs in exactly its
 * version. `command` is its executable.
 */
export const thin = (manifest: Manifest, directory: string, command: string, shared: Shared): Manifest => {
  const { exports: _, ...rest } = published(manifest, directory, shared)
  return {
    ...rest,
    bin: { [command]: `./${command}.js` },
    files: [`${command}.js`],
    dependencies: { sigtrap: shared.version }
  }
}
