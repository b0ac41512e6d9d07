/** Which configured texts hold secrets, and what may be said of them. */

/** A header whose value gives access to something. */
export const isSensitiveHeader = (name: string): boolean =>
  /auth|api-?key|token|secret|cookie|password|credential|signature/i.test(name)

/** Whether a text names its secret (`${env:NAME}`, `${file:path}`) instead of containing it. */
export const isReference = (text: string): boolean => /^\s*(?:[A-Za-z]+ )?\$\{\w+:[^}]*\}\s*$/.test(text)

/** How a configured header may be told or hashed: a literal secret is left out. */
export const tellableHeader = (name: string, value: string): string =>
  isSensitiveHeader(name) && !isReference(value) ? "(literal)" : value
