/**
 * Runs a function before the next frame that the browser draws (`requestAnimationFrame`).
 */

/** Time after which a hidden page runs the function, in milliseconds: the browser draws no frames of it. */
const hiddenTime = 250

/** Calls a function before the next frame; in a hidden page a little later. */
export const inNextFrame = (draw: () => void): void => {
  if (document.hidden) setTimeout(draw, hiddenTime)
  else requestAnimationFrame(draw)
}
