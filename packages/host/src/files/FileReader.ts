/**
 * Reads files with Node's asynchronous calls: never blocks the event loop, never waits for a pipe's writer.
 *
 * The path is looked at before it is opened, because opening a device can have an effect. The checks that count are those of
 * the open descriptor. A descriptor that arrives after the deadline is closed. Callers get large files one after another,
 * because most of them parse a file in one step.
 */
import * as Port from "@sigtrap/manager/ports/FileReader"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { close, constants, fstat, lstat, open, read, stat, type Stats } from "node:fs"
import { homedir } from "node:os"
import * as LoopPermit from "../runtime/LoopPermit.ts"

/** Time in which a file system must answer, in milliseconds. */
const deadline = 2_000

/** Size from which a file is large, in bytes. */
const large = 16 * 1024

/** Bytes of one read of a file whose size is not known. */
const chunk = 64 * 1024

type Failure = NodeJS.ErrnoException
type Answer<A> = (error: Failure | null, value: A) => void

/** Runs one of Node's calls. A path that Node refuses to pass to the system fails with EINVAL. */
const called = <A>(start: (answer: Answer<A>) => void): Effect.Effect<A, Failure> =>
  Effect.callback((resume) => {
    try {
      start((error, value) => resume(error === null ? Effect.succeed(value) : Effect.fail(error)))
    } catch (error) {
      // Node throws for a path with a NUL byte, and passes every other error to the callback.
      resume(Effect.fail(Object.assign(new Error(String(error)), { code: "EINVAL" })))
    }
  })

const rules: { readonly [code: string]: readonly [rule: Port.Rule, detail: string] } = {
  ENOENT: ["absent", "there is no such file"],
  ENOTDIR: ["absent", "there is no such file"],
  ENAMETOOLONG: ["absent", "there is no such file"],
  ELOOP: ["link", "its symbolic links form a cycle or must not be followed"],
  EINVAL: ["absent", "no path has a NUL byte"],
  EACCES: ["denied", "permission is denied"],
  EPERM: ["denied", "permission is denied"],
  ENXIO: ["kind", "it is not a regular file"],
  EISDIR: ["kind", "it is a directory; only regular files are read"]
}

const kindOf = (facts: Stats): string => {
  if (facts.isDirectory()) return "a directory"
  if (facts.isFIFO()) return "a named pipe"
  if (facts.isSocket()) return "a socket"
  return facts.isSymbolicLink() ? "a symbolic link" : "a device"
}

/** Returns a size as a person writes it: 2 MiB, 512 bytes. */
const sizeText = (bytes: number): string =>
  bytes % (1024 * 1024) === 0 ? `${bytes / (1024 * 1024)} MiB` : `${bytes} bytes`

/** A descriptor that is being opened or open. It is closed exactly once. */
interface Held {
  descriptor: number | undefined
  released: boolean
}

const release = (held: Held): void => {
  held.released = true
  if (held.descriptor !== undefined) close(held.descriptor, () => {})
  held.descriptor = undefined
}

const hold = (held: Held, file: string, flags: number): Effect.Effect<number, Failure> =>
  called((answer) =>
    open(file, flags, (error, descriptor) => {
      if (error === null) held.descriptor = descriptor
      if (held.released) release(held)
      answer(error, descriptor)
    })
  )

/** Reads from an offset on, until the buffer is full or the file ends; returns the number of bytes. */
const fill = Effect.fnUntraced(function* (descriptor: number, buffer: Uint8Array, offset: number) {
  let total = 0
  while (total < buffer.length) {
    const at = total
    const count = yield* called<number>((answer) =>
      read(descriptor, buffer, at, buffer.length - at, offset + at, (error, bytes) => answer(error, bytes))
    )
    if (count === 0) break
    total += count
  }
  return total
})

/** Makes a reader for the user of this id. */
export const make = (
  user: number | undefined = process.getuid?.(),
  millis = deadline,
  permit: LoopPermit.LoopPermit = LoopPermit.shared
): Port.FileReader["Service"] => {
  const refused = (file: string, rule: Port.Rule, detail: string) => new Port.FileRefused({ file, rule, detail })

  const failed = (file: string) => (error: Failure) => {
    const [rule, detail] = rules[error.code ?? ""] ?? ["unreadable", `${error.code ?? "an error"} from the system`]
    return refused(file, rule, detail)
  }

  const ownerOf = ({ uid }: Stats): Port.Owner =>
    user === undefined || uid === user ? "user" : uid === 0 ? "root" : "other"

  const checkOwner = (file: string, facts: Stats, purpose: Port.Purpose) =>
    purpose.owned === true && ownerOf(facts) === "other"
      ? Effect.fail(refused(file, "owner", "it belongs to another user"))
      : Effect.void

  const checkFile = Effect.fnUntraced(function* (file: string, facts: Stats, purpose: Port.Purpose, whole: boolean) {
    if (!facts.isFile()) {
      return yield* refused(file, "kind", `it is ${kindOf(facts)}; only regular files are read`)
    }
    if (whole && facts.size > purpose.limit) {
      return yield* refused(file, "size", `it is larger than ${sizeText(purpose.limit)}`)
    }
    yield* checkOwner(file, facts, purpose)
  })

  /** Opens a file; fails if it breaks a rule. */
  const opened = Effect.fnUntraced(function* (held: Held, file: string, purpose: Port.Purpose, whole: boolean) {
    const fails = failed(file)
    const own = yield* Effect.mapError(
      called<Stats>((answer) => lstat(file, answer)),
      fails
    )
    const isLink = own.isSymbolicLink()
    if (isLink && purpose.direct === true) return yield* refused(file, "link", "it is a symbolic link")
    if (isLink) yield* checkOwner(file, own, purpose)
    const target = isLink
      ? yield* Effect.mapError(
          called<Stats>((answer) => stat(file, answer)),
          fails
        )
      : own
    yield* checkFile(file, target, purpose, whole)
    const flags = constants.O_RDONLY | constants.O_NONBLOCK | (isLink ? 0 : constants.O_NOFOLLOW)
    const descriptor = yield* Effect.mapError(hold(held, file, flags), fails)
    const facts = yield* Effect.mapError(
      called<Stats>((answer) => fstat(descriptor, answer)),
      fails
    )
    yield* checkFile(file, facts, purpose, whole)
    return { descriptor, size: facts.size }
  })

  const within = <A>(file: string, work: Effect.Effect<A, Port.FileRefused>) =>
    Effect.timeoutOrElse(work, {
      duration: millis,
      orElse: () => Effect.fail(refused(file, "deadline", `the file system did not answer within ${millis} ms`))
    })

  const bytes: Port.FileReader["Service"]["bytes"] = (file, purpose) =>
    Effect.suspend(() => {
      const held: Held = { descriptor: undefined, released: false }
      const work = Effect.gen(function* () {
        const { descriptor, size } = yield* opened(held, file, purpose, true)
        const pieces: Array<Uint8Array> = []
        let total = 0
        // The first read asks for one byte more than the file has, so that a file that grows is noticed.
        for (let length = size + 1; ; length = chunk) {
          const buffer = new Uint8Array(Math.min(length, purpose.limit + 1 - total))
          const count = yield* Effect.mapError(fill(descriptor, buffer, total), failed(file))
          pieces.push(buffer.subarray(0, count))
          total += count
          if (total > purpose.limit) {
            return yield* refused(file, "size", `it is larger than ${sizeText(purpose.limit)}`)
          }
          if (count < buffer.length) break
        }
        return pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Uint8Array.from(Buffer.concat(pieces))
      })
      return Effect.ensuring(
        within(file, work),
        Effect.sync(() => release(held))
      ).pipe(Effect.tap((found) => (found.length < large ? Effect.void : permit.take())))
    })

  return {
    home: homedir() || undefined,

    bytes,

    text: (file, purpose) => Effect.map(bytes(file, purpose), (found) => new TextDecoder().decode(found)),

    parts: Effect.fnUntraced(function* (file, purpose) {
      const held: Held = { descriptor: undefined, released: false }
      yield* Scope.addFinalizer(
        yield* Effect.scope,
        Effect.sync(() => release(held))
      )
      const { descriptor, size } = yield* within(file, opened(held, file, purpose, false))
      return {
        size,
        read: (offset, length) => {
          if (length <= 0 || length > purpose.limit || offset >= size) return Effect.succeed(new Uint8Array(0))
          const buffer = new Uint8Array(Math.min(length, size - offset))
          return fill(descriptor, buffer, offset).pipe(
            Effect.map((count) => buffer.subarray(0, count)),
            Effect.orElseSucceed(() => new Uint8Array(0))
          )
        }
      }
    }),

    owner: (path) =>
      called<Stats>((answer) => lstat(path, answer)).pipe(
        Effect.map(ownerOf),
        Effect.timeoutOrElse({ duration: millis, orElse: () => Effect.succeed("absent" as const) }),
        Effect.orElseSucceed(() => "absent" as const)
      )
  }
}

/** The purpose of a file that the caller named. */
export const { named } = Port.purposes

/** The reader of this process. */
export const reader: Port.FileReader["Service"] = make()

/** Provides the reader. */
export const layer: Layer.Layer<Port.FileReader> = Layer.succeed(Port.FileReader, reader)
