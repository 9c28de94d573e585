/**
 * Words of scenarios as the command line takes them: options, durations, events.
 */

/** Returns the words of an option; none without a value. */
export const option = (name: string, value: unknown): ReadonlyArray<string> =>
  value === undefined ? [] : [`--${name}`, String(value)]

/** The events and states that a word for one means. */
export const events: { readonly [word: string]: { readonly event: string; readonly reason?: string | undefined } } = {
  stop: { event: "stopped" },
  exit: { event: "exited" },
  end: { event: "exited" },
  terminate: { event: "exited" },
  terminated: { event: "exited" },
  ...Object.fromEntries(["stopped", "exited", "running", "detached", "loaded"].map((event) => [event, { event }]))
}

/**
 * Returns a duration as the command line takes it. A bare number is seconds below 50 and milliseconds from there, since
 * authors write `100` for milliseconds.
 */
export const duration = (value: string | number): string => {
  const text = String(value)
    .replaceAll(/\s/g, "")
    .replace(/(?:sec|seconds?)$/, "s")
    .replace(/(?:msecs?|milliseconds?|millis)$/, "ms")
  return /^\d+(?:\.\d+)?$/.test(text) && Number(text) >= 50 ? `${text}ms` : text
}
