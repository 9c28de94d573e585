/**
 * Converts words of scenarios for the command line: options, durations, events.
 */

/** Returns the words of an option; none if it has no value. */
export const option = (name: string, value: unknown): ReadonlyArray<string> =>
  value === undefined ? [] : [`--${name}`, String(value)]

/** Events, by the words that scenarios use for them. */
export const events: { readonly [word: string]: { readonly event: string; readonly reason?: string | undefined } } = {
  stop: { event: "stopped" },
  exit: { event: "exited" },
  end: { event: "exited" },
  terminate: { event: "exited" },
  terminated: { event: "exited" },
  ...Object.fromEntries(["stopped", "exited", "running", "detached", "loaded"].map((event) => [event, { event }]))
}

/**
 * Returns a duration in the form of the command line. A number without a unit is seconds below 50 and milliseconds from
 * 50, because authors write `100` for milliseconds.
 */
export const duration = (value: string | number): string => {
  const text = String(value)
    .replaceAll(/\s/g, "")
    .replace(/(?:sec|seconds?)$/, "s")
    .replace(/(?:msecs?|milliseconds?|millis)$/, "ms")
  return /^\d+(?:\.\d+)?$/.test(text) && Number(text) >= 50 ? `${text}ms` : text
}
