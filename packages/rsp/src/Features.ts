/**
 * What a server supports: its answer to `qSupported`.
 */

/** The features of a server: true or false for those without a value, else their value. */
export type Features = ReadonlyMap<string, boolean | string>

/** What the client tells the server about itself. GDB's server describes the registers of x86 only to those that name them. */
export const request = "qSupported:xmlRegisters=i386;swbreak+;hwbreak+;vContSupported+;QThreadSuffixSupported+"

/** Parses `name+;name-;name=value`. */
export const parse = (payload: string): Features =>
  new Map(
    payload.split(";").flatMap((word): ReadonlyArray<readonly [string, boolean | string]> => {
      const equals = word.indexOf("=")
      if (equals > 0) return [[word.slice(0, equals), word.slice(equals + 1)]]
      const last = word.at(-1)
      return word.length > 1 && (last === "+" || last === "-" || last === "?")
        ? [[word.slice(0, -1), last === "+"]]
        : []
    })
  )

/** True if the server has a feature without value. */
export const has = (features: Features, name: string): boolean => features.get(name) === true

/** The largest packet that the server takes, in bytes: 1024 if it does not say. At most 128 KiB: LLDB 19 writes its size in decimal. */
export const packetSize = (features: Features): number => {
  const value = features.get("PacketSize")
  const size = typeof value === "string" && /^[0-9a-fA-F]{1,8}$/.test(value) ? Number.parseInt(value, 16) : 1024
  return Math.min(Math.max(size, 256), 128 * 1024)
}
