/**
 * Finds the programs of the system that the daemon runs by itself, such as `mkfifo` and `ps`.
 *
 * The directories of the system come first, then those of PATH. Empty, `.` and other relative entries of PATH are ignored, so
 * a program of the project never runs. A file that others than root and this user can replace is not used.
 */
import { accessSync, constants, realpathSync, statSync } from "node:fs"
import { dirname, isAbsolute, join } from "node:path"

/** The directories of the system. */
export const system = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"]

/** The machine on which a helper is searched. `uid` is that of the effective user. */
export interface Machine {
  readonly directories: ReadonlyArray<string>
  readonly path: string | undefined
  readonly uid: number | undefined
}

const here = (): Machine => ({ directories: system, path: process.env["PATH"], uid: process.geteuid?.() })

/** Returns whether only root and the user can change a file or directory. */
const isTrusted = (path: string, uid: number | undefined): boolean => {
  const facts = statSync(path)
  return (facts.mode & 0o022) === 0 && (uid === undefined || facts.uid === 0 || facts.uid === uid)
}

const runs = (file: string, uid: number | undefined): boolean => {
  try {
    accessSync(file, constants.X_OK)
    const real = realpathSync(file)
    return statSync(real).isFile() && [real, dirname(real), dirname(file)].every((path) => isTrusted(path, uid))
  } catch {
    return false
  }
}

/** Returns the absolute path of a helper; `undefined` if no trusted one is found. */
export const find = (name: string, machine: Machine = here()): string | undefined => {
  const onPath = (machine.path ?? "").split(":").filter(isAbsolute)
  return [...machine.directories, ...onPath]
    .map((directory) => join(directory, name))
    .find((file) => runs(file, machine.uid))
}
