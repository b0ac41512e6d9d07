/** One piece of a pattern; `out` is its JavaScript form. */
export type PatternToken =
  | { readonly _tag: "Atom"; readonly out: string }
  /** Consumes nothing, looks at a bounded number of characters. */
  | { readonly _tag: "Assertion"; readonly out: string }
  | { readonly _tag: "BackReference"; readonly out: string }
  | { readonly _tag: "Open"; readonly out: string; readonly captures: boolean; readonly looks: boolean }
  | { readonly _tag: "Close"; readonly out: string }
  | { readonly _tag: "Alternation"; readonly out: string }
  | { readonly _tag: "Quantifier"; readonly out: string; readonly minimum: number; readonly maximum: number }
