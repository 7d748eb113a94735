import { isDay, readMoment } from '../dates.ts'
import type { CustomField } from '../schema/customization.ts'

/** What the values of a column that the service's own schema does not have say about its type. */
export interface Evidence {
  readonly see: (value: unknown) => void
  readonly field: (name: string, objectOf: (prefix: string) => string | undefined) => CustomField
}

const idShape = /^[a-zA-Z0-9]{15}([a-zA-Z0-9]{3})?$/

/** A database without booleans holds zeros and ones: a column is one of flags if it is named so. */
export const createEvidence = (): Evidence => {
  const could = { boolean: true, flag: true, int: true, double: true, date: true, datetime: true, id: true }
  const prefixes = new Set<string>()
  let seen = 0
  let longest = 0
  return {
    see: (value) => {
      if (value === null || value === undefined || value === '') return
      seen++
      const text = String(value)
      longest = Math.max(longest, text.length)
      could.boolean &&= typeof value === 'boolean' || /^(true|false)$/i.test(text)
      could.flag &&= /^(0|1|true|false)$/i.test(text)
      could.int &&= /^-?\d{1,9}$/.test(text)
      could.double &&= /^-?\d{1,15}(\.\d+)?$/.test(text)
      could.date &&= isDay(text)
      could.datetime &&= momentOf(text) !== undefined
      could.id &&= idShape.test(text) && /\d/.test(text)
      if (could.id && prefixes.size < 50) prefixes.add(text.slice(0, 3))
    },
    field: (name, objectOf) => {
      const [first, ...others] = [...prefixes].map(objectOf)
      if (seen === 0) return { name, type: 'string' }
      if (could.id && first !== undefined && others.every((one) => one === first))
        return { name, type: 'reference', referenceTo: first }
      if (could.boolean || (could.flag && /^(Is|Has)[A-Z_]/.test(name))) return { name, type: 'boolean' }
      if (could.int) return { name, type: 'int' }
      if (could.double) return { name, type: 'double' }
      if (could.date) return { name, type: 'date' }
      if (could.datetime) return { name, type: 'datetime' }
      return longest > 255 ? { name, type: 'textarea', length: 131_072 } : { name, type: 'string' }
    },
  }
}

/** A moment in the service's spelling, or with a blank between day and time. */
export const momentOf = (text: string): number | undefined =>
  readMoment(text) ?? readMoment(text.replace(' ', 'T'))
