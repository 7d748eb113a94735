import { posix } from 'node:path'
import { importsOf } from '../imports.ts'
import { isCode, isForTests, isTest, type Source } from '../sources.ts'

/** Where the product is entered; whatever these reach is the product. */
const productEntries = [
  /^server\/src\/(main|backup)\.ts$/,
  // Written into exported tasks, and run by their verifier.
  /^server\/src\/bridges\/harbor\/grader\/main\.ts$/,
  /^scripts\/[\w-]+\.mjs$/,
  /^(sdk|cli)\/((index|main)\.ts|[\w-]+\.mjs)$/,
  /^console\/([\w-]+\.mjs|vite\.config\.ts|src\/main\.tsx)$/,
  /^python\//,
  // Loaded by the list of installed twins, and shown by the console.
  /^twins\/[\w-]+\/(twin\.ts|view\/view\.tsx)$/,
]
const otherEntries = [/^bench\/([a-z]+|[a-z]+\/bench)\.ts$/, /^examples\//, /^deploy\//]

const isProductEntry = (path: string) => productEntries.some((entry) => entry.test(path))
const isEntry = (path: string) =>
  isTest(path) || isProductEntry(path) || otherEntries.some((entry) => entry.test(path))

/** Files that neither an entry point nor a test reaches. */
export const deadFiles = (sources: readonly Source[]): string[] => {
  const reached = reachedFrom(sources, isEntry)
  return sources
    .filter((source) => isCode(source) && !source.path.endsWith('.d.ts') && !reached.has(source.path))
    .map(({ path }) => `${path} is reached from no entry point and no test`)
}

/** The code that runs in the product, as against what only tests and benchmarks use. */
export const productCode = (sources: readonly Source[]): Source[] => {
  // An example is started by a script and is no part of the product: its agents name the real services.
  const kept = sources.filter(({ path }) => !isForTests(path) && !path.startsWith('examples/'))
  const reached = reachedFrom(kept, isProductEntry)
  return sources.filter((source) => isCode(source) && reached.has(source.path))
}

const reachedFrom = (sources: readonly Source[], isStart: (path: string) => boolean): Set<string> => {
  const byPath = new Map(sources.map((source) => [source.path, source]))
  const byName = Map.groupBy(byPath.keys(), (path) => posix.basename(path))
  const waiting = [...byPath.keys()].filter(isStart)
  const reached = new Set(waiting)
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const source = byPath.get(path)
    if (!source) continue
    for (const next of [...imported(source, byPath), ...named(source, byPath, byName)])
      if (!reached.has(next)) {
        reached.add(next)
        waiting.push(next)
      }
  }
  return reached
}

const imported = (source: Source, byPath: ReadonlyMap<string, Source>): string[] =>
  importsOf(source)
    .filter(({ ours }) => ours)
    .flatMap(({ target }) => [target, `${target}.ts`, `${target}.tsx`, `${target}/index.ts`])
    .filter((target) => byPath.has(target))

/** Workers, children and programs that run elsewhere are not imported: their files are named in a text. */
const named = (
  { path, text }: Source,
  byPath: ReadonlyMap<string, Source>,
  byName: ReadonlyMap<string, readonly string[]>,
): string[] =>
  [...text.matchAll(/['"`/]([\w-]+\.(?:slow\.)?(?:ts|tsx|mjs|py))\b/g)].flatMap(([, name = '']) => {
    const beside = posix.join(posix.dirname(path), name)
    const all = byName.get(name) ?? []
    return byPath.has(beside)
      ? [beside]
      : all.length === 1
        ? all
        : all.filter((one) => isNamedWhole(text, one))
  })

/** Of several files with one name, the one whose folder is named too. */
const isNamedWhole = (text: string, path: string): boolean => {
  const folder = posix.basename(posix.dirname(path))
  return new RegExp(`${folder}['"/,\\s]+${posix.basename(path).replaceAll('.', '\\.')}`).test(text)
}
