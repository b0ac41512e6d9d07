/**
 * Numbers as people read them, in as few columns as a screen has for them; what reports say in full is in the figures of
 * the reports, and taken from there where it is the same. What is not known is `—`, never 0.
 */
import { composite, count, unknown } from "@agent-arena/core/report/Figures"

export { plural, unknown } from "@agent-arena/core/report/Figures"

/** 12,345 */
export const integer = (value: number): string => count(value)

/** At most five columns: 982, 9.8k, 123k, 4.5M. */
export const compact = (value: number): string => {
  if (value < 1000) return String(Math.round(value))
  const unit = value < 999_500 ? "k" : value < 999_500_000 ? "M" : "G"
  const scaled = value / (unit === "k" ? 1e3 : unit === "M" ? 1e6 : 1e9)
  return `${scaled < 9.95 ? scaled.toFixed(1) : Math.round(scaled)}${unit}`
}

/** A share 0..1 in percent. Never rounds what is not complete up to 100, nor what is not nothing down to 0. */
export const percent = (share: number | null, digits = 0): string => {
  if (share === null || Number.isNaN(share)) return unknown
  const text = (share * 100).toFixed(digits)
  if (share < 1 && Number(text) >= 100) return `${(100 - 10 ** -digits).toFixed(digits)}%`
  if (share > 0 && Number(text) === 0) return `<${(10 ** -digits).toFixed(digits)}%`
  return `${text}%`
}

/** A score or composite 0..1 with three digits. */
export const score = (value: number | null): string => composite(value === null || Number.isNaN(value) ? null : value)

/** USD with as many digits as the amount needs: $12.30, $0.42, $0.0042. */
export const usd = (value: number | null): string => {
  if (value === null || Number.isNaN(value)) return unknown
  const size = Math.abs(value)
  if (size === 0) return "$0"
  if (size >= 0.1) return `$${size >= 1000 ? count(value) : value.toFixed(2)}`
  if (size < 0.0000005) return "<$0.000001"
  return `$${value.toPrecision(2).includes("e") ? value.toFixed(6) : value.toPrecision(2)}`
}

/** A latency: 812 ms below ten seconds in ms, then in seconds. */
export const latency = (ms: number | null): string => {
  if (ms === null || Number.isNaN(ms)) return unknown
  if (ms < 1) return ms === 0 ? "0ms" : "<1ms"
  if (ms < 9995) return `${Math.round(ms)}ms`
  return ms < 99_950 ? `${(ms / 1000).toFixed(1)}s` : `${Math.round(ms / 1000)}s`
}

/** A span of time: 850ms, 12s, 2m14s, 1h05m. */
export const duration = (ms: number | null): string => {
  if (ms === null || Number.isNaN(ms)) return unknown
  if (ms < 1000) return `${Math.max(0, Math.round(ms))}ms`
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes}m${String(seconds % 60).padStart(2, "0")}s`
  return `${Math.floor(minutes / 60)}h${String(minutes % 60).padStart(2, "0")}m`
}

/** Clock time of a Unix epoch ms in the local zone: 14:03:59. */
export const clock = (at: number): string => new Date(at).toTimeString().slice(0, 8)
