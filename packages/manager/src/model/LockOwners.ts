/**
 * The parts of glibc's locks (`pthread_mutex_t`, `pthread_rwlock_t`) that hold the id of a thread: it differs from run to run, so two runs
 * are compared without it.
 */

/** Members that are the id of a thread. */
const ids: ReadonlySet<string> = new Set(["__owner", "__cur_writer"])

/** Members that show the bytes of the lock again, beside the structure `__data`. */
const bytes: ReadonlySet<string> = new Set(["__size", "__align"])

/** True if a member of a lock is the id of its owner, or has that in it. `siblings` are the members of the same object. */
export const isOwner = (name: string, siblings: ReadonlyMap<string, unknown>): boolean =>
  ids.has(name) || (bytes.has(name) && siblings.has("__data"))

/** Returns the text of a value without the owners of locks in it. The text may be cut. */
export const without = (text: string): string =>
  text
    .replaceAll(/\b(__size:)"(?:[^"\\…]|\\.)*(?:"|…|\.\.\.|$)/g, "$1...")
    .replaceAll(/\b(__owner|__cur_writer|__align):-?\d+/g, "$1:...")
