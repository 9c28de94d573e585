/** The records of a release: SHA256SUMS of its files, and a bill of materials in CycloneDX. */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { basename } from "node:path"
import * as Notices from "./Notices.ts"

/** Returns the lines of SHA256SUMS, as `sha256sum -c` reads them. */
export const sums = (files: ReadonlyArray<string>): string =>
  files.map((file) => `${createHash("sha256").update(readFileSync(file)).digest("hex")}  ${basename(file)}\n`).join("")

/** Returns the libraries in the bundles of `sigtrap` in CycloneDX 1.6; see https://cyclonedx.org/docs/1.6/json/. */
export const cyclone = (version: string) => ({
  bomFormat: "CycloneDX",
  specVersion: "1.6",
  version: 1,
  metadata: { component: { type: "application", name: "sigtrap", version, purl: `pkg:npm/sigtrap@${version}` } },
  components: Notices.libraries().map(({ license, name, version: own }) => ({
    type: "library",
    name,
    version: own,
    purl: `pkg:npm/${name.replace("@", "%40")}@${own}`,
    licenses: [{ license: { id: license } }]
  }))
})
