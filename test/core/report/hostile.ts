import * as fc from "fast-check"

const pieces = [
  ..."|\n\r\t\\`<>[]*_~#-+=@'\",;&$(){}^%!/:.",
  "\u001b[31m",
  "\u001b]0;title\u0007",
  "\u001b[2J",
  "\u001bP1;2q",
  "\u001bc",
  "\u009b5A",
  "\u009d8;;x\u009c",
  "\u001b",
  "\u0000",
  "\u0008",
  "\u007f",
  "\u0085",
  "\u202e",
  "\u2066",
  "\u2028",
  "\ufeff",
  "\ud800",
  "漢字",
  "👩‍👩‍👧",
  "🇨🇭",
  "e\u0301",
  "＝1+1",
  "https://example.org",
  "<script>",
  "| --- |",
  "</td>"
]

/** Text of the scripts and symbols on whose width terminals agree, with everything harmful in between. */
export const hostileWords = fc.string({
  unit: fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 2 })),
  maxLength: 40
})

/** Text as a model, or someone who means harm, might write it. */
export const hostileText = fc.oneof(hostileWords, fc.string({ unit: "grapheme", maxLength: 20 }))
