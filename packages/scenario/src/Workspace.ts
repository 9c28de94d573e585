/**
 * The directories and the environment of a running scenario.
 */

/** Directories that a path in a scenario may be relative to. */
export interface Places {
  /** Directory of the scenario's file. */
  readonly here: string
  /** Directory in which the scenario was started. */
  readonly invoked: string
  /** Temporary directory of the scenario. */
  readonly work: string
}

/** Where the steps of a scenario run. */
export interface Workspace {
  readonly places: Places
  /** Working directory of the command lines. */
  readonly directory: string
  /** Environment of the command lines. */
  readonly environment: { readonly [name: string]: string }
  /** Environment of shell lines, which keeps the user's HOME. */
  readonly shellEnvironment: { readonly [name: string]: string }
}
