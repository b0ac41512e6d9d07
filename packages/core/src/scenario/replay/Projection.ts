/** Projects recorded answers of ordinary cases onto nodes of scenarios that ask the same question. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Scenario, ScenarioNode } from "../model/Scenario.ts"
import { templateOf } from "../state/Template.ts"
import type { PlainAnswer } from "./PlainAnswers.ts"
import { type MissPolicy, ReplayStore } from "./ReplayStore.ts"

/** A projection that cannot be made. */
export class ProjectionError extends Schema.TaggedError<ProjectionError>()("ProjectionError", {
  message: Schema.String,
  suggestion: Schema.String
}) {}

/** Why a node that was asked for has no answer. */
export type UnmatchedReason = "missing_scenario" | "missing_node" | "prompt_is_template" | "no_recorded_answer"

/** A node without an answer. `contestant` is null when it is without one for everybody. */
export interface Unmatched {
  readonly scenario: string
  readonly node: string
  readonly contestant: string | null
  readonly reason: UnmatchedReason
}

/** An answer that no node took: none asks that question, or none asks it of that contestant. */
export interface Orphan {
  readonly caseId: string
  readonly contestant: string
  readonly reason: "no_target" | "contestant_never_asked"
}

/** An answer that stands at a node. */
export interface Projected {
  readonly scenario: string
  readonly node: string
  readonly contestant: string
  readonly caseId: string
}

export interface ProjectionReport {
  readonly projected: ReadonlyArray<Projected>
  readonly unmatched: ReadonlyArray<Unmatched>
  readonly orphans: ReadonlyArray<Orphan>
  /** Answers that another one, added later, stands in place of. */
  readonly duplicates: ReadonlyArray<Projected>
}

export interface ProjectionTargets {
  readonly nodes: ReadonlyArray<string>
  /** Names of scenarios; absent = all. */
  readonly scenarios?: ReadonlyArray<string>
}

interface Match extends Projected {
  readonly answer: PlainAnswer
}

const keyOf = (question: string, contestant: string): string => JSON.stringify([question, contestant])

const isTemplate = ({ prompt }: ScenarioNode): boolean => templateOf(prompt).paths.length > 0

/** Two repetitions of one case by one contestant: which one is meant must be said. */
const repeated = (answers: ReadonlyArray<PlainAnswer>): PlainAnswer | undefined => {
  const trials = new Map<string, number>()
  return answers.find(({ caseId, contestant, trial }) => {
    const key = keyOf(caseId, contestant)
    const known = trials.get(key)
    trials.set(key, trial)
    return known !== undefined && known !== trial
  })
}

/**
 * Gathers answers for nodes. A node takes the answers to the very text of its prompt, of its own contestant or of each of
 * `contestants`; system prompts, settings and the conversation before it are not compared: naming the nodes says that the
 * answers fit there. The keys that are made hold for any visit and any replicate.
 */
export class ScenarioProjection {
  readonly #scenarios: ReadonlyMap<string, Scenario>
  readonly #contestants: ReadonlyArray<string>
  readonly #matches: Array<Match> = []
  readonly #unmatched: Array<Unmatched> = []
  readonly #orphans: Array<Orphan> = []
  readonly missPolicy: MissPolicy

  constructor(
    scenarios: ReadonlyArray<Scenario>,
    contestants: ReadonlyArray<string>,
    missPolicy: MissPolicy = "strict"
  ) {
    this.#scenarios = new Map(scenarios.map((scenario) => [scenario.name, scenario]))
    this.#contestants = contestants
    this.missPolicy = missPolicy
  }

  /** Projects answers onto nodes. Fails without a change when they hold several repetitions of one case. */
  add(answers: ReadonlyArray<PlainAnswer>, targets: ProjectionTargets): Result.Result<void, ProjectionError> {
    const twice = repeated(answers)
    if (twice !== undefined) {
      const message = `case "${twice.caseId}" has several repetitions of ${twice.contestant}`
      return Result.fail(new ProjectionError({ message, suggestion: "choose one of them" }))
    }
    const nodes = this.#nodesOf(targets)
    const byQuestion = Map.groupBy(answers, ({ contestant, question }) => keyOf(question, contestant))
    const taken = new Set<PlainAnswer>()
    for (const { node, scenario } of nodes) {
      for (const contestant of this.#askedAt(node)) {
        const found = byQuestion.get(keyOf(node.prompt, contestant)) ?? []
        if (found.length === 0) {
          this.#unmatched.push({ scenario, node: node.id, contestant, reason: "no_recorded_answer" })
        }
        for (const answer of found) {
          taken.add(answer)
          this.#matches.push({ scenario, node: node.id, contestant, caseId: answer.caseId, answer })
        }
      }
    }
    const asked = new Set(nodes.map(({ node }) => node.prompt))
    for (const answer of answers) {
      if (taken.has(answer)) continue
      const reason = asked.has(answer.question) ? "contestant_never_asked" : "no_target"
      this.#orphans.push({ caseId: answer.caseId, contestant: answer.contestant, reason })
    }
    return Result.succeed(undefined)
  }

  /** What has become of everything so far. */
  report(): ProjectionReport {
    const last = this.#last()
    const told = ({ answer: _, ...projected }: Match): Projected => projected
    return {
      projected: [...last.values()].map(told),
      unmatched: this.#unmatched,
      orphans: this.#orphans,
      duplicates: this.#matches.filter((match) => last.get(placeOf(match)) !== match).map(told)
    }
  }

  /** The recording. Of several answers at one place the last counts; `strict` fails instead. */
  build(strict = false): Result.Result<ReplayStore, ProjectionError> {
    const [duplicate] = this.report().duplicates
    if (strict && duplicate !== undefined) {
      const { caseId, contestant, node, scenario } = duplicate
      const message = `"${scenario}", node "${node}": ${contestant} has several answers, one of them of case "${caseId}"`
      return Result.fail(new ProjectionError({ message, suggestion: "keep one case for each question" }))
    }
    const store = new ReplayStore(this.missPolicy)
    for (const { answer, contestant, node, scenario } of this.#last().values()) {
      store.register({ scenario, node, contestant, visit: null, replicate: null }, answer.entry)
    }
    return Result.succeed(store)
  }

  #last(): ReadonlyMap<string, Match> {
    return new Map(this.#matches.map((match) => [placeOf(match), match]))
  }

  #askedAt({ contestant }: ScenarioNode): ReadonlyArray<string> {
    return contestant === null ? this.#contestants : [contestant]
  }

  /** The nodes that can take answers; the others are told. */
  #nodesOf({ nodes, scenarios = [...this.#scenarios.keys()] }: ProjectionTargets) {
    return scenarios.flatMap((name) => {
      const scenario = this.#scenarios.get(name)
      return nodes.flatMap((id) => {
        const node = scenario?.nodes.find((one) => one.id === id)
        const reason = scenario === undefined ? "missing_scenario" : node === undefined ? "missing_node" : null
        if (node !== undefined && !isTemplate(node)) return [{ scenario: name, node }]
        this.#unmatched.push({ scenario: name, node: id, contestant: null, reason: reason ?? "prompt_is_template" })
        return []
      })
    })
  }
}

const placeOf = ({ contestant, node, scenario }: Projected): string => JSON.stringify([scenario, node, contestant])
