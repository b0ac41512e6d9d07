import { extractJson, type JsonKind, workPerCharacter } from "@agent-arena/core/scoring/JsonExtraction"
import { recogniseAt } from "@agent-arena/core/scoring/JsonRecogniser"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"

const found = (text: string, kind: JsonKind = "object"): unknown => {
  const result = extractJson(text, kind)
  return result.found ? result.value : undefined
}

const reason = (text: string, kind: JsonKind = "object"): string => {
  const result = extractJson(text, kind)
  return result.found ? "" : result.reason
}

describe("JSON in an answer", () => {
  it.each<[string, unknown]>([
    ['{"a":1}', { a: 1 }],
    ['  {"a":1}\n', { a: 1 }],
    ['```json\n{"a":1}\n```', { a: 1 }],
    ['Here you are:\n```\n{"a":1}\n```\nDone.', { a: 1 }],
    ['Here you are:\n~~~\n{"a":1}', { a: 1 }],
    ['```json\n{"a":1}', { a: 1 }],
    ['Sure! {"a": {"b": [1, 2]}} hope it helps {', { a: { b: [1, 2] } }],
    ['{"text": "a } and a ] and a \\" in it"}', { text: 'a } and a ] and a " in it' }],
    ['See [1]: the answer is {"a":1}', { a: 1 }],
    ['broken {"a": } then {"b":2}', { b: 2 }],
    ['outer { not json {"a":1} } ', { a: 1 }],
    ['[ {"a":1}, oops ]', { a: 1 }],
    ['she said "use {"a":1}"', { a: 1 }],
    ['{"a":1} {"b":2}', { a: 1 }],
    ['```python\nx = 1\n```\n```json\n{"a":1}\n```', { a: 1 }],
    ['{"code": "```js\\n1\\n```"}', { code: "```js\n1\n```" }],
    ['{"é": "\\u00e9"}', { é: "é" }],
    ['["unclosed {"a":1}', { a: 1 }],
    ["[1, 2]", [1, 2]]
  ])("is found in %j", (text, value) => {
    assert.deepStrictEqual(found(text), value)
  })

  it("is preferred in the kind that is wanted", () => {
    assert.deepStrictEqual(found('{"a":1} [2]', "array"), [2])
    assert.deepStrictEqual(found('{"a":1} [2]', "object"), { a: 1 })
    assert.deepStrictEqual(found('only {"a":1}', "array"), { a: 1 })
    assert.deepStrictEqual(found("42", "scalar"), 42)
    assert.deepStrictEqual(found("```\ntrue\n```", "scalar"), true)
    assert.isNull(found("null", "scalar"))
    assert.isUndefined(found("it is 42", "scalar"))
  })

  it.each<[string, string]>([
    ["{'a': 1}", "breaks at"],
    ['{"a": True}', 'breaks at "True}"'],
    ['{"a": None}', "breaks at"],
    ['{"a": NaN}', "breaks at"],
    ['{"a": 1,}', "breaks at"],
    ['{"a": 01}', "breaks at"],
    ['{"a": 1 // one\n}', "breaks at"],
    ['{"a": "line\nbreak"}', "breaks at"],
    ['{"a": [1, 2', "is cut off"],
    ["no JSON at all", "contains no JSON object or array"],
    ["", "contains no JSON object or array"]
  ])("is refused in %j", (text, why) => {
    assert.isUndefined(found(text))
    assert.include(reason(text), why)
  })

  it("is found whatever stands around it", () => {
    const prose = fc.string({ unit: fc.constantFrom("a", " ", "\n", "'", ".", ":", "-", "é") })
    const container = fc.oneof(
      fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }),
      fc.array(fc.jsonValue(), { minLength: 1 })
    )
    fc.assert(
      fc.property(prose, container, prose, fc.boolean(), (before, value, after, pretty) => {
        const written = JSON.stringify(value, null, pretty ? 2 : 0)
        const kind = Array.isArray(value) ? "array" : "object"
        assert.deepStrictEqual(found(`${before}${written}${after}`, kind), JSON.parse(written))
        assert.deepStrictEqual(found(`${before}\n\`\`\`json\n${written}\n\`\`\`\n${after}`, kind), JSON.parse(written))
      })
    )
  })

  it("takes work in proportion to the text, however hostile", () => {
    const hostile = fc.string({
      unit: fc.constantFrom("{", "[", "]", "}", '"', ":", ",", "1", "\\", '["', '{"a":', '"{'),
      maxLength: 400
    })
    fc.assert(
      fc.property(
        hostile,
        fc.integer({ min: 1, max: 20 }),
        fc.constantFrom<JsonKind>("object", "array"),
        (piece, times, kind) => {
          const text = piece.repeat(times)
          // One more reading may begin just inside the budget, and a fenced or whole text is read once before.
          assert.isAtMost(extractJson(text, kind).work, text.length * (workPerCharacter + 2) + 4_096 + 1)
        }
      )
    )
    for (const piece of ["[", "{", '{"a":', '["', '["{', '{"a":[', "[[]", '[{"']) {
      assert.isAtMost(extractJson(piece.repeat(300_000 / piece.length), "object").work, 3_000_000)
    }
  })

  it("accepts exactly what JSON.parse accepts", () => {
    const nearly = fc.string({
      unit: fc.constantFrom(
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        '"a"',
        '""',
        "1",
        "-0",
        ".5",
        "1e5",
        "true",
        "null",
        " ",
        "\\"
      )
    })
    fc.assert(
      fc.property(nearly, (inner) => {
        const text = `[${inner}]`
        let whole = true
        try {
          JSON.parse(text)
        } catch {
          whole = false
        }
        assert.strictEqual(recogniseAt(text, 0).end === text.length, whole)
      }),
      { numRuns: 2_000 }
    )
  })
})
