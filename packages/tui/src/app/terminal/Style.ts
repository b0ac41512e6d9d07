/** What a piece of text means on the screen; `Theme` decides what that looks like in a given terminal. */
export const roles = [
  "plain",
  "muted",
  "faint",
  "strong",
  "title",
  "accent",
  "rule",
  "key",
  "pass",
  "partial",
  "fail",
  "error",
  "timeout",
  "interrupted",
  "running",
  "queued",
  "skipped",
  "reused",
  "unscored",
  "info",
  "warning",
  "bar",
  "floor",
  "added",
  "removed"
] as const
export type Role = (typeof roles)[number]

/** A role with attributes, packed into one number so that lines compare and cache cheaply. */
export type Style = number

const bold = 1 << 8
const underline = 1 << 9
const selected = 1 << 10

const indexOf = new Map<Role, number>(roles.map((role, index) => [role, index]))

export const styleOf = (role: Role): Style => indexOf.get(role) ?? 0
export const asBold = (style: Style): Style => style | bold
export const asUnderlined = (style: Style): Style => style | underline
/** On the background of the selected row or field. */
export const asSelected = (style: Style): Style => style | selected

export const roleOf = (style: Style): Role => roles[style & 0xff] ?? "plain"
export const isBold = (style: Style): boolean => (style & bold) !== 0
export const isUnderlined = (style: Style): boolean => (style & underline) !== 0
export const isSelected = (style: Style): boolean => (style & selected) !== 0
