import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testStorage } from '../testing.ts'
import { binaryArray, float4Column, float8Column, int4Column, int8Column, textColumn } from './arrays.ts'

test('columns of every kind arrive as they were sent, whatever they contain', async () => {
  await using database = await testStorage()
  const texts = [
    '',
    'plain',
    '"quoted" \\ and, {braced}',
    'é'.repeat(400),
    '😀'.repeat(1_000),
    'a'.repeat(70_000),
    null,
  ]
  const numbers = texts.map((_, n) => n * 1_000 - 2_500)
  const { rows } = await database.storage.pool.query(
    `select * from unnest($1::text[], $2::int[], $3::bigint[], $4::real[], $5::float8[])
      as sent (said, small, large, rough, exact)`,
    [
      binaryArray(textColumn, texts),
      binaryArray(int4Column, numbers),
      binaryArray(
        int8Column,
        numbers.map((number) => number * 2 ** 40),
      ),
      binaryArray(
        float4Column,
        numbers.map((number) => number / 4),
      ),
      binaryArray(
        float8Column,
        numbers.map((number) => number / 3),
      ),
    ],
  )
  assert.deepEqual(
    rows.map(({ said, small, large, rough, exact }) => [said, small, Number(large), rough, exact]),
    texts.map((said, n) => {
      const number = numbers[n] ?? 0
      return [said, number, number * 2 ** 40, number / 4, number / 3]
    }),
  )
})
