import { readdir, readFile, statfs } from 'node:fs/promises'

export interface TreeSample {
  readonly memoryBytes: number
  readonly processes: number
  readonly files: number
}

export interface WatchedTree {
  /** The process whose tree is counted, leaving out its first generations, which are ours. */
  readonly rootPid: number
  readonly skipGenerations: number
  /** Folders inside the tree's own mount namespace whose file counts are watched. */
  readonly folders: readonly string[]
  readonly onSample: (sample: TreeSample) => void
}

interface ProcessRow {
  readonly pid: number
  readonly parent: number
  readonly memoryBytes: number
}

const POLL_MS = 100

/**
 * One watch for all jobs of a driver: it reads the process table a few times a second while any job runs, and tells
 * each job what its tree uses. It works from outside, so nothing a job does to its own processes can blind it.
 */
export class ProcessWatch {
  readonly #trees = new Set<WatchedTree>()
  #timer: NodeJS.Timeout | undefined
  #reading = false

  add(tree: WatchedTree): () => void {
    this.#trees.add(tree)
    this.#timer ??= setInterval(() => void this.#tick(), POLL_MS)
    this.#timer.unref()
    return () => {
      this.#trees.delete(tree)
      if (this.#trees.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }

  async #tick(): Promise<void> {
    if (this.#reading) return
    this.#reading = true
    try {
      const rows = await readProcessTable()
      const children = childrenByParent(rows)
      for (const tree of [...this.#trees]) {
        await measure(
          tree,
          rows.filter((row) => row.pid === tree.rootPid),
          children,
        )
      }
    } finally {
      this.#reading = false
    }
  }
}

async function measure(
  tree: WatchedTree,
  root: ProcessRow[],
  table: Map<number, ProcessRow[]>,
): Promise<void> {
  let generation = root
  for (let skipped = 0; skipped < tree.skipGenerations; skipped++) {
    generation = generation.flatMap((row) => table.get(row.pid) ?? [])
  }
  let memoryBytes = 0
  let processes = 0
  const witness = generation[0]?.pid
  while (generation.length > 0) {
    for (const row of generation) memoryBytes += row.memoryBytes
    processes += generation.length
    generation = generation.flatMap((row) => table.get(row.pid) ?? [])
  }
  const files = witness === undefined ? 0 : await countFiles(witness, tree.folders)
  tree.onSample({ memoryBytes, processes, files })
}

function childrenByParent(rows: readonly ProcessRow[]): Map<number, ProcessRow[]> {
  const table = new Map<number, ProcessRow[]>()
  for (const row of rows) {
    const siblings = table.get(row.parent)
    if (siblings) siblings.push(row)
    else table.set(row.parent, [row])
  }
  return table
}

async function readProcessTable(): Promise<ProcessRow[]> {
  const names = await readdir('/proc').catch(() => [])
  const rows = await Promise.all(names.filter((name) => /^\d+$/.test(name)).map(readProcess))
  return rows.filter((row) => row !== undefined)
}

/** Private and shared memory count, mapped files do not: they are the system's read-only libraries. */
async function readProcess(name: string): Promise<ProcessRow | undefined> {
  const status = await readFile(`/proc/${name}/status`, 'utf8').catch(() => '')
  const parent = /^PPid:\t(\d+)/m.exec(status)?.[1]
  if (parent === undefined) return undefined
  const kib =
    Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1] ?? 0) + Number(/^RssShmem:\s+(\d+)/m.exec(status)?.[1] ?? 0)
  return { pid: Number(name), parent: Number(parent), memoryBytes: kib * 1024 }
}

/** Asks the file systems themselves for their counts: no folder that a job controls is ever walked from outside. */
async function countFiles(pid: number, folders: readonly string[]): Promise<number> {
  let files = 0
  for (const folder of folders) {
    const counts = await statfs(`/proc/${pid}/root${folder}`).catch(() => undefined)
    if (counts) files += counts.files - counts.ffree
  }
  return files
}
