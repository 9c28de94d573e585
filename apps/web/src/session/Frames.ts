/**
 * Work before the browser draws.
 */

/** Time after which a hidden page works, in milliseconds: it has no frames. */
const hiddenTime = 250

/** Calls a function before the next frame; in a hidden page a little later. */
export const inNextFrame = (draw: () => void): void => {
  if (document.hidden) setTimeout(draw, hiddenTime)
  else requestAnimationFrame(draw)
}
