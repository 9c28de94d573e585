/** Waiting for a state of the machine that has no event. */

/** Completes after a time. */
export const sleep = (millis: number) => new Promise<void>((resolve) => setTimeout(resolve, millis))

/** Waits until a condition holds; returns whether it did within the time. */
export const until = async (millis: number, condition: () => boolean | Promise<boolean>): Promise<boolean> => {
  for (const end = performance.now() + millis; performance.now() < end; await sleep(20)) {
    if (await condition()) return true
  }
  return condition()
}
