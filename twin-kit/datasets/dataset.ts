import type { Company } from '../kernel/company.ts'
import type { Row } from '../kernel/table.ts'

/** How a twin takes part in worlds that are made of rows. Its tables say what a row is; this says what they cannot. */
export interface TwinDataset {
  /** Follows the rows of one dataset; a fresh one for each import. */
  readonly intake: (company: DatasetCompany) => DatasetIntake
  /** Rows that each sum up many others. */
  readonly groups?: Readonly<Record<string, DatasetGroup>>
  /** Which fields of which collections are about people, by their paths, such as `profile.first_name`. */
  readonly personal?: Readonly<Record<string, Readonly<Record<string, PersonalField>>>>
  /** The forms of data, besides its own rows, that this twin can read. */
  readonly readers: readonly DatasetReader[]
}

/** What a field says of a person, and so how it is anonymised. */
export type PersonalField = 'name' | 'handle' | 'email' | 'phone'

/** What rows share over all twins. Unlike a blueprint's company it may have any number of people, or none. */
export type DatasetCompany = Pick<Company, 'organization' | 'people' | 'clock'> & {
  /** Whom the twins' own tokens act as: a handle or a native id; the twin chooses where it is not said. */
  readonly actsAs: string | undefined
}

/** Collections come in the order of their names, and rows in the order of their files. */
export interface DatasetIntake {
  /** Looks at a row that fits its table, and reports what is wrong with its meaning. */
  readonly row: (collection: string, row: Row, report: Report) => void
  /** After the last row: adds rows that follow from the others and were not given. */
  readonly end: (adding: Adding) => void
}

/**
 * How rows of one collection are summed up, such as the replies of each thread. There may be millions of groups, so
 * they are kept on disk and not by the intake.
 */
export interface DatasetGroup {
  /** The collection of the sums. A sum that was given stays as it was given. */
  readonly into: string
  /** The key of the group that a row belongs to, with what of it counts; undefined for a row of no group. */
  readonly member: (row: Row) => { readonly key: string; readonly value: unknown } | undefined
  /** The sum over a group, whose values come in the order of their rows. */
  readonly sum: (key: string, values: readonly unknown[]) => Row
}

/** The field is a path such as `reactions/0/name`. A report may be kept, and made when all rows are known. */
export type Report = (field: string, message: string) => void

export interface Adding {
  readonly insert: (collection: string, row: Row) => void
  readonly warn: (message: string) => void
}

/** A row that its table does not take, with the field that is to blame. */
export class RowFault extends Error {
  override readonly name = 'RowFault'
  readonly field: string
  constructor(field: string, message: string) {
    super(message)
    this.field = field
  }
}

/** Reads data of another form into rows of this twin. */
export interface DatasetReader {
  /** How the form is named in requests, such as `export-zip`. */
  readonly format: string
  readonly label: string
  /** What is read: named files (of a zip, or one file alone), or the tables of a SQLite file. */
  readonly takes: 'files' | 'tables'
  readonly read: (source: DatasetSource, reading: Reading) => Promise<void>
}

/** Where a reader finds the data. Everything comes in pieces, so that nothing large is held. */
export interface DatasetSource {
  readonly files: readonly SourceFile[]
  readonly tables: readonly SourceTable[]
}

export interface SourceFile {
  /** With its folders, separated by slashes. */
  readonly name: string
  readonly size: number
  readonly chunks: () => AsyncIterable<Uint8Array>
}

export interface SourceTable {
  readonly name: string
  readonly columns: readonly string[]
  readonly rows: () => Iterable<Readonly<Record<string, unknown>>>
}

/** A file of the source, or a table, and the row in it from 1 where there is one. */
export interface SourcePlace {
  readonly file: string
  readonly row?: number
}

/** Where a reader puts what it has read. */
export interface Reading {
  /** The place is where the row comes from, so that what is wrong with it is reported there. */
  readonly insert: (collection: string, row: Row, place: SourcePlace) => Promise<void> | void
  /** A place in the source that cannot be read. */
  readonly fault: (place: SourcePlace & { field?: string }, message: string) => void
  readonly warn: (message: string) => void
  /** What the source says of the company; what the caller said stands. */
  readonly company: (found: FoundCompany) => void
  readonly actsAs: string | undefined
  /** 64 hex digits that depend on the parts alone. */
  readonly digest: (...parts: readonly string[]) => string
}

export interface FoundCompany {
  readonly name?: string
  readonly slug?: string
  readonly emailDomain?: string
  /** The latest moment of the data, in milliseconds; the clock is set after it. */
  readonly latest?: number
  readonly people?: Company['people']
}
