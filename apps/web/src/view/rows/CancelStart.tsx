/**
 * The button that ends a program while its debugger loads it.
 */
import { useEffect, useState } from "preact/hooks"
import { actions, obstacleOf, run } from "../../session/actions/Actions.ts"
import { usePage, useView } from "../parts/PageContext.ts"
import { Button } from "../parts/Parts.tsx"

/** Time after which a start is long, in milliseconds. A shorter start shows no button. */
const longStart = 400

/** True while a program starts and its debugger has loaded it for a while. */
export const useLongStart = (): boolean => {
  const { session, status } = useView()
  const isLoading = session.snapshot.value.state === "starting" && !status.loaded.value
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    setLong(false)
    if (!isLoading) return undefined
    const timer = setTimeout(() => setLong(true), longStart)
    return () => clearTimeout(timer)
  }, [isLoading])
  return isLoading && isLong
}

/** The button `Cancel`. */
export const CancelStart = () => {
  const page = usePage()
  const view = useView()
  return (
    <Button
      label="Cancel"
      obstacle={obstacleOf(page, view, actions.stop)}
      onClick={() => void run(page, view, actions.stop)}
    />
  )
}
