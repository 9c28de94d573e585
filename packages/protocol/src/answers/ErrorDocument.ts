/**
 * The JSON of an error: its keys and their order. It imports nothing, so that the thin client of the command line can
 * load it; `Envelope` has the schemas.
 */

/** A hint as JSON. `text` is its form on the surface that answers. */
export interface ShownHint {
  readonly text: string
}

/** What happened, and what to do. */
export interface Words<H extends ShownHint> {
  readonly code: string
  readonly message: string
  /** Best first. */
  readonly hints: ReadonlyArray<H>
  readonly details: { readonly [field: string]: unknown }
}

/** Where it happened, as far as that is known. */
export interface Where<S> {
  readonly cmd?: string | undefined
  readonly session?: string | undefined
  readonly state?: S | undefined
  readonly data?: unknown
}

/** The document of an error. `error.hint` is the text of the first hint. */
export const make = <H extends ShownHint, S>(words: Words<H>, { cmd, data, session, state }: Where<S>) => ({
  ok: false as const,
  ...(cmd === undefined ? {} : { cmd }),
  ...(session === undefined ? {} : { session }),
  ...(state === undefined ? {} : { state }),
  error: {
    code: words.code,
    message: words.message,
    hint: words.hints[0]?.text ?? "",
    hints: words.hints,
    details: words.details
  },
  ...(data === undefined ? {} : { data }),
  warnings: []
})
