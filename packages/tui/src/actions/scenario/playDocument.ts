import { plural } from "@agent-arena/core/report/Figures"
import { stringify } from "@agent-arena/core/report/JsonText"
import { sanitiseLine } from "@agent-arena/core/report/Sanitise"
import type { ScenarioResult } from "@agent-arena/core/scenario/model/Turn"
import type { UnmatchedReason } from "@agent-arena/core/scenario/replay/Projection"
import type { Projection } from "./recordings.ts"

const playFields = (result: ScenarioResult) => ({
  schema_version: 1,
  scenario: result.scenario,
  hash: result.hash,
  status: result.status,
  limit: result.limit,
  replicate: result.replicate,
  path: result.path,
  turn_count: result.turns.length,
  turns: result.turns.map((turn) => ({
    turn: turn.index,
    node: turn.node,
    visit: turn.visit,
    agent: turn.agent,
    question: turn.question,
    prompt: turn.prompt,
    system: turn.system,
    output: turn.output,
    verify_result: turn.verifyResult,
    score: turn.score,
    reason: turn.reason,
    parsed: turn.parsed,
    tool_calls: turn.toolCalls,
    source: turn.source,
    error: turn.error
  })),
  accumulated: result.accumulated,
  outcomes: result.outcomes,
  score: result.score,
  failure: result.failure,
  soft_faults: result.softFaults
})

const projectionFields = ({ changedCases, duplicates, projected, unmatched }: Projection) => {
  const placed = (items: Projection["projected"]) =>
    items.map(({ caseId, contestant, node, scenario }) => ({ scenario, node, contestant, test_id: caseId }))
  return {
    projected: placed(projected),
    unmatched,
    duplicates: placed(duplicates),
    changed_cases: changedCases
  }
}

/** A play as `--json` prints it; with what was projected onto it, if anything was. */
export const playDocument = (result: ScenarioResult, projection: Projection | null): string => {
  const play = playFields(result)
  const whole = projection === null ? play : { ...play, projection: projectionFields(projection) }
  return `${stringify(whole, 2)}\n`
}

const reasons: Readonly<Record<UnmatchedReason, string>> = {
  missing_scenario: "there is no such scenario",
  missing_node: "there is no such node",
  prompt_is_template: "its prompt is a template, so no case asks the same",
  no_recorded_answer: "no case with its question has a recorded answer"
}

/** What was projected, and what found no place, one line each. */
export const projectionText = ({ changedCases, duplicates, projected, unmatched }: Projection): string =>
  [
    `${plural(projected.length, "answer")} of ordinary cases taken`,
    ...unmatched.map(({ contestant, node, reason }) => {
      const whose = contestant === null ? "" : ` (${contestant})`
      return `! node "${node}"${whose}: ${reasons[reason]}`
    }),
    ...duplicates.map(({ caseId, node }) => `! node "${node}": another case takes the place of "${caseId}"`),
    ...changedCases.map((caseId) => `! case "${caseId}" has changed since the run; its answer is left out`)
  ]
    .map((line) => `${sanitiseLine(line)}\n`)
    .join("")
