/**
 * The answer of `bisect` as text: the size of the smallest input, the failure, and what the search cost.
 */
import type { Operations } from "@sigtrap/protocol"
import * as Doc from "./Doc.ts"
import * as View from "./View.ts"

type Data = Operations.Data<"bisect">

const ends: { readonly [end in Data["end"]]: (parts: Data["parts"]) => string } = {
  minimal: () => "each byte of it is needed",
  runs: (parts) => `not the smallest: the limit of runs ended the search by ${parts}`,
  time: (parts) => `not the smallest: the time ended the search by ${parts}`
}

/** Renders the answer of `bisect`. */
export const render = (view: View.View, data: Data): Doc.Doc => {
  const { bytes, elapsed_ms, end, file, from_bytes, parts, runs, signature } = data
  const failure = [signature.reason, ...signature.frames.slice(0, 3)].join(" < ")
  return Doc.lines(
    Doc.line(
      Doc.span(`${from_bytes} -> ${bytes} bytes in ${View.path(view, file)}`, "heading"),
      ` · ${ends[end](parts)}`
    ),
    Doc.line(`fails with ${Doc.cut(failure, 160)} (signature ${signature.id})`),
    Doc.line(Doc.span(`${runs} runs, ${(elapsed_ms / 1000).toFixed(1)} s`, "dim"))
  )
}
