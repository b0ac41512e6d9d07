/** Something that is wrong with a scenario, and which part of it. */
export interface Finding {
  readonly level: "error" | "warning"
  readonly message: string
  /** Null = the scenario as a whole. */
  readonly part: { readonly kind: "nodes" | "edges" | "outcomes"; readonly key: string | number } | null
  readonly suggestion: string | null
}
