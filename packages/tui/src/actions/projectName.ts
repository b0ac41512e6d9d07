/** A JSON string is a YAML scalar whatever it holds. */
const scalar = (name: string): string => (/^[A-Za-z][\w-]*$/.test(name) ? name : JSON.stringify(name))

const yamlName = /^project:[ \t]*(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^#\n]*?)([ \t]*(?:#.*)?)$/m
const jsonName = /("project"\s*:\s*)"(?:[^"\\]|\\.)*"/

/** The text of a config under another name of its project, everything else as it was written. */
export const renamed = (config: string, isJson: boolean, name: string): string => {
  if (isJson) {
    return jsonName.test(config)
      ? config.replace(jsonName, (_, key: string) => `${key}${JSON.stringify(name)}`)
      : config.replace("{", () => `{ "project": ${JSON.stringify(name)},`)
  }
  return yamlName.test(config)
    ? config.replace(yamlName, (_, rest: string) => `project: ${scalar(name)}${rest}`)
    : `project: ${scalar(name)}\n${config}`
}
