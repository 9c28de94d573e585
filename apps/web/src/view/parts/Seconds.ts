/**
 * The time for a part that counts seconds.
 */
import { useEffect, useState } from "preact/hooks"

/** Returns the time in milliseconds since 1970. While `on`, the calling view is drawn again each second. */
export const useSeconds = (on: boolean): number => {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    if (!on) return undefined
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [on])
  return on ? Math.max(now, Date.now()) : now
}
