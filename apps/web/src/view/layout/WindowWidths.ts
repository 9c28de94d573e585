/**
 * The widths of the window at which the layout changes. The style sheets have the same ones. They end at .98: a browser rounds .999 up,
 * and the build makes `width < 1024px` a maximum of 1024.
 */
import { useEffect, useState } from "preact/hooks"
import { density } from "../../session/Preferences.ts"

const useQuery = (query: string): boolean => {
  const [matches, setMatches] = useState(() => matchMedia(query).matches)
  useEffect(() => {
    const list = matchMedia(query)
    const onChange = () => setMatches(list.matches)
    list.addEventListener("change", onChange)
    return () => list.removeEventListener("change", onChange)
  }, [query])
  return matches
}

/** True below the width at which values do not fit at the end of a line. */
export const useNarrow = (): boolean => useQuery("(max-width: 1023.98px)")

/** True for a window that shows one panel at a time. */
export const usePhone = (): boolean => useQuery("(max-width: 639.98px)")

/** True where rows and lines are higher: for a pointer that is not exact, such as a finger, unless another density was chosen. */
export const useCoarse = (): boolean => {
  const coarse = useQuery("(pointer: coarse)")
  return density.value === "System" ? coarse : density.value === "Roomy"
}

/** True from the width on at which the instructions have a column of their own, and four panes are below. */
export const useWide = (): boolean => useQuery("(min-width: 1680px)")
