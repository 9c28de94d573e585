/** A value that is read without a debugger: `offset` is from the frame pointer, or from the entry point of the program if it is static. */
export interface TracedField {
  readonly base: "frame" | "static"
  readonly offset: bigint
  /** In bytes: 1, 2, 4 or 8. */
  readonly size: number
  readonly kind: "signed" | "unsigned" | "bool" | "pointer"
}
