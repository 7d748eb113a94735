import { unzipSync } from 'fflate'

/** What the service takes inline; more than this is sent by the command line as a bundle. */
const maxFiles = 200
const maxBytes = 1_048_576

export type AgentFiles = Readonly<Record<string, string>>

const ignored = /(^|\/)(\.git|node_modules|__pycache__|\.DS_Store|\.venv)(\/|$)/

const decode = (path: string, bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Error(`${path} is not a text file. Register agents with binary files by the command line.`)
  }
}

/** The files without the one folder that holds them all. */
const withoutRoot = (entries: readonly (readonly [string, Uint8Array])[]): AgentFiles => {
  const roots = new Set(entries.map(([path]) => path.split('/')[0]))
  const [root] = roots
  const isInside = roots.size === 1 && entries.every(([path]) => path.includes('/'))
  const files = Object.fromEntries(
    entries.map(([path, bytes]) => [
      isInside && root ? path.slice(root.length + 1) : path,
      decode(path, bytes),
    ]),
  )
  const size = entries.reduce((sum, [, bytes]) => sum + bytes.length, 0)
  if (entries.length === 0) throw new Error('There are no files in it.')
  if (entries.length > maxFiles || size > maxBytes)
    throw new Error(
      'An agent registered here has at most 200 files and 1 MiB. Use the command line for more.',
    )
  return files
}

const unzipped = async (file: File): Promise<(readonly [string, Uint8Array])[]> => {
  const bytes = new Uint8Array(await file.arrayBuffer())
  try {
    // In this thread: the page may start no worker from a text.
    return Object.entries(
      unzipSync(bytes, { filter: ({ name }) => !name.endsWith('/') && !ignored.test(name) }),
    )
  } catch (cause) {
    throw new Error(`${file.name} is not a zip file.`, { cause })
  }
}

/** The text files of a folder, of a zip file or of single files. */
export const readAgentFiles = async (chosen: readonly File[]): Promise<AgentFiles> => {
  const [only] = chosen
  if (chosen.length === 1 && only && /\.zip$/i.test(only.name)) return withoutRoot(await unzipped(only))
  const entries = await Promise.all(
    chosen
      .map((file) => [file.webkitRelativePath || file.name, file] as const)
      .filter(([path]) => !ignored.test(path))
      .map(async ([path, file]) => [path, new Uint8Array(await file.arrayBuffer())] as const),
  )
  return withoutRoot(entries)
}

const starts: readonly (readonly [RegExp, (path: string) => string])[] = [
  [/^agent\.m?js$/, (path) => `node ${path}`],
  [/^agent\.py$/, (path) => `python3 ${path}`],
  [/^(index|main)\.m?js$/, (path) => `node ${path}`],
  [/^main\.py$/, (path) => `python3 ${path}`],
]

/** The command that most likely starts these files. */
export const likelyCommand = (files: AgentFiles): string => {
  for (const [form, command] of starts) {
    const path = Object.keys(files).find((one) => form.test(one))
    if (path) return command(path)
  }
  return ''
}
