/** Texts that a model might answer, the friendly and the hostile. */

export const hostile: ReadonlyArray<string> = [
  "\u001b[2J\u001b[H\u001b]0;owned\u0007\u001b[31mred",
  "\u001b]52;c;ZXZpbA==\u0007clip",
  "日本語のテキスト、幅は二列です。",
  "👩‍👩‍👧‍👦 family 👍🏽 flag 🇩🇪 heart ❤️ key 1️⃣",
  "مرحبا بالعالم \u202eevil\u202c",
  "zero\u200bwidth\u200djoin\ufeffbom\u00adsoft",
  "z\u0351\u0352\u0353\u0354\u0355\u0356a\u0300\u0301\u0302\u0303lgo",
  "tab\there\rcarriage\nline\u2028sep\u0000nul\u009b31mc1",
  "ᄒᆞᆫ글 क्षि ไทยำ ﷺ ﹏ 𝒜𝓫",
  "\ud800 lone \udfff",
  "#".repeat(400),
  "字".repeat(300)
]

export const answers: ReadonlyArray<string> = [
  "The customer asks for a refund of a duplicate charge; route to billing.",
  "billing",
  "I would classify this as **login** because the user cannot sign in after the password reset.",
  'refund\n\n```json\n{"label": "refund", "confidence": 0.82}\n```'
]
