/** Dates as they are written. What is no whole date is none: nothing is filled in. */

const monthNames = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
const months =
  "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
const month = new RegExp(`^(?:${months})$`, "i")
const filler =
  /^(?:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r?s(?:day)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?|of)$/i

/** The hour in a date, with its zone. */
const hour =
  /[T\s]*(?<!\d)(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*([ap]m)?\s*(?:(z|utc|gmt)\b)?(?:\s*([+-])(\d{2}):?(\d{2})\b)?/i

const day = 86_400_000

/** Milliseconds since midnight UTC, from what `hour` found; null when there is no such hour. */
const timeOf = (found: RegExpExecArray): number | null => {
  const [, hours = "", minutes = "", seconds = "0", fraction = "0", half, , sign, zoneHours = "0", zoneMinutes = "0"] =
    found
  const clock = Number(hours)
  if (clock > (half === undefined ? 23 : 12) || (half !== undefined && clock === 0)) return null
  if (Number(minutes) > 59 || Number(seconds) > 59) return null
  const whole = half === undefined ? clock : (clock % 12) + (half.toLowerCase() === "pm" ? 12 : 0)
  const local = ((whole * 60 + Number(minutes)) * 60 + Number(seconds) + Number(`0.${fraction}`)) * 1_000
  const offset = (Number(zoneHours) * 60 + Number(zoneMinutes)) * 60_000
  return Math.round(local) - (sign === "-" ? -offset : offset)
}

/** Midnight UTC of a day that exists; null for the 31st of February. */
const midnight = (year: number, monthNumber: number, dayNumber: number): number | null => {
  const time = Date.UTC(year, monthNumber - 1, dayNumber)
  const back = new Date(time)
  return back.getUTCMonth() === monthNumber - 1 && back.getUTCDate() === dayNumber ? time : null
}

/** The day that words and numbers name, in any common order; where month and day are numbers, the month comes first. */
const dayOf = (text: string): number | null => {
  const plain = text.replace(/\b(\d{1,2})(?:st|nd|rd|th)\b/gi, "$1")
  if (!/^[\p{L}\d\s,./-]+$/u.test(plain)) return null
  const words = (plain.match(/\p{L}+/gu) ?? []).filter((word) => !filler.test(word))
  const numbers = plain.match(/\d+/g) ?? []
  const [word] = words
  if (words.length > 1 || (word !== undefined && !month.test(word))) return null
  if (numbers.length !== (word === undefined ? 3 : 2)) return null
  const isYear = (digits: string | undefined) => digits?.length === 4
  const rest = isYear(numbers[0]) ? numbers.slice(1) : isYear(numbers.at(-1)) ? numbers.slice(0, -1) : null
  if (rest === null || rest.some(({ length }) => length > 2)) return null
  const year = Number(isYear(numbers[0]) ? numbers[0] : numbers.at(-1))
  const [first, second] = rest.map(Number)
  if (first === undefined) return null
  if (word === undefined) return second === undefined ? null : midnight(year, first, second)
  return midnight(year, monthNames.indexOf(word.slice(0, 3).toLowerCase()) + 1, first)
}

/** Milliseconds of a date written in a common form, read as UTC unless it names a zone; null when it is none. */
export const dateOf = (value: unknown): number | null => {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.getTime()
  if (typeof value !== "string" || value.length > 100) return null
  const text = value.trim()
  const found = hour.exec(text)
  const date = dayOf(
    found === null ? text : `${text.slice(0, found.index)} ${text.slice(found.index + found[0].length)}`
  )
  const time = found === null ? 0 : timeOf(found)
  return date === null || time === null ? null : date + time
}

/** The calendar day of a moment, counted from 1970-01-01. */
export const dayNumber = (date: number): number => Math.floor(date / day)

const strftime: Readonly<Record<string, string>> = {
  Y: "(?<year>\\d{4})",
  m: "(?<month>\\d{1,2})",
  b: `(?<name>${months})`,
  B: `(?<name>${months})`,
  d: "(?<day>\\d{1,2})",
  H: "(?<hour>\\d{1,2})",
  M: "(?<minute>\\d{1,2})",
  S: "(?<second>\\d{1,2})",
  "%": "%"
}

/** A form such as `%d.%m.%Y` as a pattern; a text that says what is wrong with it. */
const patternOf = (format: string): RegExp | string => {
  const codes = format.match(/%[\s\S]?/g) ?? []
  const unknown = codes.find((code) => strftime[code.slice(1)] === undefined)
  if (unknown !== undefined)
    return `${unknown} is not known; known are ${Object.keys(strftime)
      .map((code) => `%${code}`)
      .join(" ")}`
  const fields = codes.filter((code) => code !== "%%").map((code) => (code === "%b" || code === "%B" ? "%m" : code))
  if (new Set(fields).size < fields.length) return "it names one part of a date twice"
  for (const part of ["%Y", "%m", "%d"]) if (!fields.includes(part)) return `it has no ${part}`
  const source = format.replace(/%(.)|[.*+?^${}()|[\]\\/-]/g, (found, code: string | undefined) =>
    code === undefined ? `\\${found}` : (strftime[code] ?? "")
  )
  return new RegExp(`^${source}$`, "i")
}

/** What is wrong with a form of dates; null = nothing. */
export const formatProblem = (format: string): string | null => {
  const pattern = patternOf(format)
  return typeof pattern === "string" ? pattern : null
}

/** A date in a form such as `%d.%m.%Y`, UTC; null when the text has another form or the form is unknown. */
export const dateIn = (value: unknown, format: string): number | null => {
  const pattern = patternOf(format)
  const groups =
    typeof value === "string" && typeof pattern !== "string" ? pattern.exec(value.trim())?.groups : undefined
  if (groups === undefined) return null
  const { hour: hours = "0", minute = "0", month: number, name, second = "0", year } = groups
  const named = name === undefined ? Number(number) : monthNames.indexOf(name.slice(0, 3).toLowerCase()) + 1
  const date = midnight(Number(year), named, Number(groups["day"]))
  if (date === null || Number(hours) > 23 || Number(minute) > 59 || Number(second) > 59) return null
  return date + ((Number(hours) * 60 + Number(minute)) * 60 + Number(second)) * 1_000
}
