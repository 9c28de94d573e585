/**
 * Connects to the daemon by Node's internal interface to pipes, `pipe_wrap`, which `node:net` uses too. To load `node:net` takes
 * longer than the whole exchange with the daemon. Node keeps this interface for old programs (`process.binding`), without a
 * promise: where a part of it is missing, as under Bun and Deno, `dial` returns undefined and the caller uses `node:net`.
 */
import type { Listener, Wire } from "./DaemonCall.ts"

/** The parts of the interface that are used; the fields are checked before use. */
interface Interface {
  readonly Pipe: unknown
  readonly Connect: unknown
  readonly Write: unknown
  /** The kind of a pipe that connects to a socket. */
  readonly socket: unknown
  /** Numbers that a callback finds beside its arguments, and the places of two of them. */
  readonly state: Int32Array
  readonly places: { readonly length: number; readonly offset: number }
}

const methods = ["connect", "readStart", "writeUtf8String", "close"]

const isClass = (value: unknown): value is new () => object => typeof value === "function"

/** Returns the interface; undefined if this runtime has none, or another one. */
const load = (): Interface | undefined => {
  if (process.versions["bun"] !== undefined || process.versions["deno"] !== undefined) return undefined
  const warns = process.noDeprecation
  try {
    const binding: unknown = Reflect.get(process, "binding")
    if (typeof binding !== "function") return undefined
    // Without this Node prints a warning if it runs with --pending-deprecation.
    process.noDeprecation = true
    const { Pipe, PipeConnectWrap: Connect, constants } = Object(binding.call(process, "pipe_wrap"))
    const streams = Object(binding.call(process, "stream_wrap"))
    const { WriteWrap: Write, streamBaseState: state, kReadBytesOrError: length, kArrayBufferOffset: offset } = streams
    const socket: unknown = Object(constants).SOCKET
    const isKnown =
      isClass(Pipe) &&
      isClass(Connect) &&
      isClass(Write) &&
      methods.every((name) => typeof Reflect.get(Pipe.prototype, name) === "function") &&
      ArrayBuffer.isView(state) &&
      [socket, length, offset].every(Number.isInteger)
    return isKnown && state instanceof Int32Array
      ? { Pipe, Connect, Write, socket, state, places: { length, offset } }
      : undefined
  } catch {
    return undefined
  } finally {
    process.noDeprecation = warns ?? false
  }
}

/** Makes an object of a class of the interface. */
const make = (made: unknown, ...words: ReadonlyArray<unknown>) =>
  Object(isClass(made) ? Reflect.construct(made, words) : undefined)

/**
 * Connects to a socket; resolves to undefined if nothing listens on it. Returns undefined at once if this runtime lacks the
 * interface.
 */
export const dial = (path: string, listener: Listener): Promise<Wire | undefined> | undefined => {
  const found = load()
  if (found === undefined) return undefined
  const { Connect, Pipe, Write, places, socket, state } = found
  const pipe = make(Pipe, socket)
  const decoder = new TextDecoder()
  let isOpen = true
  const close = (): void => {
    if (!isOpen) return
    isOpen = false
    pipe.close()
    listener.closed()
  }
  // A negative number of bytes is the end of the input or an error.
  pipe.onread = (bytes: unknown) => {
    const length = state[places.length] ?? 0
    if (length < 0) return close()
    if (length === 0 || !(bytes instanceof ArrayBuffer)) return
    const text = decoder.decode(new Uint8Array(bytes, state[places.offset], length), { stream: true })
    if (text !== "") listener.text(text)
  }
  // What the system does not take at once is queued by Node and written when the daemon reads on.
  const send = (text: string): void => {
    if (!isOpen) return
    const request = make(Write)
    request.oncomplete = (status: number) => {
      if (status < 0) close()
    }
    if (pipe.writeUtf8String(request, text) !== 0) close()
  }
  return new Promise((resolve) => {
    const fail = (): void => {
      pipe.close()
      resolve(undefined)
    }
    const request = make(Connect)
    request.oncomplete = (status: number) => {
      if (status !== 0 || pipe.readStart() !== 0) return fail()
      resolve({ send })
    }
    if (pipe.connect(request, path) !== 0) fail()
  })
}
