/** `projects/quickstart`, the first run of everybody: real libraries, no key, no network. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as detectors from "../../../projects/quickstart/detectors.ts"
import { build, folders } from "../cli/arena.ts"
import { casesOf, entryOf, mean, type Report, runProject } from "./ExampleRun.ts"

const detectorOf = {
  tinyld: detectors.withTinyld,
  franc: detectors.withFranc,
  eld: detectors.withEld,
  word_list: detectors.withWordList
}
const cases = casesOf("quickstart")
const keyed = Object.entries(detectorOf)

describe("projects/quickstart", () => {
  const { clean, make } = folders()
  let report: Report
  let folder: string
  beforeAll(async () => {
    build()
    folder = make()
    report = (await runProject("projects/quickstart", folder)).report
  })
  afterAll(clean)

  it("has about sixty cases in at least twelve languages", () => {
    assert.isAtLeast(cases.length, 60)
    assert.isAtLeast(new Set(cases.map(({ expected }) => expected)).size, 12)
    for (const tag of ["plain", "short", "hard"]) assert.isTrue(cases.some(({ tags }) => tags?.includes(tag)))
  })

  it("lets every library answer every case three times, as the library itself does", () => {
    assert.deepInclude(report, { status: "completed", planned: 3 * 4 * cases.length, errors: 0 })
    const answers = new Map(report.results.map((one) => [`${one.model_key}/${one.test_id}/${one.trial}`, one]))
    for (const [key, detect] of keyed) {
      for (const { expected, id, input } of cases) {
        for (const trial of [1, 2, 3]) {
          const result = answers.get(`${key}/${id}/${trial}`)
          const output = detect(input)
          assert.deepInclude(
            { ...result },
            { status: "ok", output, score: output === expected ? 1 : 0, cost_usd: null },
            `${key} ${id} ${trial}`
          )
          assert.isAbove(result?.latency_ms ?? 0, 0)
        }
      }
    }
  })

  it("gives each the accuracy that calling it directly gives, by tag too", () => {
    for (const [key, detect] of keyed) {
      const scores = cases.map((one) => ({ tags: one.tags ?? [], score: detect(one.input) === one.expected ? 1 : 0 }))
      const entry = entryOf(report, key)
      assert.closeTo(entry.metrics["accuracy"]?.raw ?? -1, mean(scores.map(({ score }) => score)), 1e-9, key)
      for (const tag of ["plain", "short", "hard"]) {
        const tagged = scores.filter(({ tags }) => tags.includes(tag)).map(({ score }) => score)
        assert.closeTo(entry.by_tag[tag] ?? -1, mean(tagged), 1e-9, `${key} ${tag}`)
      }
    }
  })

  it("disqualifies franc, which is below the floor, and ranks the others", () => {
    const franc = entryOf(report, "franc")
    assert.isBelow(franc.metrics["accuracy"]?.raw ?? 1, 0.7)
    assert.deepInclude({ ...franc }, { status: "disqualified", rank: null, composite: null })
    assert.match(franc.failures.join(), /^accuracy [\d.]+ % is below the required 70\.0 %$/)
    const ranked = report.leaderboard.entries.filter(({ rank }) => rank !== null).map(({ key }) => key)
    assert.sameMembers(ranked, ["eld", "tinyld", "word_list"])
  })

  it("keeps the hosted model on the leaderboard and says which key it wants", () => {
    assert.match(report.skipped_models["gpt_5_mini"] ?? "", /^OPENAI_API_KEY is not set/)
    const hosted = entryOf(report, "gpt_5_mini")
    assert.deepInclude({ ...hosted }, { status: "no_data", rank: null, composite: null })
    assert.isNull(hosted.metrics["accuracy"]?.raw ?? null)
  })

  it("writes its report files", () => {
    for (const name of ["report.md", "results.json"]) {
      assert.isTrue(existsSync(join(folder, report.run_id, name)), name)
    }
  })
})
