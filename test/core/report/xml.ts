/** A strict reader of the XML that has no comments, CDATA or doctype; throws on anything that is not well formed. */

export interface XmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: Array<XmlElement>
  text: string
}

const decode = (text: string): string => {
  if (/[<]|&(?!(amp|lt|gt|quot|#\d+);)/.test(text)) throw new Error(`not well formed: ${text}`)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML forbids them
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(text)) throw new Error("forbidden character")
  return text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll("&amp;", "&")
}

const readAttributes = (text: string): Record<string, string> => {
  const attributes: Record<string, string> = {}
  const rest = text.replace(/\s+([\w:-]+)="([^"]*)"/g, (_, name: string, value: string) => {
    attributes[name] = decode(value)
    return ""
  })
  if (rest.trim() !== "") throw new Error(`not attributes: ${rest}`)
  return attributes
}

export const parseXml = (xml: string): XmlElement => {
  const root: XmlElement = { name: "", attributes: {}, children: [], text: "" }
  const open = [root]
  const body = xml.replace(/^<\?xml [^?]*\?>\n/, "")
  let at = 0
  for (const match of body.matchAll(/<(\/?)([\w:-]+)((?:[^<>"]|"[^"]*")*?)(\/?)>/g)) {
    const [whole, closing, name = "", attributes = "", empty] = match
    const parent = open.at(-1) ?? root
    parent.text += decode(body.slice(at, match.index))
    at = match.index + whole.length
    if (closing === "/") {
      if (open.pop()?.name !== name) throw new Error(`unexpected </${name}>`)
      continue
    }
    const element: XmlElement = { name, attributes: readAttributes(attributes), children: [], text: "" }
    parent.children.push(element)
    if (empty !== "/") open.push(element)
  }
  if (open.length !== 1 || decode(body.slice(at)).trim() !== "") throw new Error("not closed")
  const [document] = root.children
  if (document === undefined) throw new Error("empty")
  return document
}

export const elements = (element: XmlElement, name: string): ReadonlyArray<XmlElement> => [
  ...(element.name === name ? [element] : []),
  ...element.children.flatMap((child) => elements(child, name))
]
