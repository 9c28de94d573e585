/**
 * The value whose row in Variables was chosen last. Memory marks its bytes.
 */
import { signal } from "@preact/signals"
import type { Value } from "../../connection/Answers.ts"

/**
 * The path of the chosen row in the tree, and its session. `value` is absent if no expression names it; `frame` is present if it is of
 * the caller of the shown frame.
 */
export const selectedValue = signal<
  { readonly session: string; readonly path: string; readonly value?: Value; readonly frame?: string } | undefined
>(undefined)
