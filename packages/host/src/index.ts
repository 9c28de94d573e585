/**
 * sigtrap on this machine: the daemon, the way to it, and what the manager and the debuggers need of an operating system.
 */
export * as Connect from "./Connect.ts"
export * as Daemon from "./Daemon.ts"
export * as DaemonProcess from "./DaemonProcess.ts"
export * as DaemonProtocol from "./DaemonProtocol.ts"
export * as Host from "./Host.ts"
export * as Ledger from "./Ledger.ts"
export * as Lock from "./Lock.ts"
export * as LogFile from "./LogFile.ts"
export * as Platform from "./Platform.ts"
export * as Processes from "./Processes.ts"
export * as ProgramStreams from "./ProgramStreams.ts"
export * as RuntimeDirectory from "./RuntimeDirectory.ts"
export * as RuntimePath from "./RuntimePath.ts"
export * as Version from "./Version.ts"
