/** js-debug on this machine. Without it the tests that need it are left out: no package manager has it. */
import { NodeServices } from "@effect/platform-node"
import { Registry } from "@sigtrap/backends"
import { FileReader } from "@sigtrap/host"
import { Effect, FileSystem } from "effect"
import { environment } from "../support/fixturePrograms.ts"
import { fixture } from "../support/fixtures.ts"

const adapters = await Effect.runPromise(
  Effect.provide(Registry.discover(environment), [FileReader.layer, NodeServices.layer])
)

/** What was found of js-debug. */
export const jsDebug = adapters.find(({ name }) => name === "js-debug")

/** True if js-debug can be used. */
export const here = jsDebug?.path !== undefined && jsDebug.problem === undefined

/** A copy of the fixtures of JavaScript, without a package.json that says which kind of modules they are. */
export const copied = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-js-" }))
  yield* fs.copy(fixture("js/"), directory, { overwrite: true })
  return directory
})
