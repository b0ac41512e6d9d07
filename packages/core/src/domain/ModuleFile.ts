/** Which files of a project are modules, by their names alone. */

/** Whether a name means a file of a project rather than a package. */
export const isModuleFile = (name: string): boolean => /[^/\\]\.[cm]?[jt]s$/.test(name)

/** Whether a file found in a folder of scorers is one: hidden ones, parts of others (`_`), declarations and tests are not. */
export const isScorerModule = (name: string): boolean =>
  isModuleFile(name) && !/(?:^|[/\\])[_.][^/\\]*$|\.d\.[cm]?ts$|\.(?:test|spec)\.[cm]?[jt]s$/.test(name)
