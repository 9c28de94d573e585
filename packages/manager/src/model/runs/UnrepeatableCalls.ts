/**
 * Functions of the system's libraries that read what another run of a program may not repeat: the time, random numbers, process
 * ids, the network, other processes and threads. A program that calls one of them may take another path when it runs again.
 */
import type { StackFrame } from "../../ports/ProgramState.ts"

/** What a function reads, as a noun phrase. */
type Kind =
  | "the time"
  | "random numbers"
  | "process ids"
  | "the network"
  | "another process"
  | "another thread"
  | "a timer"
  | "the state of the machine"
  | "when input arrives"
  | "who sent a signal"
  | "a folder that it changes itself"

const functions: ReadonlyArray<readonly [Kind, ReadonlyArray<string>]> = [
  [
    "the time",
    [
      // `time` and `gettimeofday` of glibc are chosen at load time and lead to these functions of the kernel's module.
      "__vdso_clock_gettime",
      "__vdso_gettimeofday",
      "__vdso_time",
      "__kernel_clock_gettime",
      "__kernel_gettimeofday",
      "clock_gettime",
      "clock",
      "times",
      "getrusage",
      "timespec_get",
      "ftime",
      "adjtimex",
      "ntp_adjtime",
      "ntp_gettime",
      "ntp_gettimex",
      "clock_adjtime",
      "mach_absolute_time"
    ]
  ],
  [
    "random numbers",
    [
      "getrandom",
      "getentropy",
      "arc4random",
      "arc4random_buf",
      "arc4random_uniform",
      "std::random_device::_M_getval",
      "std::random_device::_M_init",
      "std::__1::random_device::operator",
      "mkstemp",
      "mkostemp",
      "mkdtemp",
      "tmpfile",
      "tmpnam",
      "tempnam"
    ]
  ],
  [
    "process ids",
    ["getpid", "getppid", "gettid", "getpgrp", "getpgid", "getsid", "__vdso_getcpu", "sched_getcpu", "getcpu"]
  ],
  [
    "the network",
    ["socket", "connect", "accept", "accept4", "recv", "recvfrom", "recvmsg", "getsockopt", "getaddrinfo"]
  ],
  [
    "another process",
    [
      "fork",
      "vfork",
      "posix_spawn",
      "posix_spawnp",
      "popen",
      "system",
      "shm_open",
      "shmget",
      "semget",
      "msgget",
      "mq_open",
      "sem_open",
      "ptrace"
    ]
  ],
  ["another thread", ["pthread_create", "thrd_create"]],
  ["a timer", ["alarm", "ualarm", "setitimer", "timer_create", "timerfd_create"]],
  [
    "the state of the machine",
    [
      "getloadavg",
      "sysinfo",
      "get_avphys_pages",
      "statfs",
      "statfs64",
      "fstatfs",
      "fstatfs64",
      "statvfs",
      "statvfs64",
      "fstatvfs"
    ]
  ],
  ["who sent a signal", ["sigwaitinfo", "sigtimedwait", "signalfd"]],
  ["when input arrives", ["poll", "ppoll", "select", "pselect", "epoll_wait", "epoll_pwait"]],
  [
    // The first run has changed what another one finds: the folder that it made is there, the file that it removed is not.
    "a folder that it changes itself",
    [
      "mkdir",
      "mkdirat",
      "rmdir",
      "unlink",
      "unlinkat",
      "remove",
      "rename",
      "renameat",
      "renameat2",
      "link",
      "linkat",
      "symlink",
      "symlinkat",
      "mknod",
      "mknodat",
      "mkfifo",
      "mkfifoat",
      "truncate",
      "truncate64"
    ]
  ]
]

/** Functions that open or examine a file, and the index of the argument that is its path. */
const opening: { readonly [name: string]: number } = {
  open: 0,
  open64: 0,
  openat: 1,
  openat64: 1,
  fopen: 0,
  fopen64: 0,
  freopen: 0,
  opendir: 0,
  scandir: 0,
  scandir64: 0,
  access: 0,
  euidaccess: 0,
  faccessat: 1,
  stat: 0,
  stat64: 0,
  lstat: 0,
  lstat64: 0,
  fstatat: 1,
  fstatat64: 1,
  statx: 1,
  // A link below /proc leads to the process of the run.
  readlink: 0,
  readlinkat: 1,
  __readlink_chk: 0,
  __readlinkat_chk: 1,
  realpath: 0,
  __realpath_chk: 0,
  canonicalize_file_name: 0
}

/** Functions that examine an open file, and the index of the argument that is its descriptor. */
const examining: { readonly [name: string]: number } = { fstat: 0, fstat64: 0, __fxstat: 1, __fxstat64: 1 }

/** Functions that read which files a folder has. */
const listing: ReadonlySet<string> = new Set(["opendir", "scandir", "scandir64"])

const kinds: ReadonlyMap<string, Kind> = new Map(
  functions.flatMap(([kind, names]) => names.map((name) => [name, kind] as const))
)

/** The names of those that read what another run may not repeat, whatever their arguments are. */
export const readingNames: ReadonlyArray<string> = [...kinds.keys()]

/** The names of all these functions. */
export const names: ReadonlyArray<string> = [...readingNames, ...Object.keys(opening), ...Object.keys(examining)]

/** Files that are the same in each run although they are not regular files. Without random addresses the maps are, too. */
const constantFiles: ReadonlySet<string> = new Set([
  "/dev/null",
  "/dev/zero",
  "/dev/full",
  "/dev/tty",
  "/proc/self/maps",
  "/proc/self/exe"
])

/** True for a path of a file that is the same in each run, in a folder of the system. */
export const isConstant = (path: string): boolean => constantFiles.has(path)

/** True for a file whose content differs from run to run. */
export const isVariable = (path: string): boolean => /^\/(?:dev|proc|sys)\//.test(path) && !isConstant(path)

/** True for the target of a link in `/proc/PID/fd` that the system numbers or makes in each run: a pipe, a socket, memory. */
export const isWithoutPath = (target: string): boolean => !target.startsWith("/") || target.startsWith("/memfd:")

const spellings = (name: string): ReadonlyArray<string> => {
  const bare = name.replace(/\(.*$/, "")
  return [bare, bare.replace(/^_*(?:GI_+|libc_|new_|IO_new_|IO_|vdso_|kernel_)?/, "")]
}

/**
 * A call of one of these functions. With `path`, the index of its argument that is the path of a file; `lists` is true if that is a
 * folder whose files are listed, and `folder` is the index of the descriptor of the folder that the path begins in. With `descriptor`,
 * the index of the argument that is an open file.
 */
export type Call =
  | { readonly function: string; readonly kind: Kind }
  | { readonly function: string; readonly path: number; readonly lists: boolean; readonly folder: number | undefined }
  | { readonly function: string; readonly descriptor: number }

/** Returns the call that a frame is in; undefined for another function, and for one of the user with such a name. */
export const of = (frame: Pick<StackFrame, "function" | "file">, isUser: boolean): Call | undefined => {
  if (isUser) return undefined
  for (const name of spellings(frame.function)) {
    const kind = kinds.get(name)
    if (kind !== undefined) return { function: name, kind }
    const path = opening[name]
    if (path !== undefined) {
      return { function: name, path, lists: listing.has(name), folder: path > 0 ? path - 1 : undefined }
    }
    const descriptor = examining[name]
    if (descriptor !== undefined) return { function: name, descriptor }
  }
  return undefined
}

/** True for a kind that only matters where the user's own code asks: runtimes ask at their start without any effect. */
export const isOfUserOnly = (kind: Kind): boolean =>
  kind === "when input arrives" || kind === "the state of the machine"
