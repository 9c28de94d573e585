/**
 * JavaScript that decides at a rejected promise whether the test that runs fails because of it, and answers the debugger. It is part of
 * files that Node and Deno load into the process of a test.
 *
 * The file supplies `promiseHooks` (node:v8), its own name as `ownFile`, `isGiven`, which is true while it rejects an error that the test
 * gave to its callback, and the name of the global function as `judged`.
 */

/** The code. A file adds the tests that run to `running`, calls `begin` before one, and sets `own` to the promises that it makes itself. */
export const judge = String.raw`  // The promises that were created since the current job began. Nothing can have waited for them yet.
  const created = new Set()
  const watched = new Map()
  const running = new Set()
  let settledLast
  let own = 0
  const begin = () => {
    created.clear()
    settledLast = undefined
    own = 0
  }
  promiseHooks.createHook({
    init: (promise) => {
      created.add(promise)
      settledLast = undefined
    },
    before: begin,
    after: begin,
    settled: (promise) => {
      settledLast = promise
      watched.get(promise)?.()
    }
  })

  const assertions = /[\\/]node_modules[\\/](?:.*[\\/])?(?:chai|expect|expect-utils|@vitest[\\/]\w+|vitest|@jest[\\/][\w-]+)[\\/]/
  const framesBelow = () => {
    const { prepareStackTrace, stackTraceLimit } = Error
    Error.stackTraceLimit = 100
    Error.prepareStackTrace = (_, frames) => frames
    const place = {}
    Error.captureStackTrace(place, judge)
    const frames = Array.isArray(place.stack) ? place.stack : []
    Object.assign(Error, { prepareStackTrace, stackTraceLimit })
    const end = frames.findIndex((frame) => frame.isAsync() || frame.getFileName() === ownFile)
    return end < 0 ? frames : frames.slice(0, end)
  }

  // Answers the debugger at a rejected promise: true if the test fails by it. A promise that was made just now may get a handler later.
  const judge = () => {
    if (isGiven) return true
    const isOfTest = () => {
      if (settledLast !== undefined && created.has(settledLast)) return false
      if (created.size <= own) return true
      const frames = framesBelow().filter((frame) => {
        const file = frame.getFileName() ?? ""
        return frame.isConstructor() || !(/^(?:node|ext):/.test(file) || assertions.test(file))
      })
      return frames.length <= 1
    }
    const answer = running.size > 0 && isOfTest()
    if (answer) for (const test of running) test.isShown = true
    return answer
  }
  Object.defineProperty(globalThis, judged, { value: judge })`
