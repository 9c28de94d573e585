// Types every command in the console blocks of the guides and compares its output with what the guide shows. A guide whose
// tools do not run on this machine is left out, and the end of the run names the tools.
import { describe, it } from "@effect/vitest"
import { names, slow, typeGuide } from "../support/typedGuides.ts"

describe("the guide", () => {
  it.live.each(names().filter((name) => !slow.includes(name)))("%s can be typed along", typeGuide)
})
