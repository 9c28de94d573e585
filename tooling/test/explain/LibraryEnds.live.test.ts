/** Crashes that a library brings about: a failed check of libstdc++, and a return into a library that was unloaded. On both LLDB backends. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { compiled } from "../support/compiled.ts"
import { debugging, platform } from "../support/fixturePrograms.ts"

const checked = `#include <vector>
static int last(const std::vector<int> &all) {
  return all[all.size()];
}
int main() { std::vector<int> all{1, 2, 3}; return last(all); }
`

const plugin = "void called(void (*back)(void)) { back(); back(); }\n"

const host = `#include <dlfcn.h>
static void *library;
static void unload(void) { dlclose(library); }
int main(int count, char **words) {
  library = dlopen(words[count - 1], RTLD_NOW);
  void (*called)(void (*)(void)) = (void (*)(void (*)(void)))dlsym(library, "called");
  called(unload);
}
`

if (process.platform === "linux") {
  layer(platform, { excludeTestServices: true, timeout: "120 seconds" })("explain", (it) => {
    for (const backend of ["dap", "lldb-cli"] as const) {
      it.effect(`names a failed check of libstdc++, and says that a library may be unloaded (${backend})`, () =>
        debugging(({ call, environment }) =>
          Effect.gen(function* () {
            const cwd = yield* compiled(
              { "checked.cpp": checked, "plugin.c": plugin, "host.c": host },
              ["c++", "-D_GLIBCXX_ASSERTIONS", "checked.cpp", "-o", "checked"],
              ["cc", "-shared", "-fPIC", "plugin.c", "-o", "libplugin.so"],
              ["cc", "host.c", "-o", "host", "-ldl"]
            )
            const failed = yield* call("start", { program: `${cwd}/checked`, backend, environment })
            assert.deepInclude(failed.data, { reason: "assert" })
            const { data } = yield* call("explain", {})
            assert.match(data.summary, /^assertion failed: __n < this->size\(\)/)
            assert.match(data.user_frame?.function ?? "", /\blast\b/)
            assert.strictEqual(data.user_frame?.line, 3)
            const args = [`${cwd}/libplugin.so`]
            yield* call("start", { program: `${cwd}/host`, args, backend, environment, replace: true })
            const { facts } = (yield* call("explain", {})).data
            assert.match(
              facts[0]?.text ?? "",
              /^return to 0x[0-9a-f]+: .* was overwritten, the library with its code was unloaded, or the stack pointer/
            )
          })
        ).pipe(Effect.scoped)
      )
    }
  })
}
