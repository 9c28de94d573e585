/** Swift tests: packages of SwiftPM. */
import * as Effect from "effect/Effect"
import { type Context, type Failures, lines, type Problem, type Runner, runOrFail, type Test, usage } from "./Runner.ts"

/** Finds a test. On macOS `xctest` loads the test bundle; elsewhere the bundle is a program. */
const find = Effect.fnUntraced(function* (context: Context, name: string): Effect.fn.Return<Test, Problem> {
  const { directory, fs, path } = context
  yield* runOrFail(context, "swift", "build", "--build-tests")
  const products = (yield* runOrFail(context, "swift", "build", "--show-bin-path")).trim()
  const entries = yield* fs.readDirectory(products).pipe(Effect.orElseSucceed((): ReadonlyArray<string> => []))
  const [bundle] = entries.filter((entry) => entry.endsWith(".xctest"))
  if (bundle === undefined) return yield* usage(`no test bundle was built in ${products}`)
  const file = path.join(products, bundle)
  const isDirectory = yield* fs.stat(file).pipe(
    Effect.map(({ type }) => type === "Directory"),
    Effect.orElseSucceed(() => false)
  )
  if (!isDirectory) return { name, program: file, args: [name], cwd: directory }
  const program = (yield* runOrFail(context, "xcrun", "--find", "xctest")).trim()
  return { name, program, args: ["-XCTest", name, file], cwd: directory }
})

/** XCTest, also by `swift test` */
export const xctest: Runner = {
  failure: { functions: ["_XCTFailureHandler"] },
  find,
  failures: Effect.fnUntraced(function* (context) {
    const ended = yield* context.run("swift", "test")
    const failed = lines(ended.stdout).flatMap((line) => {
      const [, name] = /^Test Case '(?:-\[)?(.+?)\]?' failed \(/.exec(line) ?? []
      return name === undefined ? [] : [name.replace(" ", "/")]
    })
    const [first] = failed
    const found: Failures = {
      failed: failed.length,
      ...(first === undefined ? {} : { first: yield* find(context, first) })
    }
    return found
  })
}
