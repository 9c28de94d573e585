// Types the guides of the languages whose debuggers start slowly, as Guides.live.test.ts does with the others.
import { describe, it } from "@effect/vitest"
import { slow, typeGuide } from "../support/typedGuides.ts"

/** Most milliseconds of a guide: it starts up to thirty debuggers, one after the other. */
const limit = 240_000

describe("the guide", () => {
  it.live.each(slow)("%s can be typed along", typeGuide, limit)
})
