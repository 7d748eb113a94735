import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { importsOf } from './imports.ts'
import { isCode, isForTests, readSources, type Source } from './sources.ts'

interface Layer {
  /** Folders or files, from the root. The most exact one that holds a file counts. */
  readonly part: string
  /** Parts that it may import besides itself. */
  readonly may: readonly string[]
  /** Parts that its tests, and what only tests use, may import besides. */
  readonly testsMay?: readonly string[]
  /** The modules of Node that it may use; all of them when left out. */
  readonly node?: readonly string[]
}

const everything = ['contract', 'twin-kit', 'twins', 'sandbox', 'server', 'sdk', 'cli', 'bench', 'test']
const twinTests = ['twin-kit', 'twin-kit/testing']
const below = ['contract', 'server/src/http', 'server/src/storage']
const serverTests = ['server/src', 'twin-kit', 'twins', 'sandbox']

/** A twin is pure: it hashes and packs bytes, and reaches nothing outside itself. */
const pure = ['node:crypto', 'node:zlib']
const code = readSources().filter(isCode)
const kinds = code.flatMap(({ path }) => /^twins\/([\w-]+)\/manifest\.ts$/.exec(path)?.[1] ?? [])
const manifests = kinds.map((kind) => `twins/${kind}/manifest.ts`)

const parsersOf = (kind: string): string[] =>
  code
    .map(({ path }) => path)
    .filter(
      (path) =>
        path === `twins/${kind}/formula/parse.ts` ||
        ['document', 'json', 'recording'].some(
          (name) => path === `twins/${kind}/shapes/${name}.ts` && kind === 'stub',
        ),
    )

/** A twin knows the kernel alone. What contract and browsers read of it, its manifest, is lighter still. */
const twinLayers = kinds.flatMap((kind): Layer[] => [
  { part: `twins/${kind}`, may: ['twin-kit'], testsMay: [...twinTests, 'twins/index.ts'], node: pure },
  // Tables of data, such as the names of emoji, are as light as a view.
  { part: `twins/${kind}/view`, may: ['console/view-kit.ts', `twins/${kind}/data`], node: [] },
  ...['manifest.ts', 'section.ts', 'check.ts'].map((file) => ({
    part: `twins/${kind}/${file}`,
    may: [
      'twin-kit/kernel/manifest.ts',
      'twin-kit/kernel/findings.ts',
      `twins/${kind}/section.ts`,
      `twins/${kind}/check.ts`,
      ...parsersOf(kind),
    ],
    node: [],
  })),
  // A parser that the checks of a section use is as light as they are.
  ...parsersOf(kind).map(
    (part): Layer => ({ part, may: ['twin-kit/records.ts', ...parsersOf(kind)], node: [] }),
  ),
])
const noun = (name: string, also: readonly string[] = []): Layer => ({
  part: `server/src/${name}`,
  may: [...below, ...also],
  testsMay: serverTests,
})

/** The types of the tables that a noun owns. */
const tables = code
  .filter(({ path, text }) => /^server\/src\/\w+\/tables\.ts$/.test(path) && /interface \w+Tables/.test(text))
  .map(({ path }) => path)

/** Who may import whom. */
const layers: readonly Layer[] = [
  { part: 'contract', may: ['twins/installed.ts', 'twin-kit/records.ts'], node: [] },
  {
    part: 'twin-kit',
    may: [],
    testsMay: ['twins/notes', 'twin-kit/testing'],
    node: pure,
  },
  ...twinLayers,
  // The published schema is a file of a package; it is read once and kept beside it, compiled.
  {
    part: 'twins/tracker/schema/load.ts',
    may: ['twins/tracker'],
    node: ['node:fs', 'node:path', 'node:url'],
  },
  // Run by hand: it writes data files from their public sources.
  { part: 'twins/chat/data/generate.mjs', may: [], node: ['node:crypto', 'node:fs', 'node:path'] },
  { part: 'twins/erp/catalogue/check.mjs', may: [], node: ['node:crypto', 'node:fs', 'node:path'] },
  { part: 'twins/installed.ts', may: manifests, node: [] },
  { part: 'twins/index.ts', may: ['twin-kit', 'twins/installed.ts'], node: [] },
  { part: 'twin-kit/testing', may: ['twin-kit'] },
  { part: 'twin-kit/serve', may: ['twin-kit'], testsMay: ['twins/notes'] },
  { part: 'sandbox', may: ['contract'] },
  { part: 'server/src/storage', may: [] },
  // The list of all tables; each noun owns the types of its tables.
  { part: 'server/src/storage/schema.ts', may: ['server/src/storage', ...tables] },
  { part: 'server/src/http', may: ['contract', 'server/src/storage'], testsMay: serverTests },
  { part: 'server/src/models', may: [...below, 'sandbox'], testsMay: serverTests },
  noun('auth'),
  noun('twins', ['twin-kit']),
  noun('deliveries', ['server/src/twins', 'twin-kit', 'sandbox']),
  noun('worlds', ['server/src/twins', 'twin-kit', 'twins/index.ts', 'twins/installed.ts']),
  noun('datasets', ['server/src/twins', 'server/src/worlds', 'twin-kit']),
  noun('telemetry'),
  noun('agents', ['server/src/models', 'sandbox']),
  noun('suites'),
  noun('scoring', ['server/src/models', 'sandbox']),
  noun('evaluations', [
    'server/src/deliveries',
    'server/src/worlds',
    'server/src/twins',
    'server/src/agents',
    'server/src/scoring',
    'server/src/models',
    'twin-kit',
    'sandbox',
  ]),
  noun('bridges', ['server/src/evaluations', 'server/src/scoring', 'sandbox']),
  // The files beside the nouns put them together.
  {
    part: 'server/src',
    may: ['contract', 'twin-kit', 'sandbox'],
    testsMay: serverTests,
  },
  // The entry of the package: prepares the sandbox as `npm start` does, then starts the service.
  { part: 'server/diorama-server.mjs', may: ['server/src', 'sandbox'] },
  { part: 'sdk', may: ['contract'], testsMay: ['server'] },
  { part: 'cli', may: ['contract', 'sdk'], testsMay: ['server', 'twins'] },
  { part: 'console', may: ['contract', 'sdk'], testsMay: ['server', 'twins'] },
  { part: 'console/view-kit.ts', may: ['console', 'contract'] },
  // At build time the console is given the tables of the contract and of the installed twins.
  { part: 'console/build-data.ts', may: ['contract', 'twins/installed.ts'] },
  { part: 'python', may: ['contract', 'sdk'], testsMay: ['server'] },
  { part: 'examples', may: ['contract', 'sdk'], testsMay: ['server', 'cli', 'scripts'] },
  { part: 'scripts', may: [], testsMay: ['test'] },
  { part: 'deploy', may: ['scripts'] },
  { part: 'bench', may: everything },
  { part: 'test', may: [...everything, 'console', 'scripts'] },
]

const within = (path: string, part: string) => path === part || path.startsWith(`${part}/`)
const layerOf = (path: string): Layer | undefined =>
  layers
    .filter(({ part }) => within(path, part))
    .sort((a, b) => b.part.length - a.part.length)
    .at(0)

const wrongImports = (source: Source): string[] => {
  const layer = layerOf(source.path)
  if (!layer) return [`${source.path} lies in no part of the table of layers`]
  const forTests = isForTests(source.path)
  const may = [
    layer.part,
    ...layer.may,
    ...(forTests ? [...(layer.testsMay ?? []), 'test/eventually.ts'] : []),
  ]
  return importsOf(source).flatMap(({ target, ours }) => {
    if (ours) return allowed(target, layer, may) ? [] : [`${source.path} imports ${target}`]
    if (!target.startsWith('node:') || layer.node === undefined || forTests) return []
    return layer.node.includes(target)
      ? []
      : [`${source.path} imports ${target}, which ${layer.part} may not use`]
  })
}

/** A part's own name opens its folder, yet not a folder inside it that has its own rules, unless it sits above. */
const allowed = (target: string, from: Layer, may: readonly string[]): boolean => {
  const to = layerOf(target)
  if (!to) return false
  if (to.part === from.part) return true
  return may.some((part) => within(target, part))
}

describe('layers', () => {
  it('are imported only in the directions of the table', () => {
    assert.deepEqual(code.flatMap(wrongImports), [])
  })

  it('grant no permission that nothing uses', () => {
    const named = layers.filter(({ part }) => !/^(twins\/|test$|bench$)/.test(part))
    const unused = named.flatMap(({ part, may }) => {
      const used = code
        .filter(({ path }) => layerOf(path)?.part === part)
        .flatMap((source) => importsOf(source).flatMap(({ ours, target }) => (ours ? target : [])))
      return may
        .filter((allowed) => !below.includes(allowed) && !used.some((target) => within(target, allowed)))
        .map((allowed) => `${part} may import ${allowed} and does not`)
    })
    assert.deepEqual(unused, [])
  })

  it('name only folders that are there or are planned', () => {
    const planned = ['server/src/evaluations', 'sdk', 'cli', 'console', 'examples']
    const unused = layers.filter(
      ({ part }) =>
        !planned.includes(part) && !part.endsWith('/view') && !code.some(({ path }) => within(path, part)),
    )
    assert.deepEqual(
      unused.map(({ part }) => part),
      [],
    )
  })
})

describe('the check of layers', () => {
  const broken: readonly (readonly [path: string, text: string])[] = [
    ['contract/worlds.ts', "import { readFileSync } from 'node:fs'"],
    ['contract/worlds.ts', "export { chat } from '@diorama/twins/chat/twin'"],
    ['twins/chat/post.ts', "import { connect } from 'node:net'"],
    ['twins/chat/post.ts', "import { issue } from '../tracker/tables.ts'"],
    ['twins/chat/post.ts', "import type { World } from '@diorama/contract/worlds'"],
    ['twin-kit/kernel/table.ts', "import { notes } from '../../twins/notes/twin.ts'"],
    ['server/src/worlds/launch.ts', "import { chat } from '@diorama/twins/chat/twin'"],
    ['server/src/agents/runs.ts', "import { openWorlds } from '../worlds/worlds.ts'"],
    ['server/src/http/edge.ts', "import { authStore } from '../auth/store.ts'"],
    ['server/src/storage/pages.ts', "import { ApiError } from '../http/api-error.ts'"],
    ['server/src/worlds/launch.ts', `const app = await import(${"'../app.ts'"})`],
    ['cli/main.ts', "import { openApp } from '../server/src/app.ts'"],
    ['elsewhere/thing.ts', ''],
  ]
  for (const [path, text] of broken)
    it(`refuses ${path} with ${text || 'no place in the table'}`, () => {
      assert.equal(wrongImports({ path, text }).length, 1)
    })

  it('lets a test reach what the code beside it may not', () => {
    const text = "import { testService } from '../testing.ts'"
    assert.deepEqual(wrongImports({ path: 'server/src/auth/auth.test.ts', text }), [])
    assert.equal(wrongImports({ path: 'server/src/auth/store.ts', text }).length, 1)
  })
})
