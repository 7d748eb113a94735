import { readdirSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { readKernelFile } from './kernel-file.ts'

export interface TreeSample {
  readonly memoryBytes: number
  readonly processes: number
  readonly files: number
}

export interface WatchedTree {
  /** The process whose tree is counted, leaving out its first generations, which are ours. */
  readonly rootPid: number
  readonly skipGenerations: number
  /** Where the kernel can say which processes they are, no one else's are looked at. */
  readonly group: { readonly pids: readonly number[] } | undefined
  /** Folders inside the tree's own mount namespace whose file counts are watched. */
  readonly folders: readonly string[]
  readonly onSample: (sample: TreeSample) => void
}

interface ProcessRow {
  readonly pid: number
  readonly parent: number
}

/**
 * A control group's limit has room for a job's folders, which are memory too, so a job could use that room for its
 * processes: they are looked at as often as without a group.
 */
export const watchEveryMs = 100

/** On a machine with thousands of processes a look takes long; looking never takes more than this part of our time. */
const maxBusyShare = 1 / 50
const maxIntervalMs = 1_000

/**
 * One watch for all jobs of a driver: a few times a second while any job runs it reads what their processes use, and
 * tells each job. It works from outside, so nothing a job does to its own processes can blind it.
 */
export class ProcessWatch {
  readonly #trees = new Set<WatchedTree>()
  readonly #everyMs: number
  #timer: NodeJS.Timeout | undefined

  constructor(everyMs: number) {
    this.#everyMs = everyMs
  }

  add(tree: WatchedTree): () => void {
    this.#trees.add(tree)
    this.#wait(this.#everyMs)
    return () => {
      this.#trees.delete(tree)
    }
  }

  #wait(ms: number): void {
    this.#timer ??= setTimeout(() => void this.#look(), ms)
    this.#timer.unref()
  }

  async #look(): Promise<void> {
    const began = performance.now()
    try {
      if (this.#trees.size > 0) await this.#measureAll()
    } finally {
      this.#timer = undefined
      const took = performance.now() - began
      if (this.#trees.size > 0)
        this.#wait(Math.min(maxIntervalMs, Math.max(this.#everyMs, took / maxBusyShare)))
    }
  }

  async #measureAll(): Promise<void> {
    const groups = [...this.#trees].map(({ group }) => group)
    const pids = groups.every((group) => group !== undefined)
      ? groups.flatMap((group) => group.pids)
      : allPids()
    const rows = parentsOf(pids)
    const byPid = new Map(rows.map((row) => [row.pid, row]))
    const children = childrenByParent(rows)
    await Promise.all(
      [...this.#trees].map((tree) => {
        const root = byPid.get(tree.rootPid)
        return measure(tree, root ? [root] : [], children)
      }),
    )
  }
}

const measure = async (
  tree: WatchedTree,
  root: ProcessRow[],
  table: Map<number, ProcessRow[]>,
): Promise<void> => {
  let generation = root
  for (let skipped = 0; skipped < tree.skipGenerations; skipped++) {
    generation = generation.flatMap((row) => table.get(row.pid) ?? [])
  }
  let memoryBytes = 0
  let processes = 0
  const observed = generation[0]?.pid
  while (generation.length > 0) {
    for (const row of generation) memoryBytes += memoryOf(row.pid)
    processes += generation.length
    generation = generation.flatMap((row) => table.get(row.pid) ?? [])
  }
  const files = observed === undefined ? 0 : await countFiles(observed, tree.folders)
  tree.onSample({ memoryBytes, processes, files })
}

const childrenByParent = (rows: readonly ProcessRow[]): Map<number, ProcessRow[]> => {
  const table = new Map<number, ProcessRow[]>()
  for (const row of rows) {
    const siblings = table.get(row.parent)
    if (siblings) siblings.push(row)
    else table.set(row.parent, [row])
  }
  return table
}

const allPids = (): number[] => {
  return readdirSync('/proc').map(Number).filter(Number.isInteger)
}

/** Who is whose child: one short read for each process, without waiting in between. */
const parentsOf = (pids: readonly number[]): ProcessRow[] => {
  const rows: ProcessRow[] = []
  for (const pid of pids) {
    const parent = /^.*\) \S (\d+)/s.exec(readKernelFile(`/proc/${pid}/stat`))?.[1]
    if (parent !== undefined) rows.push({ pid, parent: Number(parent) })
  }
  return rows
}

/** Private and shared memory count, mapped files do not: they are the system's read-only libraries. */
const memoryOf = (pid: number): number => {
  const status = readKernelFile(`/proc/${pid}/status`)
  const kib = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0)
  return (kib('RssAnon') + kib('RssShmem')) * 1024
}

/** Asks the file systems themselves for their counts: no folder that a job controls is ever walked from outside. */
const countFiles = async (pid: number, folders: readonly string[]): Promise<number> => {
  let files = 0
  for (const folder of folders) {
    const counts = await statfs(`/proc/${pid}/root${folder}`).catch(() => undefined)
    if (counts) files += counts.files - counts.ffree
  }
  return files
}
