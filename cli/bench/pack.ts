import type { Client } from '@diorama/sdk/index.ts'

/** A published benchmark that can be imported from its own files. */
export interface Pack {
  readonly name: string
  readonly about: string
  /** What the benchmark's own metric is called. */
  readonly published: string
  readonly import: (client: Client, folder: string, options: ImportOptions) => Promise<Imported>
}

export interface ImportOptions {
  readonly split: string
  readonly note: (text: string) => void
}

export interface Imported {
  readonly suiteId: string
  readonly tasks: readonly ImportedTask[]
}

export interface ImportedTask {
  readonly id: string
  /** The benchmark's own name of the task. */
  readonly key: string
  /** Results are reported for each group, such as a service. */
  readonly group: string
  readonly defects: readonly string[]
}
