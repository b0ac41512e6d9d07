/** The cases of a project as they are asked: with the system prompt that the project gives to those without one. */
import type { Project } from "@agent-arena/core/domain/Project"
import type { TestCase } from "@agent-arena/core/domain/TestCase"

/** Null for a case that the project does not have. */
export const caseTexts = (project: Project | null): ((id: string) => TestCase | null) => {
  if (project === null) return () => null
  const { system } = project.defaults
  const cases = new Map<string, TestCase>(project.cases.map((testCase) => [testCase.id, testCase]))
  return (id) => {
    const found = cases.get(id)
    return found === undefined ? null : { ...found, system: found.system ?? system }
  }
}
