/**
 * The one way to read a file.
 *
 * A path can name a pipe, a device, a link to either, a sparse file of 10 GB, or a file that another user wrote to mislead
 * this one. A reader opens the file without blocking, checks the open descriptor, and reads at most the limit of the
 * purpose. It refuses everything else with the rule that the file breaks. A test refuses other ways to read a file.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

const MiB = 1024 * 1024

/** What a file is read for, and which rules it must follow. */
export interface Purpose {
  /** Maximum size of the file, or of one part of it, in bytes. */
  readonly limit: number
  /** True if the file decides what is run: its owner, and that of a link to it, must be the user or root. */
  readonly owned?: true
  /** True if the last component of the path must not be a symbolic link. */
  readonly direct?: true
}

/** The purposes for which files are read, with their limits and rules. */
export const purposes = {
  /** The user's configuration. A link is followed, because dotfiles are often links. */
  settings: { limit: MiB, owned: true },
  /** A project's `.sigtrap.toml`. Its content is ignored until the user trusts its digest, so any owner may have it. */
  project: { limit: MiB, direct: true },
  /** An editor's `launch.json` that was found, not named. */
  launchJson: { limit: MiB, owned: true, direct: true },
  /** The defaults of a project for simulators. */
  defaults: { limit: MiB, owned: true, direct: true },
  /** A record that the daemon or `config trust` wrote. */
  record: { limit: MiB, owned: true, direct: true },
  /** A file that the caller named for this call, which therefore may have any owner: `--config`, `--env-from`. */
  named: { limit: MiB },
  /**
   * Source text. `SourceFiles` resolves links before and confines the path. Generated files are large: the one file of SQLite has 9 MiB.
   */
  source: { limit: 16 * MiB, direct: true },
  /** A source map or a bundle of scripts. */
  script: { limit: 16 * MiB },
  /** Bytes for the program's input or memory. */
  input: { limit: 16 * MiB },
  /** A property list of an app. */
  propertyList: { limit: MiB },
  /** Parts of a program or a core file. The limit is that of one part; the file may have any size. */
  binary: { limit: 64 * MiB }
} as const satisfies { readonly [name: string]: Purpose }

/**
 * The rule that a file breaks. `absent`: no such file. `kind`: not a regular file. `link`: a symbolic link, or a cycle of
 * them. `owner`: another user's. `size`: over the limit. `denied`: no permission. `deadline`: the file system does not
 * answer. `unreadable`: any other failure.
 */
export type Rule = "absent" | "kind" | "link" | "owner" | "size" | "denied" | "deadline" | "unreadable"

/** A file that was not read. `detail` is a clause: "it is a named pipe; only regular files are read". */
export class FileRefused extends Data.TaggedError("FileRefused")<{
  readonly file: string
  readonly rule: Rule
  readonly detail: string
}> {
  override get message() {
    return `${this.file} was not read: ${this.detail}`
  }
}

/** Owner of a file or directory: the user, root, another user, or none because it is absent. */
export type Owner = "user" | "root" | "other" | "absent"

/** An open file of which parts are read. */
export interface Parts {
  /** Size in bytes when it was opened. */
  readonly size: number
  /** Returns the bytes from an offset on, fewer at the end of the file; none for a length over the limit. */
  readonly read: (offset: number, length: number) => Effect.Effect<Uint8Array>
}

/** Reads files. A refusal takes at most 2 s, also if the file system does not answer. */
export class FileReader extends Context.Service<
  FileReader,
  {
    /** Returns the text of a file, decoded as UTF-8 without a byte order mark. */
    readonly text: (file: string, purpose: Purpose) => Effect.Effect<string, FileRefused>
    /** Returns the bytes of a file. */
    readonly bytes: (file: string, purpose: Purpose) => Effect.Effect<Uint8Array, FileRefused>
    /** Opens a file of any size to read parts of it. */
    readonly parts: (file: string, purpose: Purpose) => Effect.Effect<Parts, FileRefused, Scope.Scope>
    /** Home directory of the user, if there is one. */
    readonly home: string | undefined
    /** Returns the owner of a path, without following a link. */
    readonly owner: (path: string) => Effect.Effect<Owner>
  }
>()("@sigtrap/manager/FileReader") {}

/** A directory in which project files are searched. */
export interface Folder {
  readonly path: string
  readonly owner: Owner
}

/** Returns a directory and those above it, nearest first. */
export const upward = (directory: string, dirname: (path: string) => string): ReadonlyArray<string> => {
  const above = dirname(directory)
  return above === directory ? [directory] : [directory, ...upward(above, dirname)]
}

/**
 * Returns the directories in which project files are searched: a directory and those above it, nearest first. The last one is
 * the first that belongs to another user, who decides what is in it and above it, or else the root directory. A file in a
 * directory of another user is reported and not used.
 */
export const searched = Effect.fnUntraced(function* (
  { owner }: Pick<FileReader["Service"], "owner">,
  directory: string,
  dirname: (path: string) => string
): Effect.fn.Return<ReadonlyArray<Folder>> {
  const all = yield* Effect.forEach(
    upward(directory, dirname),
    (path) => Effect.map(owner(path), (of): Folder => ({ path, owner: of })),
    { concurrency: "unbounded" }
  )
  const end = all.findIndex((folder) => folder.owner === "other")
  return end === -1 ? all : all.slice(0, end + 1)
})
