import { assert, describe, it } from "@effect/vitest"
import { check } from "../../../scripts/architecture/rules.ts"
import * as SourceGraph from "../../../scripts/architecture/SourceGraph.ts"

const core = (path: string) => `packages/core/src/${path}`

/** `path:line rule` of all violations in a few made-up sources. */
const found = (sources: Readonly<Record<string, string>>) =>
  check(SourceGraph.make(new Map(Object.entries(sources)))).map(({ line, path, rule }) => `${path}:${line} ${rule}`)

describe("the architecture check", () => {
  it("accepts what goes in the right direction", () => {
    assert.deepStrictEqual(
      found({
        [core("domain/Score.ts")]: `import * as Schema from "effect/Schema"\nexport const x = Schema`,
        [core("scoring/Exact.ts")]: `import { x } from "../domain/Score.ts"\nexport const y = x`,
        "packages/tui/src/main.ts": `import { y } from "@agent-arena/core/scoring/Exact"\nvoid import("./app/component/App.tsx")\nexport const z = y`,
        "packages/tui/src/app/component/App.tsx": `import { Box } from "ink"\nexport const App = () => <Box />`
      }),
      []
    )
  })

  it("finds a package that imports one above it", () => {
    assert.deepStrictEqual(
      found({
        [core("engine/Run.ts")]: `\nimport { x } from "@agent-arena/tui/main"\nexport { x }`,
        "packages/tui/src/main.ts": "export const x = 1"
      }),
      [`${core("engine/Run.ts")}:2 ARCH001`]
    )
  })

  it("finds peers of core that know each other, but lets connectors load project modules", () => {
    assert.deepStrictEqual(
      found({
        [core("store/Rows.ts")]: `import { x } from "../scoring/Exact.ts"\nexport { x }`,
        [core("scoring/Exact.ts")]: "export const x = 1",
        [core("connector/Callable.ts")]: `import { load } from "../project/ProjectModule.ts"\nexport { load }`,
        [core("project/ProjectModule.ts")]: "export const load = 1"
      }),
      [`${core("store/Rows.ts")}:1 ARCH002`]
    )
  })

  it("finds indexes of effect, also when they are re-exported or loaded later", () => {
    assert.deepStrictEqual(
      found({
        [core("domain/A.ts")]: `export { Effect } from "effect"\nvoid import("effect/http")`,
        [core("engine/B.ts")]: `import * as HttpClient from "effect/http/HttpClient"\nexport { HttpClient }`
      }),
      [`${core("domain/A.ts")}:1 ARCH003`, `${core("domain/A.ts")}:2 ARCH003`]
    )
  })

  it("finds a package reached by its path", () => {
    assert.deepStrictEqual(
      found({
        "packages/tui/src/main.ts": `import { x } from "../../core/src/domain/A.ts"\nexport { x }`,
        [core("domain/A.ts")]: "export const x = 1"
      }),
      ["packages/tui/src/main.ts:1 ARCH004"]
    )
  })

  it("finds a cycle once, and none where only types go round", () => {
    assert.deepStrictEqual(
      found({
        [core("domain/A.ts")]: `import { b } from "./B.ts"\nexport const a = b`,
        [core("domain/B.ts")]: `import { a } from "./A.ts"\nexport const b = a`,
        [core("domain/C.ts")]: `import type { D } from "./D.ts"\nexport type C = D`,
        [core("domain/D.ts")]: `import type { C } from "./C.ts"\nexport type D = C`
      }),
      [`${core("domain/A.ts")}:1 ARCH005`]
    )
  })

  it("finds React on the headless path, however far away, unless it is loaded later", () => {
    assert.deepStrictEqual(
      found({
        "packages/tui/src/actions/run.ts": `import { bar } from "../app/component/Bar.tsx"\nexport { bar }`,
        "packages/tui/src/app/component/Bar.tsx": `import { Text } from "ink"\nexport const bar = () => <Text />`,
        "packages/tui/src/actions/tui.ts": `export const run = () => import("../app/component/Bar.tsx")`
      }),
      ["packages/tui/src/app/component/Bar.tsx:1 ARCH006"]
    )
  })

  it("finds React in what the screen shows, which is made without it", () => {
    assert.deepStrictEqual(
      found({
        "packages/tui/src/app/main.tsx": `import { render } from "ink"\nexport { render }`,
        "packages/tui/src/app/component/Screen.tsx": `import { Text } from "ink"\nexport { Text }`,
        "packages/tui/src/app/view/Grid.ts": `import { Text } from "ink"\nexport { Text }`
      }),
      ["packages/tui/src/app/view/Grid.ts:1 ARCH011"]
    )
  })

  it("finds a provider SDK that would be loaded before it is needed", () => {
    assert.deepStrictEqual(
      found({
        "packages/connectors/src/Connectors.ts": `import { openai } from "./OpenAi.ts"\nexport { openai }`,
        "packages/connectors/src/OpenAi.ts": `import type { Provider } from "@ai-sdk/provider"\nimport { openai } from "@ai-sdk/openai"\nexport { openai, type Provider }`
      }),
      ["packages/connectors/src/OpenAi.ts:2 ARCH007"]
    )
  })

  it("finds I/O where there must be none", () => {
    assert.deepStrictEqual(
      found({ [core("report/Files.ts")]: `import { writeFileSync } from "node:fs"\nexport { writeFileSync }` }),
      [`${core("report/Files.ts")}:1 ARCH008`]
    )
  })

  it("finds SQLite outside of the store's client, and files that are too long", () => {
    assert.deepStrictEqual(
      found({
        [core("store/Other.ts")]: `import { DatabaseSync } from "node:sqlite"\nexport { DatabaseSync }`,
        [core("store/Long.ts")]: "export {}\n".repeat(401)
      }),
      [`${core("store/Long.ts")}:400 ARCH010`, `${core("store/Other.ts")}:1 ARCH009`]
    )
  })
})
