/**
 * The files of debug information that packages of the system install apart from the programs (GDB manual, "Separate Debug Files").
 */

/** The directory of debug information that packages install. */
export const installed = "/usr/lib/debug"

/** Returns the installed file for a build ID, which is written in hexadecimal digits; undefined for an ID of less than two bytes. */
export const byBuildId = (digits: string): string | undefined =>
  digits.length < 4 ? undefined : `${installed}/.build-id/${digits.slice(0, 2)}/${digits.slice(2)}.debug`
