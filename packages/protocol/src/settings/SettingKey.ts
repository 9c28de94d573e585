/**
 * What a setting is, and the rules for its text that several settings share.
 */

/** A key of configuration files, with its default and its description. */
export interface Key {
  /** The key, with NAME where the user chooses a word. */
  readonly key: string
  /** The built-in value, if there is one. */
  readonly fallback?: string | ReadonlyArray<string>
  readonly description: string
  /** The environment variable that overrides the files. */
  readonly variable?: string
  readonly list?: true
  /** The value is the text of a JSON object. A file may have a table in its place. */
  readonly json?: true
  /** Returns the problem of a text, or undefined if it is valid. */
  readonly problem: (text: string) => string | undefined
}

/** Accepts one of these words. */
export const oneOf =
  (...values: ReadonlyArray<string>) =>
  (text: string): string | undefined =>
    values.includes(text) ? undefined : `write one of ${values.join(", ")}`

/** Accepts a whole number within bounds, both included. */
export const whole =
  (least: number, most: number) =>
  (text: string): string | undefined =>
    /^\d{1,12}$/.test(text) && Number(text) >= least && Number(text) <= most
      ? undefined
      : `write a whole number from ${least} to ${most}`

/** Accepts any text that is not empty; `what` names it. */
export const required =
  (what: string) =>
  (text: string): string | undefined =>
    text === "" ? `write ${what}` : undefined
