/**
 * The failures of the tools: texts and exit statuses. The comment of each names its evidence, an entry of `failures.json`,
 * or says that it is inferred.
 */

/** The result of a simulated command. */
export interface Answer {
  /** Exit status; default 0. */
  readonly exit?: number
  readonly stdout?: string | Uint8Array
  readonly stderr?: string
}

/** Ends a command with an answer. */
export class Stop extends Error {
  readonly answer: Answer
  constructor(answer: Answer) {
    super(answer.stderr)
    this.answer = answer
  }
}

/** A failure with a domain and a code, as simctl prints it. */
export interface Envelope {
  readonly domain: string
  readonly code: number
  /** The lines of the message. */
  readonly message: ReadonlyArray<string>
  readonly underlying?: {
    readonly domain: string
    readonly code: number
    /** The lines, each printed with a leading tab. */
    readonly message: ReadonlyArray<string>
  }
}

/** Returns a failing answer; its exit status is the lowest byte of the code. */
export const envelope = (failure: Envelope, extra?: { readonly before?: string; readonly stdout?: string }): Answer => {
  const { domain, code, message, underlying } = failure
  const lines = [
    `An error was encountered processing the command (domain=${domain}, code=${code}):`,
    ...message,
    ...(underlying === undefined
      ? []
      : [
          `Underlying error (domain=${underlying.domain}, code=${underlying.code}):`,
          ...underlying.message.map((line) => `\t${line}`)
        ])
  ]
  return {
    exit: code & 255,
    stderr: `${extra?.before ?? ""}${lines.join("\n")}\n`,
    ...(extra?.stdout === undefined ? {} : { stdout: extra.stdout })
  }
}

const simError = "com.apple.CoreSimulator.SimError"
const posix = "NSPOSIXErrorDomain"
const refused = "FBSOpenApplicationServiceErrorDomain"

/** `invalid-device`. */
export const invalidDevice = (device: string): Answer => ({ exit: 148, stderr: `Invalid device: ${device}\n` })

/** `boot-invalid-device`. */
export const invalidDeviceOrPair = (device: string): Answer => ({
  exit: 148,
  stderr: `Invalid device or device pair: ${device}\n`
})

/** `no-booted-device`. */
export const noneBooted: Answer = { exit: 148, stderr: "No devices are booted.\n" }

/** `boot-already-booted`, `boot-already-booted-xcode9`, `shutdown-already-shutdown`, `erase-booted`, `…-on-shutdown-device`. */
export const wrongState = (verb: string, state: string, major = 26, before?: string): Answer =>
  envelope(
    { domain: simError, code: major < 12 ? 164 : 405, message: [`Unable to ${verb} in current state: ${state}`] },
    before === undefined ? undefined : { before }
  )

/** `spawn-on-shutdown-device`. */
export const spawnNotBooted = (udid: string): Answer =>
  envelope({
    domain: simError,
    code: 405,
    message: ["Process spawn via launchd failed because device is not booted."],
    underlying: {
      domain: "com.apple.SimLaunchHostService.RequestError",
      code: 3,
      message: [`Bad or unknown session: com.apple.CoreSimulator.SimDevice.${udid}`]
    }
  })

/** `spawn-bad-program`. */
export const spawnBadProgram = envelope({
  domain: "com.apple.CoreSimulator.LaunchdSimError",
  code: 111,
  message: ["Process spawn via launchd failed."],
  underlying: { domain: "SimXPCErrorDomain", code: 111, message: ["Invalid or missing Program/ProgramArguments"] }
})

/** `terminate-not-running`, `terminate-not-running-xcode14`. */
export const nothingToTerminate = (bundle: string, major = 26): Answer =>
  envelope({
    domain: posix,
    code: 3,
    message: [
      major < 16
        ? "Simulator device returned an error for the requested operation."
        : `Simulator device failed to terminate ${bundle}.`,
      "found nothing to terminate"
    ],
    underlying: {
      domain: posix,
      code: 3,
      message: [
        major < 16
          ? "The operation couldn’t be completed. found nothing to terminate"
          : `The request to terminate "${bundle}" failed. found nothing to terminate`,
        "found nothing to terminate"
      ]
    }
  })

/** `launch-not-installed`; the same for several permanent failures. */
export const launchRefused = (bundle: string): Answer =>
  envelope({
    domain: refused,
    code: 4,
    message: [`Simulator device failed to launch ${bundle}.`],
    underlying: { domain: refused, code: 4, message: [`The request to open "${bundle}" failed.`] }
  })

/** `launch-denied-by-springboard`. */
export const launchDenied = (bundle: string): Answer =>
  envelope({
    domain: refused,
    code: 1,
    message: [
      `Simulator device failed to launch ${bundle}.`,
      "The request was denied by service delegate (SBMainWorkspace)."
    ]
  })

/** `get-app-container-missing`. */
export const noContainer = envelope({
  domain: posix,
  code: 2,
  message: ["The operation couldn’t be completed. No such file or directory", "No such file or directory"]
})

/** `install-missing-path`, `install-missing-path-older`. */
export const noSuchBundle = (path: string, major = 26): Answer =>
  envelope({
    domain: posix,
    code: 2,
    message:
      major < 16
        ? [
            "Failed to install the requested application",
            "An application bundle was not found at the provided path.",
            "Provide a valid path to the desired application bundle."
          ]
        : [`lstat of ${path} failed: No such file or directory`]
  })

/** `install-missing-bundle-id`. */
export const noBundleId = (name: string): Answer =>
  envelope({
    domain: "IXErrorDomain",
    code: 13,
    message: ["Simulator device failed to install the application.", "Missing bundle ID."],
    underlying: {
      domain: "IXErrorDomain",
      code: 13,
      message: [`Failed to get bundle ID from ${name}`, "Missing bundle ID."]
    }
  })

/** Domain and code of an app built for a device are known; the texts are inferred, but known to be localized. */
export const builtForDevice = (name: string, locale: string): Answer => {
  const [head, text, reason] = {
    pl: [
      "Nie można zainstalować aplikacji.",
      `Nie można zainstalować aplikacji „${name}”`,
      "Aplikacja nie jest zgodna z tym symulatorem."
    ],
    tr: ["Uygulama yüklenemedi.", `“${name}” Yüklenemiyor`, "Uygulama bu simülatörle uyumlu değil."]
  }[locale] ?? [
    "Simulator device failed to install the application.",
    `Unable to Install “${name}”`,
    "This app was built for a device and cannot run on this simulator."
  ]
  const domain = "IXUserPresentableErrorDomain"
  return envelope({
    domain,
    code: 4,
    message: [head ?? "", reason ?? ""],
    underlying: { domain, code: 4, message: [text ?? "", reason ?? ""] }
  })
}

/** `create-incompatible`. */
export const incompatible = (type: string, runtime: string): Answer =>
  envelope(
    { domain: simError, code: 403, message: ["Incompatible device"] },
    { stdout: `Unable to create a device for device type: ${type}, runtime: ${runtime}\n` }
  )

/** `boot-launchd-no-response`, selected by a fault. */
export const noLaunchd = envelope({
  domain: posix,
  code: 60,
  message: ["Unable to boot the Simulator.", "launchd failed to respond."],
  underlying: {
    domain: "com.apple.SimLaunchHostService.RequestError",
    code: 4,
    message: ["Failed to start launchd_sim: could not bind to session, launchd_sim may have crashed or quit responding"]
  }
})

/** `openurl-unknown-scheme`. */
export const unknownScheme = (url: string): Answer =>
  envelope({
    domain: "LSApplicationWorkspaceErrorDomain",
    code: 115,
    message: [`Simulator device failed to open ${url}.`]
  })

/** Section 3 of the facts gives the message and the status; the envelope is inferred. */
export const noScreen = envelope({ domain: posix, code: 60, message: ["Timeout waiting for screen surfaces"] })

/** `xcrun-no-simctl`, `xcrun-find-missing`. */
export const toolMissing = (tool: string): Answer => ({
  exit: 72,
  stderr: `xcrun: error: unable to find utility "${tool}", not a developer tool or in PATH\n`
})

/** `xcrun-license`. */
export const license: Answer = {
  exit: 69,
  stderr:
    "You have not agreed to the Xcode license agreements. Please run 'sudo xcodebuild -license' from within a Terminal window to review and agree to the Xcode and Apple SDKs license.\n"
}

/** `xcrun-no-simulator-sdk`. */
export const noSdk = (sdk: string): Answer => ({
  exit: 1,
  stderr: `xcrun: error: SDK "${sdk}" cannot be located\n`
})

/** `xcode-select-clt-only`. */
export const commandLineToolsOnly = (directory: string): Answer => ({
  exit: 1,
  stderr: `xcode-select: error: tool 'xcodebuild' requires Xcode, but active developer directory '${directory}' is a command line tools instance\n`
})

/** Fails for an argument without evidence, so that a test cannot rely on it. */
export const unknownToTheDouble = (what: string): Answer => ({
  exit: 70,
  stderr: `fake-xcrun: ${what}: the simulated simulator does not know this; see tooling/fake-xcrun/README.md\n`
})

const stamp = () => new Date().toISOString().replace("T", " ").replace("Z", "")

/** Returns two log lines of CoreSimulator, which do not mean that the command failed. */
export const noise = (): string => {
  const who = `${stamp()} simctl[${process.pid}:${process.pid * 7}]`
  return `${who} CoreSimulator is attempting to unload a stale CoreSimulatorService job.\n${who} CoreSimulator detected Xcode.app relocation or CoreSimulatorService version change.  Framework path and version do not match existing job.\n`
}

/**
 * Returns the failure of an unavailable service. The sentences that clients match are those of
 * `stderr-coresimulator-dead.xcode26.6.txt`; the rest is shortened. The exit status is not known.
 */
export const serviceDead = (sandbox: boolean, developerDir: string): Answer => {
  const who = `${stamp()} simctl[${process.pid}:${process.pid * 7}]`
  const invalid = "CoreSimulatorService connection became invalid.  Simulator services will no longer be available."
  return {
    exit: 1,
    stderr: [
      `${who} ${invalid}`,
      ...(sandbox
        ? [
            `${who} Error opening log file (/Users/user/Library/Logs/CoreSimulator/CoreSimulator.com.apple.CoreSimulator.simctl.log): Operation not permitted`
          ]
        : []),
      "[-[SimServiceContext sendRequest:]:1751] ERROR : Unable to deliver request ({",
      `    "developer_dir" = "${developerDir}";`,
      '    request = "set_developer_dir";',
      "}) because we are not connected to CoreSimulatorService.",
      `Unable to locate device set: Error Domain=NSPOSIXErrorDomain Code=61 "Connection refused" UserInfo={NSLocalizedFailureReason=Failed to subscribe to notifications from CoreSimulatorService., NSLocalizedDescription=Failed to initialize simulator device set., NSUnderlyingError=0xa711bc960 {Error Domain=NSPOSIXErrorDomain Code=61 "Connection refused" UserInfo={NSLocalizedDescription=${invalid}}}}`,
      ""
    ].join("\n")
  }
}
