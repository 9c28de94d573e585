/**
 * The event loop of a language's runtime, such as that of Node: where a thread is while none of the program's code runs.
 */

/** The name of the frame of a thread that waits for events. */
export const frameName = "<event loop>"

/** True if the innermost frame of a thread is the event loop. */
export const isIdle = (frame: { readonly function: string } | undefined): boolean => frame?.function === frameName
