/**
 * The frame that rows of values are in.
 */
import { createContext } from "preact"
import { useContext } from "preact/hooks"
import type { StackFrame } from "../../connection/Answers.ts"
import type { SessionView } from "../../session/SessionView.ts"
import { useView } from "../parts/PageContext.ts"

/** A frame for the calls of its values. */
export interface ValueFrame {
  /** The input of a call. */
  readonly input: { readonly frame?: string }
  /** The words of a command line; empty for the frame that the stop is about. */
  readonly words: string
  /** True for the frame that the page shows, false for its caller. */
  readonly isShown: boolean
  /** The expressions that agents read in it. */
  readonly read: ReadonlySet<string>
}

/** The frame of the rows below; the shown one without. */
export const FrameContext = createContext<ValueFrame | undefined>(undefined)

/** Returns the caller of the shown frame. Both are of the thread that stopped. */
export const callerFrame = (view: SessionView, frame: StackFrame): ValueFrame => ({
  input: { frame: frame.ref },
  words: ` --frame ${frame.index}`,
  isShown: false,
  read: view.agentReads.expressionsIn(frame, true, false)
})

/** Returns the shown frame. */
export const shownFrame = (view: SessionView): ValueFrame => ({
  input: view.inFrame.value,
  words: view.frameWords.value,
  isShown: true,
  read: view.agentReads.expressionsIn(
    view.shownFrame.value,
    view.thread.value === view.report.value?.thread?.id,
    view.reported.value
  )
})

/** Returns the frame of a row. */
export const useValueFrame = (): ValueFrame => {
  const view = useView()
  return useContext(FrameContext) ?? shownFrame(view)
}
