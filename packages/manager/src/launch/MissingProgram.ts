/**
 * What to try when a program cannot be started: programs with similar names, those in the folders of builds, the one on PATH,
 * or the command that makes the file executable.
 */
import { Errors, Hint, Nearest } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"

/** What the search needs. */
export interface Search {
  readonly fs: FileSystem.FileSystem
  readonly path: Path.Path
  /** True if a debugger runs the file although it is not executable. */
  readonly runsSource: (file: string) => Effect.Effect<boolean>
  /** The caller's working directory. */
  readonly directory: string
  /** The caller's PATH. */
  readonly searched: string
}

/** Folders into which tools build programs. */
const buildFolders = [
  "build",
  "bin",
  "out",
  "target/debug",
  "target/release",
  "cmake-build-debug",
  "build/Debug",
  ".build/debug",
  "src",
  "dist"
]

/** Maximum number of names in an error, and of entries of a folder that are looked at. */
const mostNames = 3
const mostEntries = 2000

/** Compilers by the ending of the source text that they compile. */
const compilers: ReadonlyArray<readonly [ending: RegExp, compiler: string]> = [
  [/\.c$/, "cc"],
  [/\.(?:cc|cpp|cxx|C)$/, "c++"],
  [/\.rs$/, "rustc"],
  [/\.swift$/, "swiftc"]
]

const isRunnable = ({ fs, runsSource }: Search, file: string) =>
  fs.stat(file).pipe(
    Effect.flatMap((info) =>
      info.type !== "File" ? Effect.succeed(false) : (info.mode & 0o111) !== 0 ? Effect.succeed(true) : runsSource(file)
    ),
    Effect.orElseSucceed(() => false)
  )

const entriesOf = ({ fs }: Search, folder: string) =>
  fs.readDirectory(folder).pipe(
    Effect.map((names) => names.slice(0, mostEntries)),
    Effect.orElseSucceed((): ReadonlyArray<string> => [])
  )

/** Returns the path as its caller would write it. */
const shown = ({ directory, path }: Search, file: string): string => {
  const relative = path.relative(directory, file)
  return relative.startsWith("..") ? file : relative.includes("/") ? relative : `./${relative}`
}

/** Returns the error with the files to try. */
const withFiles = (search: Search, file: string, problem: string, found: ReadonlyArray<string>) => {
  const names = found.slice(0, mostNames).map((one) => shown(search, one))
  return new Errors.ProgramNotFound({
    path: file,
    problem: names.length === 0 ? problem : `${problem}; nearest: ${names.join(", ")}`,
    remedies: names.length === 0 ? [Hint.help("start")] : names.map((program) => Hint.again("start", { program }))
  })
}

/** Returns the runnable files of a folder whose names are similar, nearest first. */
const similar = Effect.fnUntraced(function* (search: Search, folder: string, name: string) {
  const { path } = search
  const files = Nearest.names(name, yield* entriesOf(search, folder)).map((one) => path.join(folder, one))
  return yield* Effect.filter(files, (one) => isRunnable(search, one))
})

/** Returns the error for a path at which no file is. */
export const absent = Effect.fnUntraced(function* (search: Search, file: string, problem: string) {
  const { directory, fs, path, searched } = search
  const folder = path.dirname(file)
  const name = path.basename(file)
  if (folder !== directory && !(yield* Effect.orElseSucceed(fs.exists(folder), () => true))) {
    return new Errors.ProgramNotFound({ path: file, problem: `${problem}: there is no folder ${folder}` })
  }
  const [first = "", ...words] = name.split(" ")
  const command = path.join(folder, first)
  if (words.length > 0 && (yield* isRunnable(search, command))) {
    return new Errors.ProgramNotFound({
      path: file,
      problem: `${problem}; the arguments of the program are words of their own`,
      remedies: [Hint.again("start", { program: shown(search, command), args: words.filter((word) => word !== "") })]
    })
  }
  const folders = buildFolders.map((one) => path.join(folder, one, name))
  const onPath = folder === directory ? searched.split(":").map((one) => path.join(one, name)) : []
  const equal = yield* Effect.filter([...folders, ...onPath.filter((one) => path.isAbsolute(one))], (one) =>
    isRunnable(search, one)
  )
  return withFiles(search, file, problem, [...equal, ...(yield* similar(search, folder, name))])
})

/** Returns the error for a directory. */
export const directory = Effect.fnUntraced(function* (search: Search, file: string) {
  const files = (yield* entriesOf(search, file)).toSorted().map((name) => search.path.join(file, name))
  return withFiles(search, file, "it is a directory", yield* Effect.filter(files, (one) => isRunnable(search, one)))
})

/** Returns the error for a file that cannot be run; for source text it names the compiler to use. */
export const notExecutable = Effect.fnUntraced(function* (search: Search, file: string, isProgram: boolean) {
  const found = compilers.find(([ending]) => ending.test(file))
  if (found !== undefined) {
    const [ending, compiler] = found
    const source = search.path.basename(file)
    return new Errors.ProgramNotFound({
      path: file,
      problem: `it is source text; compile it with debug information: ${compiler} -g -o ${source.replace(ending, "")} ${source}`,
      remedies: [Hint.again("start", { program: file.replace(ending, "") })]
    })
  }
  if (isProgram) {
    const remedies = [Hint.remedy(`chmod +x ${shown(search, file)}`)]
    return new Errors.ProgramNotFound({ path: file, problem: "it is not executable", remedies })
  }
  const problem = "it is neither executable nor source text that a debugger here runs"
  const stem = search.path.basename(file).replace(/\.[^.]*$/, "")
  return withFiles(search, file, problem, yield* similar(search, search.path.dirname(file), stem))
})
