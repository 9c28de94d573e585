/**
 * The one way to write a file that the caller named: a report, records, an input, bytes of memory.
 *
 * A file that exists is refused unless the caller says that it may be replaced. A new file is created exclusively (`O_EXCL`), so
 * no file that appears meanwhile is lost and no symbolic link is followed. A replaced file is written beside it and renamed,
 * so its content stays if the disk is full, and no pipe or device is opened. The streams of a program are not written here: they
 * are redirected as a shell does.
 */
import { Errors, Hint, ShellWords } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"
import * as Predicate from "effect/Predicate"

/** How a file is written. */
export interface Options {
  /** True if a file that exists may be replaced. */
  readonly force: boolean
  /** The hint for a caller that wants to replace the file: its call with `force`. */
  readonly retry: Hint.Hint
  /** Permissions of the file. Default: those of the replaced file, or what the umask of the process gives. */
  readonly mode?: number
}

/** An error of writing a file. */
export type Refused = Errors.FileExists | Errors.FileNotWritten

/** File system and paths. */
export interface Machine {
  readonly fs: FileSystem.FileSystem
  readonly path: Path.Path
}

const other = Hint.remedy("name another file")

/** Returns the rule that a system error shows, with its detail and a remedy. */
const ruleOf = (
  { message, reason }: PlatformError,
  directory: string
): readonly [Errors.FileRule, string, remedy?: Hint.Hint] => {
  const { cause } = reason
  const code = Predicate.hasProperty(cause, "code") ? cause.code : undefined
  switch (code) {
    case "ENOENT":
      return [
        "absent",
        `the directory ${directory} does not exist`,
        Hint.remedy(`mkdir -p ${ShellWords.quote(directory)}`)
      ]
    case "ENOTDIR":
      return ["absent", `${directory} is not a directory`]
    case "EACCES":
    case "EPERM":
      return ["denied", `permission to write in ${directory} is denied`]
    case "EROFS":
      return ["denied", `the file system of ${directory} is read-only`]
    case "ENOSPC":
      return ["full", `the file system of ${directory} is full`]
    case "EDQUOT":
      return ["full", `the disk quota of ${directory} is used up`]
    case "EFBIG":
      return ["full", "it is larger than the limit of this process (ulimit -f)"]
    case "EISDIR":
      return ["kind", "it is a directory"]
    case "ENAMETOOLONG":
      return ["unwritable", "its name is too long"]
    default:
      return ["unwritable", Predicate.isString(code) ? `${code} from the system` : message]
  }
}

const kinds: { readonly [type: string]: string } = {
  Directory: "a directory",
  FIFO: "a named pipe",
  Socket: "a socket",
  BlockDevice: "a device",
  CharacterDevice: "a device"
}

const refused = (path: string, rule: Errors.FileRule, detail: string, ...remedies: Hint.Hints) =>
  new Errors.FileNotWritten({ path, rule, detail, remedies: [...remedies, other] })

const failed =
  (file: string, { path }: Machine) =>
  (error: PlatformError): Errors.FileNotWritten => {
    const [rule, detail, remedy] = ruleOf(error, path.dirname(file))
    return refused(file, rule, detail, ...(remedy === undefined ? [] : [remedy]))
  }

/** Returns the mode of a file that may be replaced; undefined if there is none. Fails for one that may not be replaced. */
const replaced = Effect.fnUntraced(function* (file: string, { force, retry }: Options, machine: Machine) {
  const { fs } = machine
  const facts = yield* fs
    .lstat(file)
    .pipe(
      Effect.catch((error) =>
        error.reason._tag === "NotFound" ? Effect.succeed(undefined) : Effect.fail(failed(file, machine)(error))
      )
    )
  if (facts === undefined) return undefined
  if (facts.type === "SymbolicLink") {
    const target = yield* Effect.orElseSucceed(fs.readLink(file), () => "another file")
    return yield* refused(file, "link", `it is a symbolic link to ${target}`)
  }
  if (facts.type !== "File") return yield* refused(file, "kind", `it is ${kinds[facts.type] ?? "no regular file"}`)
  if (!force) return yield* new Errors.FileExists({ path: file, remedies: [retry, other] })
  return facts.mode & 0o777
})

/** Returns a name beside a file that no other call uses. */
const draftOf = (file: string, { path }: Machine): string =>
  path.join(path.dirname(file), `.sigtrap-${crypto.randomUUID()}.part`)

/** Creates a file with this content; removes it if that fails. */
const create = (file: string, bytes: Uint8Array, mode: number | undefined, { fs }: Machine) =>
  Effect.scoped(
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(fs.open(file, { flag: "wx", ...(mode === undefined ? {} : { mode }) }), (opened) =>
        restore(opened.writeAll(bytes)).pipe(Effect.onError(() => Effect.ignore(fs.remove(file))))
      )
    )
  )

/** Writes a file. Fails without a change to what the path names. */
export const write = Effect.fnUntraced(function* (
  file: string,
  content: string | Uint8Array,
  options: Options,
  machine: Machine
): Effect.fn.Return<void, Refused> {
  const { fs } = machine
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content
  const mode = yield* replaced(file, options, machine)
  const fails = failed(file, machine)
  if (mode === undefined) {
    return yield* create(file, bytes, options.mode, machine).pipe(
      Effect.mapError((error) =>
        error.reason._tag === "AlreadyExists"
          ? new Errors.FileExists({ path: file, remedies: [options.retry, other] })
          : fails(error)
      )
    )
  }
  const draft = draftOf(file, machine)
  yield* create(draft, bytes, options.mode ?? mode, machine).pipe(
    Effect.andThen(options.mode === undefined ? fs.chmod(draft, mode) : Effect.void),
    Effect.andThen(fs.rename(draft, file)),
    Effect.onError(() => Effect.ignore(fs.remove(draft))),
    Effect.mapError(fails)
  )
})

/** Fails if `write` would, as far as that is known now: for calls that write their file at their end. Leaves nothing behind. */
export const check = Effect.fnUntraced(function* (
  file: string,
  options: Options,
  machine: Machine
): Effect.fn.Return<void, Refused> {
  yield* replaced(file, options, machine)
  const draft = draftOf(file, machine)
  yield* create(draft, new Uint8Array(), options.mode, machine).pipe(
    Effect.andThen(machine.fs.remove(draft)),
    Effect.mapError(failed(file, machine))
  )
})
