/**
 * iOS simulators through `xcrun simctl`, typed: devices, runtimes, apps and what can be done with them.
 */
export * as Apps from "./Apps.ts"
export * as BootStatus from "./BootStatus.ts"
export * as Failure from "./Failure.ts"
export * as Listing from "./Listing.ts"
export * as Plist from "./Plist.ts"
export * as Queue from "./Queue.ts"
export * as Runner from "./Runner.ts"
export * as Selection from "./Selection.ts"
export * as Simctl from "./Simctl.ts"
export * as Toolchain from "./Toolchain.ts"
