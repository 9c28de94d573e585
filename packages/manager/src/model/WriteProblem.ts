/**
 * Why a file cannot be written, in words.
 */
import type { PlatformError } from "effect/PlatformError"

const reasons: { readonly [tag: string]: string } = {
  NotFound: "its directory does not exist",
  PermissionDenied: "permission denied"
}

/** Returns the reason of an error of writing a file. */
export const of = (error: PlatformError): string => reasons[error.reason._tag] ?? error.message
