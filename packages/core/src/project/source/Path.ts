/** A way into a decoded document: keys of mappings and indices of lists, from the top. */
export type Path = ReadonlyArray<string | number>

/** `models[1].params.temperature`, as a person would write it. */
export const formatPath = (path: Path): string =>
  path.reduce<string>(
    (text, part) => (typeof part === "number" ? `${text}[${part}]` : text === "" ? part : `${text}.${part}`),
    ""
  )

/** Whether `path` is `ancestor` or lies beneath it. */
export const isWithin = (path: Path, ancestor: Path): boolean =>
  ancestor.length <= path.length && ancestor.every((part, index) => part === path[index])
