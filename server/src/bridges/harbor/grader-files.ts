import { readFile } from 'node:fs/promises'
import { createRequire, stripTypeScriptTypes } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** Files of a task folder by their path in it. */
export type Files = ReadonlyMap<string, string | Uint8Array>

const root = new URL('../../../../', import.meta.url)
/** In a checkout the sources, in the published package what was built from them. */
const ending = import.meta.url.endsWith('.ts') ? '.ts' : '.js'
const entry = new URL(`./grader/main${ending}`, import.meta.url)

/** Scripts that run the scorers, and what scorers import. */
const scripts = ['runner.py', 'runner.mjs', 'world_state.py', 'timeline.py', 'quick_json.py']
const helpers = ['world-state', 'timeline']

const importPattern = /(\bfrom\s+|\bimport\s+)'([^']+)'/g

/** What every exported task has in common. */
export interface FixedFiles {
  readonly grader: Files
  /** For oracles that are Node programs. */
  readonly preload: string
}

export const fixedFiles = async (): Promise<FixedFiles> => ({
  grader: await graderFiles(),
  preload: await readFile(new URL('sandbox/preload/redirect.mjs', root), 'utf8'),
})

/** Where the verifier starts, from the folder of these files. */
export const graderEntry = 'lib/server/src/bridges/harbor/grader/main.mjs'

/**
 * The verifier of an exported task: this service's own code for grading, and all that it imports, as plain JavaScript.
 * The same code gives the same verdicts; nothing of it has to be installed where the task is graded.
 */
const graderFiles = async (): Promise<Files> => {
  const files = new Map<string, string>()
  const waiting = [entry]
  for (let url = waiting.pop(); url !== undefined; url = waiting.pop()) {
    const place = placeOf(url)
    if (files.has(place)) continue
    const code = await plainCode(url)
    const found: URL[] = []
    const rewritten = code.replaceAll(importPattern, (whole, word: string, specifier: string) => {
      const target = targetOf(specifier, url)
      if (target === undefined) return whole
      found.push(target)
      return `${word}'${relativeTo(place, placeOf(target))}'`
    })
    files.set(place, rewritten)
    waiting.push(...found)
  }
  for (const name of scripts)
    files.set(`scripts/${name}`, await readFile(new URL(`sandbox/verifier/${name}`, root), 'utf8'))
  for (const name of helpers) {
    const code = await plainCode(new URL(`sandbox/verifier/${name}.ts`, root))
    files.set(`scripts/${name}.mjs`, code.replaceAll(/(from '\.\/[\w-]+)\.[jt]s'/g, "$1.mjs'"))
  }
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)))
}

const plainCode = async (url: URL): Promise<string> => {
  const text = await readFile(url, 'utf8')
  return fileURLToPath(url).endsWith('.ts') ? stripTypeScriptTypes(text) : text
}

/** Our own file behind an import; undefined for modules of Node. */
const targetOf = (specifier: string, from: URL): URL | undefined => {
  if (specifier.startsWith('node:')) return undefined
  if (specifier.startsWith('.')) return new URL(specifier, from)
  return pathToFileURL(createRequire(from).resolve(specifier))
}

const placeOf = (url: URL): string => `lib/${url.href.slice(root.href.length)}`.replace(/\.[jt]s$/, '.mjs')

const relativeTo = (from: string, to: string): string => {
  const up = from.split('/').length - 1
  return `${'../'.repeat(up)}${to}`
}
