/**
 * Chooses the runtime directory of the daemon and its clients, and checks that it is private to this user.
 *
 * Plain synchronous code without Effect: the thin client runs it at every command and must get the same result as the
 * daemon. A missing directory is created with mode 0700; a directory with a problem is refused and not changed. Nothing
 * here opens a socket or starts a process.
 */
import { closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, realpathSync, statSync } from "node:fs"
import { dirname, join, resolve as absolute } from "node:path"

/** The environment variable that names the directory. */
export const VARIABLE = "SIGTRAP_RUNTIME_DIR"

/** The longest socket path that every system and runtime accepts, in bytes. */
export const SOCKET_PATH_LIMIT = 103

/** The input of the choice. `uid` is that of the effective user. */
export interface Request {
  /** The directory the user named, on the command line or by `SIGTRAP_RUNTIME_DIR`. */
  readonly explicit?: string | undefined
  readonly environment: { readonly [name: string]: string | undefined }
  readonly uid: number
}

/** A private directory and the paths in it. */
export interface Place {
  readonly _tag: "Place"
  readonly directory: string
  /** The daemon's socket; in another directory, under a hashed name, if its path would be too long. */
  readonly socket: string
  /** The socket of the daemon's supervisor, beside the daemon's. */
  readonly supervisor: string
  readonly lock: string
  /** Names the process that holds the lock. */
  readonly holder: string
  readonly log: string
  /** Records of what each session owns. */
  readonly sessions: string
  /** The audit log's files. */
  readonly audit: string
  /** Granted tokens and their records. */
  readonly grants: string
  /** Named pipes of programs. */
  readonly streams: string
}

/** Why a directory is refused, and what to do. */
export interface Refusal {
  readonly _tag: "Refusal"
  readonly directory: string
  readonly problem: string
  readonly remedy: string
}

const code = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error ? String(error.code) : String(error)

const octal = (mode: number) => (mode & 0o7777).toString(8).padStart(4, "0")

/** Returns the problem of a directory; `undefined` if it is this user's, no link, and 0700; "absent" if it does not exist. */
const examine = (directory: string, uid: number): string | undefined => {
  let facts
  try {
    const descriptor = openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
    try {
      facts = fstatSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    if (code(error) === "ENOENT") return "absent"
    try {
      const link = lstatSync(directory)
      if (link.isSymbolicLink()) return `it is a symbolic link, owned by uid ${link.uid}`
      if (!link.isDirectory()) return `it is not a directory, and owned by uid ${link.uid}`
      facts = link
    } catch {
      return `it cannot be opened (${code(error)})`
    }
  }
  if (facts.uid !== uid) return `it is owned by uid ${facts.uid}, not by you (uid ${uid})`
  if ((facts.mode & 0o777) !== 0o700) return `its mode is ${octal(facts.mode)}, not 0700 (owner uid ${facts.uid})`
  return undefined
}

/** Returns the ancestor that lets other users replace the directory, if any. The owner of `/` is trusted like root. */
const unsafeAncestor = (directory: string, uid: number): string | undefined => {
  try {
    const trusted = new Set([uid, 0, statSync("/").uid])
    for (let path = realpathSync(dirname(directory)); ; path = dirname(path)) {
      const facts = statSync(path)
      if (!facts.isDirectory()) return `${path} is not a directory`
      if (!trusted.has(facts.uid)) return `${path} is owned by uid ${facts.uid}`
      if ((facts.mode & 0o022) !== 0 && (facts.mode & 0o1000) === 0) {
        return `other users can write to ${path} (mode ${octal(facts.mode)}, owner uid ${facts.uid})`
      }
      if (path === dirname(path)) return undefined
    }
  } catch (error) {
    return `${dirname(directory)} cannot be used (${code(error)})`
  }
}

const ensure = (directory: string, uid: number): string | undefined => {
  const problem = examine(directory, uid)
  if (problem !== "absent") return problem
  try {
    mkdirSync(directory, { mode: 0o700 })
  } catch (error) {
    if (code(error) !== "EEXIST") return `it cannot be created (${code(error)})`
  }
  return examine(directory, uid)
}

/**
 * Returns why a directory is not private to this user; undefined if it is. One that does not exist is made with mode 0700; its
 * parent must exist.
 */
export const problemOf = (directory: string, uid: number): string | undefined =>
  unsafeAncestor(directory, uid) ?? ensure(directory, uid)

const refuse = (directory: string, problem: string): Refusal => ({
  _tag: "Refusal",
  directory,
  problem,
  remedy: `set ${VARIABLE} to a directory of your own with mode 0700`
})

const shared = (uid: number) => `/tmp/sigtrap-${uid}`

/** Returns whether this user owns a directory, as a per-user runtime or temporary directory. */
const ownedBy = (directory: string | undefined, uid: number): directory is string => {
  if (directory === undefined || !directory.startsWith("/")) return false
  try {
    return statSync(directory).uid === uid
  } catch {
    return false
  }
}

const choose = (request: Request): { readonly directory: string } | Refusal => {
  const { environment, uid } = request
  const named = request.explicit ?? environment[VARIABLE]
  if (named !== undefined && named !== "") {
    const directory = absolute(named)
    const problem = problemOf(directory, uid)
    return problem === undefined ? { directory } : refuse(directory, problem)
  }
  const candidates = [
    ...(ownedBy(environment["XDG_RUNTIME_DIR"], uid) ? [join(environment["XDG_RUNTIME_DIR"], "sigtrap")] : []),
    ...(ownedBy(environment["TMPDIR"], uid) ? [join(environment["TMPDIR"], `sigtrap-${uid}`)] : []),
    shared(uid)
  ]
  let last = refuse(shared(uid), "no directory can be used")
  for (const directory of candidates) {
    const way = unsafeAncestor(directory, uid)
    if (way !== undefined) {
      last = refuse(directory, way)
      continue
    }
    // The ancestors are safe, so another process of this user changed the directory: using another one would hide that.
    const problem = ensure(directory, uid)
    return problem === undefined ? { directory } : refuse(directory, problem)
  }
  return last
}

/** Returns 64 bits of FNV-1a in hexadecimal: a short name for a long path, not a secret. */
const digest = (text: string): string => {
  let hash = 0xcbf29ce484222325n
  for (const byte of new TextEncoder().encode(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n)
  return hash.toString(16).padStart(16, "0")
}

/** The longest suffix of the private name under which `Daemon` binds a new socket. */
const BIND_SUFFIX = ".1234567890"

const fits = (socket: string) => new TextEncoder().encode(socket + BIND_SUFFIX).length <= SOCKET_PATH_LIMIT

/** Chooses the directory and creates it if it does not exist; returns why it is refused otherwise. */
export const resolve = (request: Request): Place | Refusal => {
  const chosen = choose(request)
  if ("_tag" in chosen) return chosen
  const { directory } = chosen
  const place = (socket: string): Place => ({
    _tag: "Place",
    directory,
    socket,
    supervisor: socket.replace(/sock$/, "sup"),
    lock: join(directory, "daemon.lock"),
    holder: join(directory, "daemon.json"),
    log: join(directory, "daemon.log"),
    sessions: join(directory, "sessions"),
    audit: join(directory, "audit"),
    grants: join(directory, "grants"),
    streams: join(directory, "streams")
  })
  const near = join(directory, "daemon.sock")
  if (fits(near)) return place(near)
  const base = shared(request.uid)
  const problem = problemOf(base, request.uid)
  return problem === undefined ? place(join(base, `${digest(directory)}.sock`)) : refuse(base, problem)
}
