/**
 * The file of JavaScript that tells js-debug which exceptions end a program of Node although V8 takes them as caught. Node loads it
 * before the program.
 *
 * Node itself catches what the top level of an ES module throws. The file compares the stack with the syntax of its files: an exception
 * that no `try` around these places catches ends the program. The rejection of a promise may get a handler later, so the file throws such an
 * error again when Node reports it, after the frames of the program have ended.
 */

/** True if the program ends by the caught exception at which V8 paused. */
export const endsProgram = 'globalThis["sigtrap.exceptions"]?.endsProgram() === true'

/** Records that the program has stopped at an exception, so that it does not stop again when Node reports the same one. */
export const noteStop = 'globalThis["sigtrap.exceptions"]?.noteStop()'

/** True if no code of the program can handle the exception at which the program stopped. */
export const isCertain = 'globalThis["sigtrap.exceptions"]?.isCertain?.() === true'

/** Makes the program stop again when Node reports the exception at which it stopped. */
export const stopAgain = 'globalThis["sigtrap.exceptions"]?.stopAgain?.()'

/** Records that the program has stopped at the rejection of a promise, which code of the program may handle. */
export const noteRejection = 'globalThis["sigtrap.exceptions"]?.noteRejection?.()'

/** True if the program stops at an error that Node reports. */
export const isReporting = 'globalThis["sigtrap.exceptions"]?.isReporting()'

/**
 * The part of the file that throws an error again when the runtime reports it, unless the program has stopped at it. Deno executes this
 * part too.
 */
export const reporting = `// The debugger stops here at an error whose frames have ended.
let isReporting = false
async function theProgramHasFailed(error) {
  throw error
}
// V8 13.6 takes a rejection as caught if catch() follows the call; 12.4 does not.
const ignore = (promise) => {
  promise.catch(() => {})
}
const report = (error) => {
  if (hasStopped) return
  isReporting = true
  ignore(theProgramHasFailed(error))
  isReporting = false
}
// The runtime reports an exception before it runs immediates.
let hasStopped = false
const markStopped = () => {
  hasStopped = true
  setImmediate(() => {
    hasStopped = false
  }).unref()
  return true
}
const stopAgain = () => {
  hasStopped = false
}`

/** The text of the file that Node loads before the program. */
export const content = String.raw`"use strict"
// Written by sigtrap.
const { readFileSync, realpathSync } = require("node:fs")
const Module = require("node:module")
const { fileURLToPath } = require("node:url")
const property = "sigtrap.exceptions"
const mostConditions = 25
const isRunner = /[\\/]node_modules[\\/](?:vitest|jest|mocha)[\\/]/.test(process.argv[1] ?? "")

${reporting}
let conditions = 0
let isSpent = false
// False if the program caught too many exceptions: V8 stops for the condition at each of them.
const noteStop = () => {
  if (isSpent) {
    isSpent = false
    return false
  }
  return markStopped()
}

const loadsOthers = [...process.execArgv, process.env.NODE_OPTIONS ?? ""].some((word) => /--(?:import|(?:experimental-)?loader)\b/.test(word))
let sources
const builtins = () => (sources ??= process.binding("natives"))
let parse
const parser = () => {
  if (parse === undefined) {
    const module = { exports: {} }
    new Function("module", "exports", builtins()["internal/deps/acorn/acorn/dist/acorn"])(module, module.exports)
    parse = module.exports.parse
  }
  return parse
}
const pathOf = (file) => (file.startsWith("file:") ? fileURLToPath(file) : file)
const withoutTypes = (path) => {
  const text = readFileSync(path, "utf8")
  if (!/\.[cm]?ts$/.test(path)) return text
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return Module.stripTypeScriptTypes(text)
  } finally {
    process.emitWarning = emitWarning
  }
}
const parsed = new Map()
const syntaxOf = (file) => {
  const known = parsed.get(file)
  if (known !== undefined) return known
  const text = file.startsWith("node:") ? builtins()[file.slice("node:".length)] : withoutTypes(pathOf(file))
  const options = { ecmaVersion: "latest", allowHashBang: true, allowReturnOutsideFunction: true, allowAwaitOutsideFunction: true }
  let program
  try {
    program = parser()(text, { ...options, sourceType: "module" })
  } catch {
    program = parser()(text, { ...options, sourceType: "script" })
  }
  const starts = [0]
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1)
  const syntax = { program, starts }
  parsed.set(file, syntax)
  return syntax
}

// The nodes around an offset, the innermost first.
const nodesAt = (program, offset) => {
  const nodes = []
  const visit = (node) => {
    nodes.unshift(node)
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? value : [value]) {
        if (typeof child?.type === "string" && child.start <= offset && offset < child.end) return visit(child)
      }
    }
  }
  visit(program)
  return nodes
}
const isBoundary = ({ type }) => /Function|^(?:StaticBlock|PropertyDefinition|Program)/.test(type)

// Where a frame is: the function, whether a try statement in it catches, and whether the value of the call is awaited or returned.
const placeOf = (frame) => {
  const { program, starts } = syntaxOf(frame.getFileName())
  const offset = starts[frame.getLineNumber() - 1] + frame.getColumnNumber() - 1
  const nodes = nodesAt(program, offset)
  const end = nodes.findIndex(isBoundary)
  const inner = nodes.slice(0, end)
  const isCaught = inner.some((node, index) => node.type === "TryStatement" && node.handler && inner[index - 1] === node.block)
  const call = inner.findIndex(({ type }) => /^(?:Call|New|Import)Expression$/.test(type))
  const around = inner[call + 1] ?? nodes[end]
  const isAwaited = call >= 0 && around?.type === "AwaitExpression" && around.argument === inner[call]
  const isReturned = call >= 0 && (around?.type === "ReturnStatement" || around?.body === inner[call])
  return { owner: nodes[end], isAwaited, isCaught, isReturned }
}

// True if an asynchronous frame awaits the very promise of the function of the frame before it. V8 shows it also behind then() and catch().
const isAwaitOf = (frame, before) => {
  if (before === undefined) return false
  const { program, starts } = syntaxOf(frame.getFileName())
  const offset = starts[frame.getLineNumber() - 1] + frame.getColumnNumber() - 1
  const awaited = nodesAt(program, offset).find(({ type }) => type === "AwaitExpression")?.argument
  if (awaited?.type !== "CallExpression") return false
  const { callee } = awaited
  const isAround = callee.start <= before.owner.start && before.owner.end <= callee.end
  const name = callee.type === "Identifier" ? callee.name : callee.type === "MemberExpression" && !callee.computed ? callee.property.name : undefined
  return name === undefined ? /Function/.test(callee.type) && isAround : name === before.frame.getFunctionName()?.split(".").at(-1)
}

const isInternal = (frame) => (frame.getFileName() ?? "").startsWith("node:")
const isModuleRun = (frame) => frame.getFileName() === "node:internal/modules/esm/module_job"
const isMicrotask = (frame) => frame.getFileName() === "node:internal/process/task_queues"
let main
const isMain = (file) => {
  main ??= realpathSync(process.argv[1])
  return pathOf(file) === main
}

const reachesEnd = (frames) => {
  // True if the exception is in a promise that an async function has returned.
  let isPromise = false
  let before
  for (let index = 0; index < frames.length; index++) {
    const frame = frames[index]
    if (isMicrotask(frame)) continue
    if (isModuleRun(frame)) {
      // The module is evaluated for the program, or for an import() that waits for it.
      const waiting = frames.findIndex((one, at) => at > index && !isInternal(one))
      if (waiting < 0) return frames.some((one) => one.getFileName() === "node:internal/modules/run_main")
      index = waiting - 1
      continue
    }
    if (!frame.getFileName()) {
      if (isPromise || frame.isPromiseAll() || /Promise/.test(String(frame.getFunctionName()))) return false
      continue
    }
    const { isAwaited, isCaught, isReturned, owner } = placeOf(frame)
    if (frame.isAsync() && !isAwaitOf(frame, before)) return false
    if (isPromise && !isAwaited && !isReturned) return false
    if ((!isPromise || isAwaited) && isCaught) return false
    if (owner.async && owner.generator) return false
    if (isAwaited) isPromise = false
    before = { frame, owner }
    const after = frames.slice(index + 1).find((one) => !isMicrotask(one))
    if (owner.type === "Program" && after === undefined) return !isPromise && isMain(frame.getFileName())
    if (owner.async && after !== undefined && !after.isAsync()) isPromise = true
  }
  return false
}

// The frames of the program below a function of this file that the debugger has called.
const framesBelow = (called) => {
  const { prepareStackTrace, stackTraceLimit } = Error
  try {
    Error.stackTraceLimit = 200
    Error.prepareStackTrace = (_, frames) => frames
    const place = {}
    Error.captureStackTrace(place, called)
    return place.stack
  } finally {
    Object.assign(Error, { prepareStackTrace, stackTraceLimit })
  }
}

// Above a function of a promise the exception is a rejection, which may get a handler later.
const isOfPromise = (frame) =>
  isMicrotask(frame) ||
  frame.isAsync() ||
  (frame.getFileName() ? !isInternal(frame) && placeOf(frame).owner.async === true : /Promise/.test(String(frame.getFunctionName())))
// V8 shows no frame of Promise.reject() or of a function that rejects a promise.
let isRejection = false
const noteRejection = () => {
  isRejection = true
}
const isCertain = () => {
  if (isRejection) {
    isRejection = false
    return false
  }
  if (process.listenerCount("uncaughtException") > 0 || loadsOthers) return false
  try {
    const frames = framesBelow(isCertain)
    const last = frames.at(-1)
    // Node runs microtasks also without a frame of its own.
    return last !== undefined && frames.length < 200 && isInternal(last) && !frames.some(isOfPromise)
  } catch {
    return false
  }
}

const endsProgram = () => {
  conditions += 1
  // A test runner catches what its tests throw, and another file knows which of that makes a test fail.
  isSpent = conditions > mostConditions || globalThis["sigtrap.failure"] !== undefined || isRunner
  if (isSpent) return true
  if (loadsOthers) return false
  try {
    const frames = framesBelow(endsProgram)
    const first = frames.findIndex((frame) => frame.getFileName())
    if (first < 0 || frames.length >= 200 || isModuleRun(frames[first])) return false
    return reachesEnd(frames.slice(first))
  } catch {
    return false
  }
}

if (globalThis[property] === undefined) {
  Object.defineProperty(globalThis, property, { value: { endsProgram, isCertain, noteRejection, noteStop, stopAgain, isReporting: () => isReporting } })
  process.on("uncaughtExceptionMonitor", (error) => {
    const isHandled = !isRunner && globalThis["sigtrap.failure"] === undefined && process.listenerCount("uncaughtException") > 0
    if (!isHandled) report(error)
  })
}
`
