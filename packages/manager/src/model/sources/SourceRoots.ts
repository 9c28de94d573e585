/**
 * Which files a session may show as source text. Pure; every path has its links resolved.
 *
 * The debugged program chooses the file names in its debug information, so a name there admits nothing. A file is shown only
 * below a root: the project of the caller or the program, the caller's directory, directories that the caller named, and the
 * sources of the tool chain. Files that hold secrets by their name are never shown, nor are those of the kernel.
 */
import { Hint, Roots } from "@sigtrap/protocol"

/** The roots of a session. */
export interface SourceRoots {
  /** Directories whose files are shown. */
  readonly directories: ReadonlyArray<string>
  /** Directories in which a file that was not found is searched by the end of its path (`source.roots`). */
  readonly searched: ReadonlyArray<string>
  /** Directories of the policy `roots`; if there are any, a file must also be in one of them. */
  readonly policy: ReadonlyArray<string>
  /** The homes of the user, which hold further sources of the tool chain. */
  readonly homes: ReadonlyArray<string>
}

/** The roots of a session that shows only the sources of the tool chain. */
export const none: SourceRoots = { directories: [], searched: [], policy: [], homes: [] }

/** Why a file is not shown. `outside`: no root holds it. `secret`: its name. `system`: the kernel's or a device. */
export interface Refusal {
  readonly rule: "outside" | "secret" | "system"
  /** A clause: "it is in no source directory of the session". */
  readonly detail: string
}

/** Directories of the kernel. Reading there can have effects and shows environments and memory. */
const kernel = ["/proc", "/sys", "/dev", "/run/secrets", "/var/run/secrets"]

/** Names of directories that hold keys, credentials or profiles. */
const secretDirectories = new Set([
  ".ssh",
  ".aws",
  ".azure",
  ".gnupg",
  ".kube",
  ".docker",
  ".gcloud",
  "gcloud",
  ".oci",
  ".password-store",
  ".mozilla",
  ".thunderbird",
  "google-chrome",
  "chromium",
  "bravesoftware",
  "microsoft-edge",
  "keyrings",
  "keychains",
  ".git",
  ".terraform.d",
  ".sigtrap"
])

/** Names of files that hold keys, credentials or environments. */
const secretFiles: ReadonlyArray<RegExp> = [
  /^\.env/,
  /\.env$/,
  /^[._]netrc$/,
  /^\.(?:npmrc|yarnrc\.yml|pypirc|pgpass|my\.cnf|git-credentials|htpasswd|dockercfg|s3cfg|boto|vault-token|terraformrc)$/,
  /_history$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519)/,
  /\.(?:pem|key|p12|pfx|p8|jks|keystore|kdbx?|ppk|asc|gpg|tfstate|tfvars|ovpn|mobileprovision|keychain(?:-db)?)$/,
  /^(?:credentials|secrets?|service[-_]account.*|client_secret.*|kubeconfig|token)(?:\.(?:json|ya?ml|toml|ini|csv|xml|db|txt))?$/,
  /^(?:g?shadow|gshadow-?|shadow-|sudoers|authorized_keys|known_hosts)$/,
  /^(?:login data|cookies(?:\.sqlite)?|logins\.json|key[34]\.db|wallet\.dat)$/
]

/** Sources of compilers and runtimes, outside of a home. */
const toolChain: ReadonlyArray<RegExp> = [
  /^\/usr\/(?:local\/)?include\//,
  /^\/usr\/lib\/gcc\//,
  /^\/usr\/lib\/llvm-\d+\/(?:include|lib\/clang)\//,
  /^\/usr\/lib\/clang\//,
  /^\/usr\/(?:local\/)?lib\/python3[^/]*\//,
  /^\/usr\/src\/[^/]+\//,
  /^\/usr\/(?:local\/)?lib\/rustlib\/src\//,
  /^\/usr\/(?:local\/go|lib\/go(?:-[\d.]+)?|share\/go(?:-[\d.]+)?)\/src\//,
  /^\/usr\/(?:local\/lib|lib|share)\/node(?:js|_modules)\//,
  /^\/rustc\//,
  /^\/nix\/store\//,
  /^\/opt\/homebrew\/(?:include|Cellar|lib\/python3[^/]*)\//,
  /^\/Applications\/Xcode[^/]*\.app\/Contents\/Developer\//,
  /^\/Library\/Developer\/CommandLineTools\//
]

/** The same below a home. */
const homeToolChain: ReadonlyArray<RegExp> = [
  /^\/\.rustup\/toolchains\/[^/]+\/lib\/rustlib\/src\//,
  /^\/\.cargo\/(?:registry\/src|git\/checkouts)\//,
  /^\/(?:go|\.go)\/pkg\/mod\//,
  /^\/\.pyenv\/versions\/[^/]+\/lib\/python3[^/]*\//,
  /^\/\.local\/(?:lib\/python3[^/]*|share\/uv\/python\/[^/]+\/lib\/python3[^/]*)\//,
  /^\/\.nvm\/versions\/node\/[^/]+\/(?:lib|include)\//
]

/** Directories of the system, which hold the files of everybody: too wide for a root. */
const wide = new Set([
  "/",
  "/bin",
  "/boot",
  "/home",
  "/lib",
  "/lib32",
  "/lib64",
  "/media",
  "/mnt",
  "/opt",
  "/private",
  "/private/tmp",
  "/private/var",
  "/private/var/tmp",
  "/root",
  "/run",
  "/sbin",
  "/srv",
  "/tmp",
  "/usr",
  "/usr/bin",
  "/usr/lib",
  "/usr/local",
  "/usr/local/bin",
  "/usr/sbin",
  "/usr/share",
  "/var",
  "/var/tmp",
  "/Applications",
  "/Library",
  "/System",
  "/Users",
  "/Volumes"
])

/** Trees of configuration and state of the system, in which no directory is a root. */
const systemTrees = [...kernel, "/boot", "/etc", "/private/etc", "/var/lib", "/var/log", "/var/spool"]

/** Directories of a home that hold more than programs. */
const personal = new Set([
  "Desktop",
  "Documents",
  "Downloads",
  "Library",
  "Movies",
  "Music",
  "Pictures",
  "Public",
  "Videos"
])

const base = (file: string): string => file.slice(file.lastIndexOf("/") + 1)

/**
 * True for a directory that must not become a root although a caller works there: a system directory, a home, what lies above
 * a home, a hidden directory of a home, a directory for temporary files.
 */
export const isTooWide = (
  directory: string,
  { homes, temporary }: { readonly homes: ReadonlyArray<string>; readonly temporary: ReadonlyArray<string> }
): boolean =>
  wide.has(directory) ||
  temporary.includes(directory) ||
  Roots.contain(systemTrees, directory) ||
  /^\/(?:home|Users|export\/home|var\/home)\/[^/]+$/.test(directory) ||
  directory.split("/").some((name) => secretDirectories.has(name.toLowerCase())) ||
  homes.some(
    (home) =>
      Roots.contain([directory], home) ||
      (directory.startsWith(`${home}/.`) && !directory.slice(home.length + 1).includes("/"))
  )

/** True for a directory of a home such as `Downloads`, where a program says nothing about the files beside it. */
export const isPersonal = (directory: string, homes: ReadonlyArray<string>): boolean =>
  homes.some((home) => directory.startsWith(`${home}/`) && personal.has(directory.slice(home.length + 1)))

const isToolChain = (file: string, homes: ReadonlyArray<string>): boolean =>
  toolChain.some((pattern) => pattern.test(file)) ||
  homes.some(
    (home) => file.startsWith(`${home}/`) && homeToolChain.some((pattern) => pattern.test(file.slice(home.length)))
  )

const isSecret = (file: string): boolean => {
  const name = base(file).toLowerCase()
  return (
    secretFiles.some((pattern) => pattern.test(name)) ||
    file
      .toLowerCase()
      .split("/")
      .slice(0, -1)
      .some((directory) => secretDirectories.has(directory))
  )
}

/** Why a file is not shown that no root holds, as a clause. */
export const outside = "it is in no source directory of the session"

/** Returns why a file is not shown, or undefined if it may be shown. */
export const refusal = ({ directories, homes, policy }: SourceRoots, file: string): Refusal | undefined => {
  if (Roots.contain(kernel, file)) return { rule: "system", detail: "it is a file of the system" }
  if (isSecret(file)) return { rule: "secret", detail: "a file of this name may hold keys or credentials" }
  if (policy.length > 0 && !Roots.contain(policy, file)) {
    return { rule: "outside", detail: "the policy roots does not allow it" }
  }
  if (Roots.contain(directories, file) || isToolChain(file, homes)) return undefined
  return { rule: "outside", detail: outside }
}

/** Returns the hints for a refused file: how to add its directory as a root, if it may be one. */
export const hints = ({ homes, policy, searched }: SourceRoots, file: string, rule: Refusal["rule"]): Hint.Hints => {
  const directory = file.slice(0, file.lastIndexOf("/"))
  const isForbidden = policy.length > 0 && !Roots.contain(policy, file)
  if (rule !== "outside" || isForbidden || isTooWide(directory, { homes, temporary: [] }))
    return [Hint.call("files", {})]
  return [
    Hint.help("start", `--sources ${directory} shows its text in a new session`),
    Hint.local("config.set", ["source.roots", [...searched, directory].join(",")], "for all later sessions")
  ]
}
