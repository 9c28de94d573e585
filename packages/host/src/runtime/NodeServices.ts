/**
 * The services of the operating system, from `@effect/platform-node-shared`: they run on Node, Bun and Deno. `@effect/platform-node` has
 * them too, and depends on an HTTP client and a database client that nothing here needs.
 */
import * as NodeChildProcessSpawner from "@effect/platform-node-shared/NodeChildProcessSpawner"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import type { FileSystem } from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type { Path } from "effect/Path"
import type { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"

/** Files, paths and processes. */
export const layer: Layer.Layer<ChildProcessSpawner | FileSystem | Path> = NodeChildProcessSpawner.layer.pipe(
  Layer.provideMerge(Layer.merge(NodeFileSystem.layer, NodePath.layer))
)
