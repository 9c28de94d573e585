/**
 * The owner of a lock in memory, in the layout of glibc on x86-64 and arm64 (`struct __pthread_mutex_s`, `pthread_rwlock_t`).
 */

/** A part of the program's memory that has a lock. */
export interface Words {
  readonly address: bigint
  readonly bytes: Uint8Array
}

const word = ({ bytes }: Words, at: number): number | undefined =>
  at + 4 > bytes.length ? undefined : new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getInt32(at, true)

/** Size of the word of a lock. */
export const wordSize = 4

/** Bits of a word that have the id of the owner (`FUTEX_TID_MASK`). */
const idBits = 0x3fff_ffff

/** The bit of a word whose owner has ended (`FUTEX_OWNER_DIED`). */
const diedBit = 0x4000_0000

/** Returns the owner of a lock with priority inheritance; undefined if it has none, or if its owner has ended. */
export const inheritingOwner = (words: Words): number | undefined => {
  const lock = word(words, 0)
  if (lock === undefined || (lock & diedBit) !== 0) return undefined
  const owner = lock & idBits
  return owner > 0 ? owner : undefined
}

/** Size of the part of a mutex with its owner and its kind. */
export const mutexSize = 24

/**
 * Bits of the kind of a mutex: its type, `PTHREAD_MUTEX_ROBUST`, `PRIO_INHERIT`, `PRIO_PROTECT`, shared between processes (0x80), and
 * whether the lock may be elided (0x300).
 */
const kinds = 0x3ff

/** The bit of the kind of a robust mutex (`PTHREAD_MUTEX_ROBUST_NORMAL_NP`). */
const robust = 0x10

/** In place of the owner of a robust mutex whose earlier owner has ended (`PTHREAD_MUTEX_INCONSISTENT`). */
const inconsistent = 0x7fff_ffff

/** Returns the owner of a mutex whose lock word is at the address; undefined if it has none, or if the memory is not a mutex. */
export const mutexOwner = (words: Words): number | undefined => {
  const [lock, , owner, users, kind] = [
    word(words, 0),
    word(words, 4),
    word(words, 8),
    word(words, 12),
    word(words, 16)
  ]
  if (lock === undefined || owner === undefined || users === undefined || kind === undefined) return undefined
  // After the death of an owner the next one is in the word alone, until it calls `pthread_mutex_consistent`.
  const isRescued = owner === inconsistent && lock < 0 && (lock & diedBit) === 0 && (kind & robust) !== 0
  const holder = isRescued ? lock & idBits : owner
  // With waiters the word is 2, or the owner's id with a flag.
  const isLock = lock === 2 || (lock & idBits) === holder
  return isLock && holder > 0 && holder !== inconsistent && users > 0 && kind >= 0 && (kind & ~kinds) === 0
    ? holder
    : undefined
}

/** The bit of the kind of a mutex with priority inheritance (`PTHREAD_MUTEX_PRIO_INHERIT_NP`). */
const inherits = 0x20

/** True for a mutex with priority inheritance that has an owner, also one that has ended. */
export const isInheriting = (words: Words): boolean => {
  const [lock, kind] = [word(words, 0), word(words, 16)]
  return lock !== undefined && kind !== undefined && (kind & inherits) !== 0 && mutexOwner(words) === (lock & idBits)
}

/** Returns the owner of a robust mutex, whose word is the id of its owner; undefined for other memory. */
export const robustOwner = (words: Words): number | undefined => {
  const [lock, kind] = [word(words, 0), word(words, 16)]
  if (lock === undefined || kind === undefined || lock >= 0 || (kind & robust) === 0) return undefined
  const owner = mutexOwner(words)
  return owner === (lock & idBits) ? owner : undefined
}

/** Size of a recursive lock of the C library (`_IO_lock_t` of a stream). */
export const recursiveSize = 16

/**
 * Returns the owner of a recursive lock of the C library that has waiters: the address of its thread's descriptor (`pthread_self`).
 * undefined for other memory.
 */
export const recursiveOwner = (words: Words): bigint | undefined => {
  const [lock, count, low, high] = [word(words, 0), word(words, 4), word(words, 8), word(words, 12)]
  if (lock !== 2 || count === undefined || count < 1 || low === undefined || high === undefined) return undefined
  const owner = (BigInt(high) << 32n) | BigInt(low >>> 0)
  return owner > 0n ? owner : undefined
}

/** Size of a lock for readers and a writer. */
export const rwlockSize = 56

/** Offsets in it of the two words on which threads wait. */
export const rwlockFutexes: ReadonlyArray<number> = [8, 12]

/** Who has a lock for readers and a writer: the writer, or a number of readers. */
export interface RwlockOwner {
  readonly writer?: number
  readonly readers: number
}

/** Returns who has a lock that begins at the address. */
export const rwlockOwner = (words: Words): RwlockOwner | undefined => {
  const [readers, writer] = [word(words, 0), word(words, 24)]
  if (readers === undefined || writer === undefined || writer < 0) return undefined
  // The lowest bits say in which phase the lock is; each reader adds 8.
  const count = readers >>> 3
  return { readers: count, ...(writer === 0 ? {} : { writer }) }
}

/**
 * Returns where the two words of a condition (`__g_signals`) begin, on one of which a thread waits. Threads that wait for one condition may
 * use either.
 */
export const conditionWords = (futex: bigint): bigint => futex & ~7n
