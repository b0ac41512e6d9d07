/**
 * Name of a run's own folder or file: its id. Ids of imported runs are somebody else's words: they must not lead out of
 * the folder, nor to the database or the workspaces in it. So what does not look like an id of ours is escaped and marked,
 * different ids differently.
 */
export const runFileName = (runId: string): string => {
  const name = encodeURIComponent(runId.toWellFormed())
  return name.startsWith("run_") ? name : `%${name}`
}
