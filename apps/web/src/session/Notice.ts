/**
 * What the page says to the person for a while.
 */
import type { Who } from "./words/ActorWords.ts"

/** A sentence at the right end of the stops row, with the action that it offers. */
export interface Notice {
  readonly text: string
  /** The command of a terminal that the sentence leads to. It can be copied. */
  readonly command?: string
  readonly tone: "plain" | "warning" | "refused"
  /** Who the sentence is about, if it begins with an actor. */
  readonly who?: Who
  readonly action?: { readonly label: string; readonly run: () => void }
  /** True if it says who drives. It goes when that changes. */
  readonly ofLease?: boolean
  /** Returns whether it is still true; it reads signals. A notice that is not true any more goes at once. */
  readonly holds?: () => boolean
}

/** The words of the action that shows a long message over the page. */
export const wholeMessage = "Whole message"
