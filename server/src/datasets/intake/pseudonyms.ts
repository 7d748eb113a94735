import { createHmac } from 'node:crypto'
import type { DatasetCompany } from '@diorama/contract'
import type { PersonalField } from '@diorama/twin-kit/datasets/dataset'
import type { Row } from '@diorama/twin-kit/kernel/table'
import type { AnyTwin } from '@diorama/twin-kit/kernel/twin'
import type { RawRows } from './raw-rows.ts'

/**
 * Replaces people, e-mail addresses, domains and telephone numbers. Each word of a name always becomes the same other
 * word, so that all twins, and all imports into one dataset, agree without anybody matching accounts.
 */
export interface Pseudonyms {
  /** Remembers the names in a service's records of people; before any row is veiled. */
  readonly learn: (twin: AnyTwin, raw: RawRows) => Promise<void>
  readonly veil: (twin: AnyTwin, collection: string, row: Row) => Row
  readonly company: (company: DatasetCompany) => DatasetCompany
  readonly report: () => Record<string, number>
}

const syllables =
  'ba be bo da de do ka ke ko la le lo ma me mo na ne no ra re ro sa se so ta te to va ve vo'.split(' ')
const letters = /\p{L}[\p{L}\p{M}'’-]*/gu
/** A whole word: what is part of an id is none. */
const capitalised = /(?<![\p{L}\p{N}_])\p{Lu}[\p{L}\p{M}'’-]+(?![\p{N}_])/gu
const address = /[\p{L}\p{N}._%+-]+@([\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+)/gu
const host = /(?<![@\p{L}\p{N}.-])[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu
const telephone = /(?<![\w.])(?:\+\d[\d ()-]{7,16}\d|\(\d{3}\) ?\d{3}-\d{4}|\d{3}-\d{3}-\d{4})(?![\w.])/g
/** Names of fields by which records refer to each other, or say when. */
const reference = /^(id|ts|key|handle_id|.*(Id|Ids|_id|_ts|At|Date|stamp))$/
const maxWords = 500_000

export const createPseudonyms = (key: string): Pseudonyms => {
  const words = new Set<string>()
  /** Domains of the addresses of people, which may stand alone as well. */
  const domains = new Set<string>()
  const seen = {
    names: new Set<string>(),
    addresses: new Set<string>(),
    domains: new Set<string>(),
    numbers: new Set<string>(),
  }
  let people = 0
  const digest = (kind: string, text: string) =>
    createHmac('sha256', key).update(`${kind} ${text.toLowerCase()}`).digest()
  const made = (kind: string, text: string, count: number): string => {
    const bytes = digest(kind, text)
    return Array.from({ length: count }, (_, n) => syllables[(bytes[n] ?? 0) % syllables.length]).join('')
  }
  const word = (text: string): string => {
    seen.names.add(text)
    const other = made('word', text, 3)
    const isCapitals = text.length > 1 && text === text.toUpperCase()
    return isCapitals ? other.toUpperCase() : other.charAt(0).toUpperCase() + other.slice(1)
  }
  const handle = (text: string): string => (text === '' ? '' : made('handle', text, 4))
  const domain = (text: string): string => {
    seen.domains.add(text.toLowerCase())
    return `${made('domain', text, 3)}.example`
  }
  const email = (text: string): string => {
    const at = text.lastIndexOf('@')
    if (at < 1) return text
    seen.addresses.add(text.toLowerCase())
    return `${handle(text.slice(0, at))}@${domain(text.slice(at + 1))}`
  }
  const phone = (text: string): string => {
    if (text === '') return ''
    seen.numbers.add(text)
    const bytes = digest('phone', text)
    let n = 0
    return text.replaceAll(/\d/g, () => String((bytes[n++ % bytes.length] ?? 0) % 10))
  }
  const prose = (text: string): string =>
    text
      .replaceAll(address, (found) => email(found))
      .replaceAll(host, (found) => (domains.has(found.toLowerCase()) ? domain(found) : found))
      .replaceAll(telephone, (found) => phone(found))
      .replaceAll(capitalised, (found) => (words.has(found.toLowerCase()) ? word(found) : found))
  const by: Readonly<Record<PersonalField, (text: string) => string>> = {
    name: (text) => text.replaceAll(letters, (found) => word(found)),
    handle: (text) => (text === 'integration' ? text : handle(text)),
    email,
    phone,
  }
  const walk = (value: unknown, path: string, fields: Readonly<Record<string, PersonalField>>): unknown => {
    if (typeof value === 'string') {
      const kind = fields[path]
      if (kind) return by[kind](value)
      return reference.test(path.slice(path.lastIndexOf('.') + 1)) ? value : prose(value)
    }
    if (Array.isArray(value)) return value.map((item) => walk(item, path, fields))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [
        name,
        walk(item, path === '' ? name : `${path}.${name}`, fields),
      ]),
    )
  }
  const remember = (text: unknown): void => {
    if (typeof text !== 'string') return
    for (const [found] of text.matchAll(letters))
      if (found.length > 1 && words.size < maxWords) words.add(found.toLowerCase())
  }
  return {
    learn: async (twin, raw) => {
      for (const [collection, fields] of Object.entries(twin.dataset?.personal ?? {}))
        for await (const { row } of raw.rows(twin.kind, collection)) {
          people++
          for (const [path, kind] of Object.entries(fields)) {
            const value = at(row, path)
            if (kind === 'name') remember(value)
            else if (kind === 'email' && typeof value === 'string' && domains.size < maxWords)
              domains.add(value.slice(value.lastIndexOf('@') + 1).toLowerCase())
          }
        }
    },
    veil: (twin, collection, row) => walk(row, '', twin.dataset?.personal?.[collection] ?? {}) as Row,
    company: (company) => {
      domains.add(company.organization.emailDomain.toLowerCase())
      for (const person of company.people)
        for (const name of [person.firstName, person.lastName]) remember(name)
      return {
        ...company,
        organization: { ...company.organization, emailDomain: domain(company.organization.emailDomain) },
        people: company.people.map((person) => ({
          ...person,
          handle: handle(person.handle),
          firstName: by.name(person.firstName),
          lastName: by.name(person.lastName),
          name: by.name(person.name),
          email: email(person.email),
        })),
      }
    },
    report: () => ({
      records_of_people: people,
      words_of_names: seen.names.size,
      email_addresses: seen.addresses.size,
      domains: seen.domains.size,
      telephone_numbers: seen.numbers.size,
    }),
  }
}

const at = (row: Row, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Row | null | undefined)?.[name], row)
