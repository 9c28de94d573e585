/**
 * The file of JavaScript that lets a debugger stop where a test fails. It is loaded into the process of the test.
 *
 * V8 takes an exception as uncaught if no function on the stack and no reaction of a promise catches it. A test runner catches the
 * exceptions of all tests. So each test is called from an empty stack, and nothing waits for its promise until that is settled. The
 * exceptions that are uncaught then make the test fail.
 *
 * A promise that is rejected before anything can have waited for it may get a handler later, as in `rejects`. The debugger asks the
 * file about such a stop. If the test then fails by it, the file throws the error again, after the frames of the test have ended.
 */
import { Errors } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import { judge } from "./RejectionJudge.ts"
import { cache, type Context } from "./Runner.ts"

const content = String.raw`"use strict"
// Written by sigtrap.
const { AsyncResource } = require("node:async_hooks")
const { realpathSync } = require("node:fs")
const Module = require("node:module")
const { dirname } = require("node:path")
const { inspect, types } = require("node:util")
const { promiseHooks } = require("node:v8")
const { nextTick } = process
const ownFile = __filename
const judged = "sigtrap.failure"
const wrapping = "sigtrap.test"

// The debugger stops here at an error whose frames have ended.
function theTestHasFailed(error) {
  throw error
}

// V8 13.6 takes a rejection as caught if catch() follows the call; 12.4 does not.
const ignore = (promise) => {
  promise.catch(() => {})
}

// The debugger stops here at an error that the test gives to its callback.
let isGiven = false
function refuse(error) {
  isGiven = true
  ignore(Promise.reject(error))
  isGiven = false
}

if (globalThis[judged] === undefined) {
${judge}
  // Calls a function from an empty stack. An exception reaches no handler but the last one of the process.
  const call = (fn, failed) => {
    nextTick(() => {
      if (process.hasUncaughtExceptionCaptureCallback()) return fn()
      const restore = () => process.setUncaughtExceptionCaptureCallback(null)
      process.setUncaughtExceptionCaptureCallback((error) => {
        restore()
        failed(error)
      })
      begin()
      fn()
      restore()
    })
  }
  const isPending = (promise) => /^\S*Promise\S* \{\s*<pending>/.test(inspect(promise, { depth: 0, customInspect: false }))

  const start = (fn) =>
    new Promise((resolve, reject) => {
      const test = { isShown: false }
      const end = (settle) => (value) => {
        running.delete(test)
        settle(value)
      }
      const failed = end(reject)
      // The frames of the test have ended.
      const failedLate = (error) => {
        if (test.isShown) return failed(error)
        call(() => theTestHasFailed(error), failed)
      }
      call(() => {
        running.add(test)
        own = types.isAsyncFunction(fn.of ?? fn) ? 1 : 0
        const result = fn()
        if (!types.isPromise(result)) return end(resolve)(result)
        const settle = () => {
          if (isPending(result)) return
          watched.delete(result)
          result.then(end(resolve), failedLate)
        }
        watched.set(result, () => Promise.resolve().then(settle))
        settle()
      }, failed)
    })

  // A test with a callback fails by what it throws, or by what it gives to the callback.
  const startCalling = (fn, args) => {
    const done = args.at(-1)
    const test = { isShown: false }
    let isOver = false
    const end = (...given) => {
      running.delete(test)
      if (isOver) return
      isOver = true
      return done(...given)
    }
    const given = (...values) => {
      if (values[0]) refuse(values[0])
      return end(...values)
    }
    call(() => {
      running.add(test)
      const result = fn(...args.slice(0, -1), given)
      if (types.isPromise(result)) end(new Error("passed a callback but also returned a Promise"))
    }, end)
  }

  const wrapped = new WeakSet()
  // A test that is expected to fail, and an attempt that is repeated if it fails, run as they are.
  const wrap = (fn, mayFail = () => false, takesCallback = false) => {
    if (typeof fn !== "function" || wrapped.has(fn) || types.isGeneratorFunction(fn)) return fn
    const run = function (...args) {
      if (mayFail()) return fn.apply(this, args)
      if (takesCallback) return startCalling((...given) => fn.apply(this, given), args)
      return start(Object.assign(() => fn.apply(this, args), { of: fn }))
    }
    Object.defineProperties(run, { length: { value: fn.length }, name: { value: fn.name }, toString: { value: () => String(fn) } })
    wrapped.add(run)
    return run
  }
  wrap.vitest = (task) => () => {
    const { retry = 0 } = task
    const retries = typeof retry === "object" ? (retry.count ?? 0) : retry
    return task.fails === true || (task.result?.retryCount ?? 0) < retries
  }
  Object.defineProperty(globalThis, wrapping, { value: wrap })

  // node:test calls tests and their hooks by this method. A function with a callback has it as its last argument.
  const { runInAsyncScope } = AsyncResource.prototype
  AsyncResource.prototype.runInAsyncScope = function (fn, ...args) {
    const kind = this.constructor.name
    const isTest = (kind === "Test" || kind === "TestHook") && this.fn === fn
    const takesCallback = typeof args.at(-1) === "function"
    return Reflect.apply(runInAsyncScope, this, [isTest ? wrap(fn, () => this.isTodo || this.expectFailure, takesCallback) : fn, ...args])
  }

  // vitest has no place for this.
  Module.registerHooks?.({
    load: (url, context, next) => {
      const loaded = next(url, context)
      if (!/node_modules\/(?:vitest|@vitest\/runner)\/dist\//.test(url) || !loaded.source) return loaded
      const text = typeof loaded.source === "string" ? loaded.source : Buffer.from(loaded.source).toString()
      const source = text
        .replace(/(withFixtures\((?:runner, )?)handler,/, '$1(globalThis["sigtrap.test"]?.(handler, globalThis["sigtrap.test"].vitest(typeof task === "object" ? task : {})) ?? handler),')
        // Hooks, but not those around a test.
        .replaceAll(/(?<!function )(withFixtures\((?:runner, )?)fn(?=[,)])/g, '$1(globalThis["sigtrap.test"]?.(fn) ?? fn)')
        .replace("=> fn(...prefix, ctx, suite)", '=> (prefix.length > 0 ? fn : (globalThis["sigtrap.test"]?.(fn) ?? fn))(...prefix, ctx, suite)')
      return { ...loaded, source }
    }
  })
}

const wrap = globalThis[wrapping]
const wrapOf = (one, mayFail) => {
  if (one?.fn?.length === 0) one.fn = wrap(one.fn, mayFail)
}

// jest takes this file as its runner of a test file, in place of jest-circus.
const circus = () => {
  const resolve = (name, from) => require.resolve(name, { paths: [dirname(from)] })
  const core = resolve("@jest/core", realpathSync(process.argv[1]))
  const found = require(resolve("jest-circus/runner", resolve("jest-config", core)))
  return found.default ?? found
}
exports.__esModule = true
exports.default = async (all, config, environment, ...rest) => {
  const given = environment.handleTestEvent?.bind(environment)
  Object.defineProperty(environment.global, judged, { value: globalThis[judged] })
  environment.handleTestEvent = async (event, state) => {
    const retries = Number(environment.global[Symbol.for("RETRY_TIMES")] ?? 0)
    if (event.name === "test_fn_start") wrapOf(event.test, () => event.test.failing || event.test.invocations <= retries)
    if (event.name === "hook_start") wrapOf(event.hook)
    await given?.(event, state)
  }
  return circus()(all, config, environment, ...rest)
}

// mocha takes this file as one with hooks. A repeated attempt is a copy of the test, with the same function.
let current
exports.mochaHooks = {
  beforeEach() {
    current = this.currentTest
    wrapOf(current, () => current.currentRetry() < current.retries())
  }
}
`

/** A file that keeps Node's runner from calling the functions of tests and of their hooks; one with a callback is called back. */
const listing = String.raw`"use strict"
// Written by sigtrap.
const { AsyncResource } = require("node:async_hooks")
const { runInAsyncScope } = AsyncResource.prototype
AsyncResource.prototype.runInAsyncScope = function (fn, ...args) {
  const kind = this.constructor.name
  if (this.fn !== fn || (kind !== "Test" && kind !== "TestHook")) return Reflect.apply(runInAsyncScope, this, [fn, ...args])
  const callback = args.at(-1)
  if (typeof callback === "function") process.nextTick(callback)
}
`

/** Writes a file into the cache, and returns its path. */
export const inCache = Effect.fnUntraced(function* (context: Context, name: string, text: string) {
  const file = context.path.join(yield* cache(context), name)
  yield* context.fs
    .writeFileString(file, text)
    .pipe(Effect.mapError(({ message }) => new Errors.LaunchFailed({ program: file, detail: message })))
  return file
})

/** Writes the file into the cache, and returns its path. */
export const write = (context: Context) => inCache(context, "failures.cjs", content)

/** Writes the file that lists the tests of Node's runner, and returns its path. */
export const writeListing = (context: Context) => inCache(context, "listing.cjs", listing)

/** Returns the variable with which every Node process loads the file. */
export const variable = ({ env }: Pick<Context, "env">, file: string): string => {
  const { NODE_OPTIONS: given } = env
  return `NODE_OPTIONS=--require=${JSON.stringify(file)}${given ? ` ${given}` : ""}`
}
