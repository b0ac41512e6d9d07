/** The baseline that a model has to beat: a list of alarming words. */
const alarming = /\b(urgent|immediately|fire|smoke|water|gas|stopped|fails?|down|emergency)\b/i

export const classify = (prompt: string): string => (alarming.test(prompt) ? "urgent" : "normal")
