import type { ErrorDetail } from '@diorama/contract'
import { ApiError } from '../http/api-error.ts'

/** A place in what was uploaded. */
export interface Place {
  readonly file: string
  /** From 1. */
  readonly row?: number | undefined
  /** A path such as `reactions/0/name`. */
  readonly field?: string | undefined
}

/** What is wrong with an upload: every fault up to a limit, each with its file, row and field. */
export interface Faults {
  readonly add: (place: Place, message: string) => void
  /** Refuses the upload if there is any. */
  readonly check: () => void
  readonly count: number
}

const maxListed = 100

export const createFaults = (): Faults => {
  const details: ErrorDetail[] = []
  const refuse = (): never => {
    const [first] = details
    const more = details.length > 1 ? `, and ${details.length - 1} more` : ''
    throw new ApiError('invalid_dataset', `The data does not fit: ${first?.message ?? ''}${more}.`, {
      details,
    })
  }
  return {
    add: (place, message) => {
      details.push({ pointer: pointerOf(place), message: `${wordsOf(place)} ${message}` })
      if (details.length >= maxListed) refuse()
    },
    check: () => {
      if (details.length > 0) refuse()
    },
    get count() {
      return details.length
    },
  }
}

/** A refusal for one fault alone. */
export const datasetFault = (place: Place, message: string): ApiError =>
  new ApiError('invalid_dataset', `The data does not fit: ${wordsOf(place)} ${message}.`, {
    details: [{ pointer: pointerOf(place), message: `${wordsOf(place)} ${message}` }],
  })

const pointerOf = ({ file, row, field }: Place): string =>
  `/${file}${row === undefined ? '' : `/${row}`}${field === undefined || field === '' ? '' : `/${field}`}`

const wordsOf = ({ file, row, field }: Place): string =>
  `${[file, ...(row === undefined ? [] : [`row ${row}`]), ...(field ? [`field ${field}`] : [])].join(', ')}:`
