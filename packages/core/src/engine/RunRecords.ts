import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { contestantHash } from "../connector/ContestantHash.ts"
import { ofValue } from "../domain/ContentHash.ts"
import type { RunId } from "../domain/Ids.ts"
import type { Project, RankingRules } from "../domain/Project.ts"
import type { Limits, RunRecord } from "../domain/Run.ts"
import type { RunSettings } from "../domain/Settings.ts"
import type { TestCase } from "../domain/TestCase.ts"
import { moduleHash } from "../project/ProjectModule.ts"
import { askedContent, contentOf } from "../scenario/ScenarioContent.ts"
import * as LocalProcess from "../store/LocalProcess.ts"
import type { RunFooter, RunHeader } from "../store/ResultStore.ts"
import { sourceHash } from "./ConnectorAccess.ts"
import type { Prepared } from "./Preflight.ts"
import { arenaVersion, gitSha } from "./Provenance.ts"

const limit = (seconds: number): number | null => (seconds > 0 ? seconds : null)

/** Limits as the run uses them, seconds; null when off. */
export const limitsOf = (run: RunSettings): Limits => ({
  requestTimeoutS: limit(run.requestTimeoutS),
  idleTimeoutS: limit(run.idleTimeoutS),
  cellTimeoutS: limit(run.cellTimeoutS),
  maxWallS: limit(run.maxWallS)
})

/** The row of a run that is about to start; nothing is measured yet, so everything measured is null. */
export const startRecord = Effect.fnUntraced(function* (
  runId: RunId,
  prepared: Prepared<unknown>,
  label: string | null
) {
  const { project, readiness } = prepared
  const now = yield* Clock.currentTimeMillis
  const startedAt = new Date(now).toISOString()
  const record: RunRecord = {
    runId,
    project: project.name,
    label,
    startedAt,
    finishedAt: null,
    status: "running",
    stopReason: null,
    arenaVersion,
    gitSha: yield* gitSha(project.root),
    counts: {
      planned: readiness.planned,
      finished: 0,
      interrupted: 0,
      notStarted: readiness.planned,
      errored: 0,
      timedOut: 0
    },
    contestants: prepared.ready.length,
    cases: project.cases.length,
    trials: project.run.trials,
    winner: null,
    totalCostUsd: null,
    limits: limitsOf(project.run),
    host: yield* LocalProcess.current,
    heartbeatAt: startedAt,
    durationMs: null
  }
  return record
})

/** The row of a run that ended. */
export const finishedRecord = (record: RunRecord, footer: RunFooter): RunRecord => ({
  ...record,
  finishedAt: footer.finishedAt,
  status: footer.ending.status,
  stopReason: footer.ending.stopReason,
  counts: footer.counts,
  winner: footer.winner,
  totalCostUsd: footer.totalCostUsd,
  durationMs: footer.durationMs
})

const inputHash = (testCase: TestCase, defaults: unknown): string =>
  ofValue({
    messages: testCase.messages,
    system: testCase.system,
    maxTokens: testCase.maxTokens,
    temperature: testCase.temperature,
    responseFormat: testCase.responseFormat ?? null,
    metadata: testCase.metadata,
    tags: testCase.tags,
    ...(testCase.scenario === undefined ? {} : { scenario: askedContent(testCase.scenario) }),
    defaults
  })

/** The content of a project's own scorer takes part: an edited scorer scores again. */
const scoringHash = (testCase: TestCase, codeOf: Prepared<unknown>["scorers"]["codeOf"]): string =>
  ofValue({
    reference: testCase.reference ?? null,
    hasReference: "reference" in testCase,
    ...(testCase.scenario === undefined ? {} : { scenario: contentOf(testCase.scenario) }),
    scorers: testCase.scorers.map(({ params, type, weight }) => ({ params, type, weight, code: codeOf(type) }))
  })

/** Hooks can change every request and every answer, so they take part in every contestant's hash. */
const hooksHash = ({ hooks, root }: Project<unknown>): Effect.Effect<string | null> => {
  const refs = [hooks.preRequest, hooks.postProcess].filter((ref) => ref !== null)
  if (refs.length === 0) return Effect.succeed(null)
  return Effect.map(
    Effect.forEach(refs, (ref) => Effect.orElseSucceed(moduleHash(root, ref.module), () => null)),
    (hashes) => ofValue([hashes, refs.map(({ exportName }) => exportName)])
  )
}

/** The hashes that decide what of earlier results still counts; the cases in the order of the project. */
export type ContentHashes = Pick<RunHeader, "contestantHashes" | "caseHashes">

export const contentHashes = Effect.fnUntraced(function* (prepared: Prepared<unknown>) {
  const { project, ready, readiness } = prepared
  const cards = new Map(readiness.contestants.map(({ card, key }) => [key, card]))
  const hooks = yield* hooksHash(project)
  const hashes = yield* Effect.forEach(ready, ({ config, contestant }) =>
    Effect.map(sourceHash(config), (module) => {
      const own = contestantHash(config, cards.get(contestant.key) ?? null, module)
      return [contestant.key, hooks === null ? own : ofValue([own, hooks])] as const
    })
  )
  const { maxTokens, system, temperature } = project.defaults
  const found: ContentHashes = {
    contestantHashes: new Map(hashes),
    caseHashes: project.cases.map((testCase) => ({
      input: inputHash(testCase, { maxTokens, system, temperature }),
      scoring: scoringHash(testCase, prepared.scorers.codeOf)
    }))
  }
  return found
})

/** What the store keeps of a run before its first call: its row, its rules, and the hashes that decide reuse. */
export const runHeader = Effect.fnUntraced(function* (
  record: RunRecord,
  prepared: Prepared<unknown>,
  rules: RankingRules
) {
  const { project } = prepared
  const header: RunHeader = {
    record,
    rules,
    description: project.description,
    ...(yield* contentHashes(prepared)),
    config: project.raw
  }
  return header
})
