import { dirname } from "node:path"
import type { CellContext, GenerationRequest } from "../../domain/Generation.ts"

/** Stands for the folder of a play in what identifies a request. */
const place = "{workspace}"

/**
 * The request as it identifies itself in recordings and caches: without the folder of the play, which is another one in
 * each run. A file that a prompt names in it is told apart by its name, which changes with what is in it.
 */
export const placeless = (
  request: GenerationRequest,
  { scenario }: Pick<CellContext, "scenario">
): GenerationRequest => {
  if (scenario === undefined || scenario.workspace === null) return request
  const folder = JSON.stringify(dirname(scenario.workspace)).slice(1, -1)
  const told = JSON.stringify(request)
  return told.includes(folder) ? JSON.parse(told.replaceAll(folder, place)) : request
}
