/** Projects made for an examination: the contestants of a project with cases that need nothing. */
import type { Contestant, ContestantSource } from "@agent-arena/core/domain/Contestant"
import { CaseId, ContestantKey } from "@agent-arena/core/domain/Ids"
import type { Project } from "@agent-arena/core/domain/Project"
import type { TestCase } from "@agent-arena/core/domain/TestCase"
import * as Projects from "@agent-arena/core/project/Project"

const nowhere = { file: "(doctor)", line: null, column: null }

const contestant = (key: string, source: Extract<ContestantSource, { readonly _tag: "Model" }>): Contestant => ({
  key: ContestantKey.make(key),
  label: key,
  model: source.model,
  source,
  params: {},
  card: null,
  enabled: true,
  exposeReference: false,
  blocking: false,
  position: nowhere
})

const judgeKey = "(judge)"
const simulatedKey = "(simulated)"

export const isJudge = ({ key }: { readonly key: string }): boolean => key === judgeKey
export const isSimulated = ({ key }: { readonly key: string }): boolean => key === simulatedKey

/** The judge as one more contestant, so that it is examined like them; null when the project names none. */
export const judgeOf = ({ judge }: Project): Contestant | null => {
  const { apiBase, apiKeyEnv, model, params, provider } = judge
  if (model === null) return null
  return { ...contestant(judgeKey, { _tag: "Model", model, provider, apiKeyEnv, apiBase }), params }
}

/** Always ready: with it, a project in which nobody else is ready can still be examined. */
const simulated = contestant(simulatedKey, {
  _tag: "Model",
  model: "mock:doctor",
  provider: "mock",
  apiKeyEnv: null,
  apiBase: null
})

/** Everybody who takes part in runs of the project, and somebody who always can. */
export const roster = (project: Project): ReadonlyArray<Contestant> => {
  const judge = judgeOf(project)
  return [...project.contestants.filter(({ enabled }) => enabled), ...(judge === null ? [] : [judge]), simulated]
}

/** Enough for any provider's least; models that think first may use all of it and say nothing. */
const answerTokens = 16

const manual: TestCase["scorers"] = [{ type: "manual", weight: 1, params: {}, position: nowhere }]

/** A question that any model answers with one word. */
const question: TestCase = {
  id: CaseId.make("doctor"),
  messages: [{ role: "user", content: "Reply with the single word OK." }],
  system: null,
  scorers: manual,
  tags: [],
  weight: 1,
  maxTokens: answerTokens,
  temperature: null,
  metadata: {},
  position: nowhere
}

/** What is asked of a contestant: a model gets the question, a target, which may expect more, the project's first case. */
const probeCase = (project: Project, { source }: Contestant): TestCase => {
  const [first] = project.cases
  if (source._tag === "Model" || first === undefined) return question
  const { scenario: _, ...plain } = first
  return { ...plain, scorers: manual }
}

/** Without hooks, judge, budgets, cache and recordings: only the contestants themselves are examined. */
const bare = (project: Project, contestants: ReadonlyArray<Contestant>, cases: ReadonlyArray<TestCase>): Project => ({
  ...Projects.withSettings(
    Projects.withCases(Projects.withContestants<never, never>({ ...project, contestants }, []), cases),
    {
      run: { trials: 1, retries: 0, cache: null, record: null, maxWallS: 0, failFast: false },
      budgets: { maxRunUsd: null, maxModelUsd: null, allowUnpriced: true },
      judge: { model: null }
    }
  ),
  hooks: { preRequest: null, postProcess: null, onResult: null }
})

/** The project reduced to its contestants. */
export const contestantsOnly = (project: Project): Project => bare(project, roster(project), [question])

/** The project as it is, with somebody who can always run and a judge that always answers. */
export const whole = (project: Project): Project =>
  Projects.withSettings(Projects.withContestants<never, never>({ ...project, contestants: roster(project) }, []), {
    budgets: { allowUnpriced: true },
    ...(project.judge.model === null ? {} : { judge: { model: "mock:judge", provider: "mock" } })
  })

/** One call to one contestant. The others stay known, because it may call them. */
export const oneCall = (project: Project, contestant: Contestant): Project => {
  const others = project.contestants.filter(({ key }) => key !== contestant.key)
  const silent = others.map((other) => ({ ...other, enabled: false }))
  return bare(project, [contestant, ...silent], [probeCase(project, contestant)])
}
