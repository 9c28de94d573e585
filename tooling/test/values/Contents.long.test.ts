/** Strings, containers and characters have exactly the contents of the source, on both LLDB backends. */
import { layer } from "@effect/vitest"
import { platform } from "../support/fixturePrograms.ts"
import { contents } from "./contents.ts"

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("values of libstdc++", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`have their whole contents (${backend})`, () => contents("contents", backend, "main::<lambda(int)>"))
  }
})
