/**
 * What the page remembers on this computer: its theme, the sizes of its panes, and the watched expressions of each program.
 */
import { effect, signal, type Signal } from "@preact/signals"

const read = <T>(key: string, fallback: T, accepts: (value: unknown) => value is T): T => {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(`sigtrap.${key}`) ?? "null")
    return accepts(value) ? value : fallback
  } catch {
    return fallback
  }
}

/** Returns a value that is kept in local storage. */
export const remembered = <T>(key: string, fallback: T, accepts: (value: unknown) => value is T): Signal<T> => {
  const value = signal(read(key, fallback, accepts))
  effect(() => localStorage.setItem(`sigtrap.${key}`, JSON.stringify(value.value)))
  return value
}

/** The themes that a person can choose; `System` follows the operating system. */
export const themes = ["System", "Light", "Dark"] as const
/** One of the themes. */
export type Theme = (typeof themes)[number]

const isTheme = (value: unknown): value is Theme => themes.some((theme) => theme === value)

/** The heights of rows: by the pointer, 24 pixels, or 32 pixels. */
export const densities = ["System", "Compact", "Roomy"] as const
/** A height of rows. */
type Density = (typeof densities)[number]

const isDensity = (value: unknown): value is Density => densities.some((density) => density === value)
const isText = (value: unknown): value is string => typeof value === "string"
const isBoolean = (value: unknown): value is boolean => typeof value === "boolean"

/** True for a list of texts. */
export const isTexts = (value: unknown): value is ReadonlyArray<string> => Array.isArray(value) && value.every(isText)

const isSizes = (value: unknown): value is { readonly [name: string]: number } =>
  typeof value === "object" && value !== null && Object.values(value).every((size) => typeof size === "number")

/** The chosen theme. */
export const theme = remembered<Theme>("theme", "System", isTheme)

/** The chosen height of rows. */
export const density = remembered<Density>("density", "System", isDensity)

/** True while the view moves to each stop. */
export const follow = remembered("follow", true, isBoolean)

/** The sizes of panes in pixels, by the name of the pane and the size class of the window. */
export const sizes = remembered<{ readonly [name: string]: number }>("sizes", {}, isSizes)
