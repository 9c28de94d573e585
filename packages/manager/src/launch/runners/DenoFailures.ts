/**
 * The file of JavaScript that lets a debugger stop where a test of Deno fails. The file that is started imports it before the file of
 * the test.
 *
 * Deno waits for the promise of a test, so V8 takes its rejection as caught. Here the test is part of an async function whose promise has
 * no handler: V8 takes the exceptions that reach it as uncaught. The event of the unhandled rejection hands them to Deno.
 */
import { Errors } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import { inCache } from "./JavaScriptFailures.ts"
import { judge } from "./RejectionJudge.ts"
import { cache, type Context } from "./Runner.ts"

/** Replaces the functions and names of tests, hooks and steps: `changed` returns another function, and `title` another name. */
const replaced = String.raw`
const withFunctions = (args) =>
  args.map((one, index) => {
    if (typeof one === "function") return changed(one)
    if (index === 0 && typeof one === "string") return title(one)
    if (one === null || typeof one !== "object" || Array.isArray(one)) return one
    const { fn } = one
    const name = one.name ?? fn?.name
    return { ...one, ...(name ? { name: title(name) } : {}), ...(typeof fn === "function" ? { fn: changed(fn) } : {}) }
  })
const replaced = (target) =>
  new Proxy(target, {
    apply: (fn, self, args) => {
      const result = Reflect.apply(fn, self, withFunctions(args))
      return typeof result === "function" ? replaced(result) : result
    },
    get: (one, key) => {
      const member = Reflect.get(one, key)
      return typeof member === "function" && key !== "prototype" ? replaced(member) : member
    }
  })
Deno.test = replaced(Deno.test)
`

const content = String.raw`// Written by sigtrap.
import { types } from "node:util"
import v8 from "node:v8"
const { promiseHooks } = v8
const ownFile = import.meta.url
const judged = "sigtrap.failure"
const isGiven = false

// The debugger stops here at an error whose frames have ended.
function theTestHasFailed(error) {
  throw error
}

${judge}

const waiting = new Map()
addEventListener("unhandledrejection", (event) => {
  const failed = waiting.get(event.promise)
  if (failed === undefined) return
  event.preventDefault()
  failed(event.reason)
})

// Runs a function whose exceptions no handler waits for.
const call = (fn, done, failed) => {
  const promise = (async () => {
    await undefined
    const result = await fn()
    waiting.delete(promise)
    done(result)
  })()
  waiting.set(promise, (error) => {
    waiting.delete(promise)
    failed(error)
  })
}

const start = (fn, isAsync) =>
  new Promise((resolve, reject) => {
    const test = { isShown: false }
    const end = (settle) => (value) => {
      running.delete(test)
      settle(value)
    }
    const first = () => {
      running.add(test)
      begin()
      own = isAsync ? 1 : 0
      return fn()
    }
    const failed = (error) => {
      if (test.isShown) return end(reject)(error)
      const again = () => {
        begin()
        theTestHasFailed(error)
      }
      call(again, resolve, end(reject))
    }
    call(first, end(resolve), failed)
  })

const title = (name) => name
const changed = (fn) => {
  const run = function (...args) {
    const own = args.map((one) => (typeof one?.step === "function" ? replaced(one) : one))
    return start(() => fn.apply(this, own), types.isAsyncFunction(fn))
  }
  Object.defineProperties(run, { length: { value: fn.length }, name: { value: fn.name } })
  return run
}
${replaced}`

/** A file that keeps Deno from calling the functions of tests and of their hooks. The file that Deno loads is put before their names. */
const listing = String.raw`// Written by sigtrap.
const title = (name) => Deno.mainModule + " " + name
const changed = (fn) => Object.defineProperty(() => {}, "name", { value: title(fn.name) })
${replaced}`

/** Length of the part of a directory's name that distinguishes test files. */
const longestName = 120

/** Writes the file that imports the file of a test, and returns its path. */
export const write = Effect.fnUntraced(function* (context: Context, test: string) {
  const { fs, path } = context
  const directory = yield* cache(context)
  const failures = yield* inCache(context, "failures.mjs", content)
  const folder = `deno${test.replaceAll(/\W+/g, "-").slice(-longestName)}`
  const inFolder = path.join(directory, folder)
  yield* fs
    .makeDirectory(inFolder, { recursive: true, mode: 0o700 })
    .pipe(Effect.mapError(({ message }) => new Errors.LaunchFailed({ program: inFolder, detail: message })))
  const imported = yield* Effect.orDie(Effect.all([path.toFileUrl(failures), path.toFileUrl(test)]))
  const text = imported.map(({ href }) => `import ${JSON.stringify(href)}\n`).join("")
  return yield* inCache(context, path.join(folder, `${path.basename(test)}.mjs`), text)
})

/** Writes the file that lists the tests, and returns its path. */
export const writeListing = (context: Context) => inCache(context, "listing.mjs", listing)
