import * as PlainYaml from "@agent-arena/core/project/source/PlainYaml"
import * as SourceText from "@agent-arena/core/project/source/SourceText"
import * as YamlTree from "@agent-arena/core/project/source/YamlTree"
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"

/** What the real parser makes of a list with one item; undefined when it complains. */
const reference = (text: string): unknown => {
  const made = YamlTree.make(SourceText.make("f", text))
  return "value" in made && made.problems.length === 0 && Array.isArray(made.value) && made.value.length === 1
    ? { value: made.value[0], position: made.at([0]) }
    : undefined
}

/** The quick reader either declines or says what the real parser says. */
const agrees = (text: string): boolean => {
  const quick = PlainYaml.readItem(text)
  if (quick === undefined) return false
  const real = reference(text)
  const position = { file: "f", line: 1, column: quick.offset + 1 }
  assert.deepStrictEqual({ value: quick.value, position }, real, JSON.stringify(text))
  return true
}

const plain = [
  "- id: a\n  input: hello world\n",
  '  - id: case_1\n    input: "What, then?"\n    reference: refund\n    tags: [a, b]\n    metadata: {source: web, n: 2}\n',
  "- id: a\n  input: |\n    line\n\n      more # no comment\n    - item\n  weight: 2\n\n# comment\n",
  "- input: |-\n    no break\n  b: 'it''s'\n  c: \"tab\\t \\u00e9\"\n",
  "-   id: a\n    nested:\n      deep:\n        x: 1\n      list:\n      - 1\n      - {a: b}\n    end: true\n",
  "- list:\n    - role: user\n      content: hi\n    - role: system\n      content: ho\n",
  "- a: 1.5\n  b: -3\n  c: 0.5\n  d: ~\n  e: null\n  f: false\n  g:\n  h: 2024-01-31\n  i: 1-2\n  j: 12 apples\n",
  '- a: []\n  b: {}\n  c: ["x, y", "z"]\n  d: []\n',
  "- a: http://example.org/x?y=z#w\n  b: a:b\n  c: x#y\n  d: don't\n",
  "- a:\n    # comment\n    b: 1\n"
]

const declined = [
  "- a: &x 1\n",
  "- a: *x\n",
  "- <<: {a: 1}\n",
  "- a: >\n    folded\n",
  "- a: one\n    two\n",
  "- a: x # comment\n",
  "- a: [a, [b]]\n",
  "- a: 1e3\n",
  "- a: 0x1F\n",
  "- a: .inf\n",
  "- a: 12345678901234567890\n",
  "- a: 1\n  a: 2\n",
  "- __proto__: 1\n",
  "- a: x\r\n",
  "- a:\tx\n",
  "- a: x \n",
  "- 'a': x\n",
  "- ? a\n  : b\n",
  "- a: !!str x\n",
  "- a: 1.2.3\n",
  "- a: 007\n",
  "- a: 1.50\n",
  "- a: .5\n",
  "- a: -0\n",
  "- text\n",
  '- a: "open\n',
  "- a: b: c\n",
  "- a: True\n",
  "- a: |\n    x",
  "- a: |2\n    x\n"
]

describe("the quick reader of plain YAML", () => {
  it("reads what is plain like the real parser", () => {
    for (const text of plain) assert.isTrue(agrees(text), text)
  })

  it("declines what is not", () => {
    for (const text of declined) assert.isUndefined(PlainYaml.readItem(text), text)
  })

  const scalar = fc.oneof(
    fc.constantFrom(
      ...'true false null ~ yes 1 -1 +2 1.50 .5 5. 007 1e3 0x1F 0o7 .inf -.inf .nan - -- --- ... -x ?x :x a:b a: \'a\' "b" "a\\nb" [] {} [a] {a:1}'.split(
        " "
      )
    ),
    fc.constantFrom(
      "a b",
      "a: b",
      "a #b",
      "a#b",
      "# c",
      "[a, b]",
      "[a,b]",
      '["a", "b"]',
      "{a: b}",
      "{a: b, c: 1}",
      "'it''s'",
      '"x" y',
      "2024-01-01",
      "10:30",
      "|",
      "|-",
      ">",
      "*a",
      "&a b",
      "!t x",
      "@x",
      "`x",
      "%x",
      "a,b",
      "a]b",
      "[a, [b]]",
      "{a}",
      "[a,]",
      "\u00a0x",
      "é",
      "x\u2028y"
    ),
    fc.string({ maxLength: 6 }),
    fc.stringMatching(/^[-+.\deExo:, [\]{}#&*!|>'"%@`?~a]{0,7}$/)
  )
  const indent = fc.constantFrom("", " ", "  ", "    ", "  ", "      ", "\t")
  const line = fc.oneof(
    fc
      .tuple(indent, fc.constantFrom("a", "b", "id", "x.y", "1", "true", "<<", "c d", "'q'"), scalar)
      .map(([space, key, value]) => `${space}${key}: ${value}`),
    fc
      .tuple(indent, fc.constantFrom("a", "b", "c"), fc.constantFrom(":", ":  ", ": # c"))
      .map((parts) => parts.join("")),
    fc.tuple(indent, scalar).map(([space, value]) => `${space}- ${value}`),
    fc.tuple(indent, fc.constantFrom("a", "b"), scalar).map(([space, key, value]) => `${space}- ${key}: ${value}`),
    fc.tuple(indent, scalar).map((parts) => parts.join("")),
    fc.constantFrom("", "  ", "# comment", "    # comment")
  )
  const item = fc
    .tuple(fc.constantFrom("- ", "  - ", "-   "), scalar, fc.array(line, { maxLength: 6 }))
    .map(([dash, first, lines]) => `${[`${dash}a: ${first}`, ...lines].join("\n")}\n`)

  it("never says anything else than the real parser", () => {
    let read = 0
    fc.assert(
      fc.property(item, (text) => {
        if (agrees(text)) read++
      }),
      { numRuns: 3000 }
    )
    // The property would hold, and say nothing, if everything were declined.
    assert.isAbove(read, 200)
  })
})
