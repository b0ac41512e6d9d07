/** Statements that write the columns of an object. The names are ours, never a user's. */
import type { SqliteParams } from "./SqliteClient.ts"

type Columns = Readonly<Record<string, string | number | null>>

export const insert = (table: string, columns: Columns): readonly [sql: string, params: SqliteParams] => {
  const names = Object.keys(columns)
  return [
    `INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
    Object.values(columns)
  ]
}

export const update = (table: string, columns: Columns, pk: number): readonly [sql: string, params: SqliteParams] => [
  `UPDATE ${table} SET ${Object.keys(columns)
    .map((name) => `${name} = ?`)
    .join(", ")} WHERE pk = ?`,
  [...Object.values(columns), pk]
]
