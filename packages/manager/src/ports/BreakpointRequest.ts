/**
 * What a backend sets: breakpoints, watchpoints and exception filters, the lists that they belong to, and where the debugger
 * placed them.
 */
import type { Breakpoint } from "@sigtrap/protocol"

/** A breakpoint to set. `id` is the manager's number. */
export interface BreakpointRequest {
  readonly id: number
  readonly line?: number
  readonly column?: number
  readonly function?: string
  readonly condition?: string
  /** Stops from this hit on. */
  readonly hits?: number
  /** Log message with `{expr}` placeholders. The breakpoint does not stop. */
  readonly log?: string
  /** A place other than a line or a plain function name. */
  readonly at?: SpecialPlace
  /** Memory to watch. */
  readonly watch?: WatchedMemory
  /** Exception filter, by the debugger's name for it. */
  readonly filter?: string
}

/** A place other than a line or a plain function name, or any place for a hardware breakpoint. */
export type SpecialPlace = (
  | { readonly kind: "address"; readonly expression: string }
  | {
      readonly kind: "regex"
      readonly pattern: string
      readonly ignoreCase: boolean
      /** Stops only for exceptions of C++ that a test framework catches; the function is the personality routine. */
      readonly escaping?: boolean
    }
  | { readonly kind: "function"; readonly name: string; readonly file?: string; readonly module?: string }
  | { readonly kind: "line"; readonly file: string; readonly line: number; readonly column?: number }
) & {
  /** Uses a debug register of the processor. */
  readonly hardware?: boolean
}

/** Memory to watch. `size` is in bytes. */
export interface WatchedMemory {
  readonly address: string
  readonly size: number
  readonly access: Breakpoint.Access
}

/**
 * An exception filter that the debugger offers. `conditions` is true if it takes a condition, `on` if it is on by default and
 * was not turned off.
 */
export interface ExceptionFilter {
  readonly filter: string
  readonly label: string
  readonly conditions: boolean
  readonly on?: boolean
}

/**
 * The list that a breakpoint belongs to: those of one source file, of functions, or of another kind. A debugger takes
 * each list as a whole (DAP `setBreakpoints`).
 */
export type Group =
  | { readonly kind: "source"; readonly path: string }
  | { readonly kind: "function" }
  | { readonly kind: "special" }
  | { readonly kind: "watch" }
  | { readonly kind: "exception" }

/** Where the debugger placed a breakpoint. `reason` says why it is not resolved. */
export interface Placement {
  readonly id: number
  readonly resolved: boolean
  readonly locations: ReadonlyArray<BreakpointLocation>
  readonly reason?: string
  /** Names that the debugger resolves in place of the requested one. */
  readonly near?: ReadonlyArray<string>
  /** What implements the breakpoint, if not the adapter. */
  readonly by?: Breakpoint.By
  /** Requested options that the debugger does not support. It stops at each hit instead. */
  readonly unsupported?: ReadonlyArray<"hits" | "log" | "condition">
}

/** One location of a breakpoint. */
export interface BreakpointLocation {
  readonly file?: string
  readonly line?: number
  readonly column?: number
  readonly function?: string
  readonly module?: string
  readonly address?: string
}
