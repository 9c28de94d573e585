/**
 * The value whose row in Variables was chosen last. Memory marks its bytes.
 */
import { signal } from "@preact/signals"
import type { Value } from "../connection/Answers.ts"

/** The chosen value, its path in the tree, and its session; `frame` if it is of the caller of the shown frame. */
export const selectedValue = signal<
  { readonly session: string; readonly path: string; readonly value: Value; readonly frame?: string } | undefined
>(undefined)
