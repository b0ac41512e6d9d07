/**
 * Four ways to tell the language of a sentence: three published libraries and a small word list made by hand.
 * Each takes a text and returns an ISO 639-1 code, or "und" when it cannot tell.
 */
import { eld } from "eld/small"
import { franc } from "franc"
import { detect } from "tinyld"

/** ISO 639-3, as franc answers, to ISO 639-1, as the cases expect. */
const twoLetters: Readonly<Record<string, string>> = {
  ces: "cs",
  dan: "da",
  deu: "de",
  ell: "el",
  eng: "en",
  fin: "fi",
  fra: "fr",
  hun: "hu",
  ita: "it",
  nld: "nl",
  pol: "pl",
  por: "pt",
  ron: "ro",
  rus: "ru",
  spa: "es",
  swe: "sv",
  tur: "tr",
  ukr: "uk"
}

export const withTinyld = (text: string): string => detect(text) || "und"

export const withFranc = (text: string): string => twoLetters[franc(text)] ?? "und"

export const withEld = (text: string): string => eld.detect(text).language || "und"

/** Words so common that most sentences have one. */
const frequentWords: Readonly<Record<string, ReadonlyArray<string>>> = {
  cs: ["je", "se", "na", "že", "který", "jsem", "byl", "aby", "není"],
  da: ["og", "jeg", "ikke", "det", "er", "hvad", "til", "på", "af"],
  de: ["der", "die", "das", "und", "ist", "nicht", "ich", "ein", "mit"],
  en: ["the", "and", "is", "of", "to", "in", "that", "it", "was"],
  es: ["el", "los", "las", "y", "es", "que", "una", "con", "por"],
  fi: ["on", "ja", "ei", "se", "että", "oli", "mutta", "kun", "olen"],
  fr: ["le", "les", "des", "est", "et", "pas", "une", "dans", "nous"],
  hu: ["az", "és", "nem", "hogy", "egy", "van", "volt", "meg", "már"],
  it: ["il", "che", "di", "non", "una", "per", "sono", "della", "gli"],
  nl: ["de", "het", "een", "en", "niet", "van", "ik", "dat", "zijn"],
  pl: ["się", "nie", "jest", "na", "że", "był", "dla", "tego", "czy"],
  pt: ["o", "não", "uma", "os", "que", "para", "com", "está", "do"],
  ro: ["și", "este", "nu", "într", "care", "sunt", "pentru", "din", "mai"],
  sv: ["och", "jag", "inte", "det", "är", "som", "ett", "på", "till"],
  tr: ["bir", "ve", "bu", "için", "çok", "değil", "ne", "ama", "var"]
}

const greek = /\p{Script=Greek}/u
const cyrillic = /\p{Script=Cyrillic}/u
const ukrainian = /[іїєґ]/iu

/** The baseline: the script of the letters, then the language with the most frequent words in the text. */
export const withWordList = (text: string): string => {
  if (greek.test(text)) return "el"
  if (cyrillic.test(text)) return ukrainian.test(text) ? "uk" : "ru"
  const words = text.toLowerCase().match(/\p{Letter}+/gu) ?? []
  let best = "und"
  let most = 0
  for (const [language, frequent] of Object.entries(frequentWords)) {
    const hits = words.filter((word) => frequent.includes(word)).length
    if (hits > most) {
      most = hits
      best = language
    }
  }
  return best
}
