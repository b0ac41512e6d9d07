/** Names of model features and privacy facts, so that "tools" in a config means the "function_calling" of a card. */

const featureAliases: Readonly<Record<string, string>> = {
  tools: "function_calling",
  tool_use: "function_calling",
  tool_calling: "function_calling",
  json_mode: "structured_outputs",
  json_schema: "structured_outputs",
  images: "vision",
  image_input: "vision",
  caching: "prompt_caching",
  thinking: "adaptive_thinking",
  extended_thinking: "adaptive_thinking",
  batching: "batch"
}

const privacyAliases: Readonly<Record<string, string>> = {
  data_processing_agreement: "dpa",
  no_training: "training_opt_out",
  opt_out: "training_opt_out",
  zdr: "zero_data_retention",
  zero_retention: "zero_data_retention",
  self_hosted: "on_prem",
  on_premise: "on_prem"
}

/** Every feature a card can be asked for, under its one name. */
export const features: ReadonlyArray<string> = [
  "adaptive_thinking",
  "batch",
  "function_calling",
  "prompt_caching",
  "streaming",
  "structured_outputs",
  "vision"
]

/** Every privacy fact a card can declare, under its one name. */
export const privacyFacts: ReadonlyArray<string> = ["dpa", "on_prem", "training_opt_out", "zero_data_retention"]

const canonical = (aliases: Readonly<Record<string, string>>, name: string): string => {
  const plain = name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, "_")
  return Object.hasOwn(aliases, plain) ? (aliases[plain] ?? plain) : plain
}

/** The one name of a feature; a name nobody knows stays what it is. */
export const feature = (name: string): string => canonical(featureAliases, name)

/** The one name of a privacy fact. */
export const privacyFact = (name: string): string => canonical(privacyAliases, name)
