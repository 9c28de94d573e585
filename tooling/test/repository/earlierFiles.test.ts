// A build leaves no files of earlier builds: a page or a bundle is measured, copied and served with its own files only.
import { assert, describe, it } from "@effect/vitest"
import { directory } from "@sigtrap/host/testing"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { earlierFiles } from "../../earlierFiles.mjs"

describe("files of earlier builds", () => {
  it.effect("are those with a hash that no file of the newest build names", () =>
    Effect.gen(function* () {
      const folder = yield* directory
      const files = {
        "index.html": '<link href="/page/page-2a7a0c1a6702.css"><script src="/page/page-ba68fd31a171.js"></script>',
        "page-2a7a0c1a6702.css": "",
        "page-ba68fd31a171.js": "",
        "page-0099f1555930.js": "",
        "daemon.mjs": 'import("./daemon-31gmspw5.mjs")',
        "daemon-31gmspw5.mjs": 'import "./daemon-3nhnycev.mjs"',
        "daemon-3nhnycev.mjs": "",
        "daemon-zjvxemtr.mjs": 'import "./daemon-z353100f.mjs"',
        "daemon-z353100f.mjs": "",
        "answers.bin": ""
      }
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
      assert.sameMembers(earlierFiles(folder), ["page-0099f1555930.js", "daemon-zjvxemtr.mjs", "daemon-z353100f.mjs"])
      assert.deepStrictEqual(earlierFiles(join(folder, "none")), [])
    })
  )
})
