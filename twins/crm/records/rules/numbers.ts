import type { Writing } from '../writing.ts'

/** Eight digits, one more than the last; numbers that the seed used are passed over. */
export const nextNumber = (writing: Writing, object: string, field: string, base: number): string => {
  const schema = writing.org.object(object)
  const indexed = schema.field(field)
  let number: string
  do number = String(base + writing.call.sequence(`number ${object}`)).padStart(8, '0')
  while (indexed?.idLookup === true && writing.org.count(schema, indexed, number) > 0)
  return number
}
