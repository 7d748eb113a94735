import type { Source } from '../sources.ts'

/** The files of every twin, and what each exports. */
const exported: Readonly<Record<string, readonly string[]>> = {
  'section.ts': ['section'],
  'check.ts': ['check'],
  'seed.ts': ['seed'],
  'tables.ts': ['tables'],
  'actor.ts': ['actor', 'token', 'identities'],
  'wire.ts': ['wire'],
  'operations/index.ts': ['operations'],
  'present.ts': ['present'],
  'fault.ts': ['fault'],
  'coverage.ts': ['coverage'],
  'clients.ts': ['clients'],
  'mcp/face.ts': ['face'],
}

/** A twin that is not installed emulates no vendor, so that no vendor's client can judge it. */
const judged = ['clients.test.ts']

/** The folders of `twins/` that hold a twin. */
export const twinsIn = (sources: readonly Source[]): string[] =>
  [
    ...new Set(
      sources.flatMap(({ path }) => /^twins\/([\w-]+)\/(?:twin|manifest)\.ts$/.exec(path)?.[1] ?? []),
    ),
  ].sort()

/** Files, folders and exports that a twin lacks. All have the same floor plan, so that who knows one knows them all. */
export const lacking = (
  sources: readonly Source[],
  kinds: readonly string[],
  installed = kinds,
): string[] => {
  const texts = new Map(sources.map(({ path, text }) => [path, text]))
  const paths = [...texts.keys()]
  return kinds.flatMap((kind) => {
    const folder = `twins/${kind}`
    const files = [
      'README.md',
      'manifest.ts',
      'twin.ts',
      `${kind}.test.ts`,
      ...Object.keys(exported),
      ...(installed.includes(kind) ? judged : []),
    ]
    return [
      ...files
        .filter((file) => !texts.has(`${folder}/${file}`))
        .map((file) => `${folder}/${file} is missing`),
      ...(paths.some((path) => path.startsWith(`${folder}/shapes/`)) ? [] : [`${folder}/shapes/ is missing`]),
      ...Object.entries({ ...exported, 'manifest.ts': [kind], 'twin.ts': [kind] }).flatMap(
        ([file, names]) => {
          const text = texts.get(`${folder}/${file}`)
          if (text === undefined) return []
          return names
            .filter((name) => !new RegExp(`^export const ${name}\\b`, 'm').test(text))
            .map((name) => `${folder}/${file} does not export ${name}`)
        },
      ),
    ]
  })
}
