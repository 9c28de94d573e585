// The workflows of CI run only actions that cannot change under their name, and each job has the rights that it needs and no other.
import { assert, describe, it } from "@effect/vitest"
import { parse } from "yaml"
import { files, none, read } from "./sources.ts"

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly with?: { readonly [name: string]: unknown }
}

interface Job {
  readonly permissions?: { readonly [scope: string]: string }
  readonly needs?: string
  readonly steps: ReadonlyArray<Step>
}

interface Workflow {
  readonly permissions?: { readonly [scope: string]: string }
  readonly jobs: { readonly [name: string]: Job }
}

const paths = files.filter((path) => path.startsWith(".github/workflows/"))

const workflow = (path: string): Workflow => parse(read(path))

const jobs = paths.flatMap((path) =>
  Object.entries(workflow(path).jobs).map(([name, job]) => ({ path, name: `${path}: ${name}`, ...job }))
)

/** Returns the lines of a workflow that use an action without the full SHA of a commit and the version that it had. */
const unpinned = (text: string) =>
  text
    .split("\n")
    .filter((line) => /^\s*(?:-\s+)?["']?uses\b/.test(line))
    .filter((line) => !/^\s*(?:- )?uses: [\w.-]+(?:\/[\w.-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))

describe("workflows", () => {
  it("run actions by the full SHA of a commit, and name its version", () => {
    none(paths.flatMap((path) => unpinned(read(path)).map((line) => `${path}: ${line.trim()}`)))
  })

  it("that run an action by a tag, a branch or a short SHA are found", () => {
    const sha = "0123456789abcdef0123456789abcdef01234567"
    for (const use of [
      "a/b@v4",
      "a/b@main",
      `a/b@${sha.slice(0, 12)} # v1.0.0`,
      `a/b@${sha}`,
      `a/b@${sha} # v1`,
      "./b"
    ]) {
      assert.lengthOf(unpinned(`      - uses: ${use}`), 1, use)
    }
    assert.deepStrictEqual(unpinned(`      - uses: a/b/c@${sha} # v1.0.0`), [])
  })

  it("use one version of each action", () => {
    const used = new Set(jobs.flatMap(({ steps }) => steps.flatMap(({ uses }) => (uses === undefined ? [] : [uses]))))
    const names = [...used].map((use) => use.replace(/@.*/, ""))
    assert.deepStrictEqual(names, [...new Set(names)])
  })

  it("may read the repository at most, unless a job says more", () => {
    for (const path of paths) {
      const { permissions } = workflow(path)
      assert.isDefined(permissions, path)
      none(
        Object.entries(permissions ?? {})
          .filter(([scope, right]) => !(scope === "contents" && right === "read"))
          .map(([scope, right]) => `${path}: ${scope}: ${right}`)
      )
    }
  })

  it("leave no token of the repository in a checkout", () => {
    const checkouts = jobs.flatMap(({ name, steps }) =>
      steps.filter(({ uses }) => uses?.startsWith("actions/checkout@")).map((step) => ({ name, step }))
    )
    assert.isNotEmpty(checkouts)
    none(checkouts.filter(({ step }) => step.with?.["persist-credentials"] !== false).map(({ name }) => name))
  })
})

describe("the release", () => {
  const { attach, pack, publish } = workflow(".github/workflows/release.yml").jobs

  it("has one job that may publish, one that may attach files, and no other right to write", () => {
    const writing = jobs.flatMap(({ name, permissions = {} }) =>
      Object.entries(permissions).flatMap(([scope, right]) => (right === "write" ? [`${name} ${scope}`] : []))
    )
    const release = ".github/workflows/release.yml"
    assert.deepStrictEqual(writing.toSorted(), [
      `${release}: attach contents`,
      `${release}: publish attestations`,
      `${release}: publish id-token`
    ])
    assert.deepStrictEqual(pack?.permissions, { contents: "read" })
  })

  it("publishes with provenance the files that were tried, and installs nothing beside them", () => {
    const commands = (job: Job | undefined) => job?.steps.flatMap(({ run }) => (run === undefined ? [] : [run])) ?? []
    assert.include(commands(pack).join("\n"), "npm run release -- --dry")
    assert.deepStrictEqual(commands(publish), ["node tooling/release/Publish.ts release --provenance"])
    assert.strictEqual(publish?.needs, "pack")
    assert.strictEqual(attach?.needs, "publish")
    // What runs with the right to publish imports nothing that has to be installed.
    assert.notMatch(read("tooling/release/Publish.ts"), /from "(?!node:)/)
  })

  it("uses no secret: npm trusts the workflow", () => {
    none(paths.filter((path) => /\bsecrets\./.test(read(path))))
  })
})
