import type { Row } from '@diorama/twin-kit/kernel/table'
import { ApiError } from '../../http/api-error.ts'
import type { Faults, Place } from '../faults.ts'
import { createSpill } from './spill.ts'

/** Rows as they came, before anybody has judged them, by service and collection. */
export interface RawRows {
  readonly put: (service: string, collection: string, row: unknown, place: Place) => Promise<void> | void
  readonly services: () => readonly string[]
  /** In the order of canonical JSON, in which seeds are written. */
  readonly collections: (service: string) => readonly string[]
  readonly rows: (
    service: string,
    collection: string,
  ) => AsyncIterable<{ readonly row: Row; readonly place: Place }>
}

const maxRows = 5_000_000
const maxCollections = 2_000
const maxFiles = 500_000

export const createRawRows = (folder: string, faults: Faults): RawRows => {
  const spill = createSpill(folder, 'raw')
  const byService = new Map<string, Set<string>>()
  const files = new Map<string, number>()
  const names: string[] = []
  let count = 0

  const fileNumber = (name: string): number => {
    const known = files.get(name)
    if (known !== undefined) return known
    if (names.length >= maxFiles) throw tooMuch(`${maxFiles} files`)
    files.set(name, names.length)
    return names.push(name) - 1
  }
  const keyOf = (service: string, collection: string) => `${service}/${collection}`
  return {
    put: (service, collection, row, place) => {
      if (typeof row !== 'object' || row === null || Array.isArray(row)) {
        faults.add(place, 'is no object')
        return undefined
      }
      const held = byService.get(service) ?? new Set()
      byService.set(service, held)
      held.add(collection)
      if (held.size > maxCollections) throw tooMuch(`${maxCollections} collections in one service`)
      if (++count > maxRows) throw tooMuch(`${maxRows} rows`)
      const at = `${fileNumber(place.file)},${place.row ?? 0}`
      return spill.put(keyOf(service, collection), `[${at},${JSON.stringify(row)}]`)
    },
    services: () => [...byService.keys()],
    collections: (service) => [...(byService.get(service) ?? [])].sort(),
    async *rows(service, collection) {
      for await (const line of spill.lines(keyOf(service, collection))) {
        const [file, row, value] = JSON.parse(line) as [number, number, Row]
        yield { row: value, place: { file: names[file] ?? '', ...(row > 0 && { row }) } }
      }
    },
  }
}

const tooMuch = (what: string) => new ApiError('too_large', `One dataset may hold at most ${what}.`)
