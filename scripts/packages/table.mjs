// What is published, and from which folders. In the repository the workspaces are called `@diorama/…`; that scope is
// not ours in the registry, so the build gives every package its published name.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
export const scope = '@diorama-dev'

export const manifestOf = (folder) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
const rootManifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
export const { version } = rootManifest

/** The installed twins, as their list imports them. */
export const twins = [
  ...readFileSync(join(root, 'twins', 'installed.ts'), 'utf8').matchAll(/from '\.\/(\w+)\/manifest\.ts'/g),
].map(([, kind]) => kind)

/**
 * A program is a small checkout: its files keep their places and lose their types. A library has declarations.
 *
 * - `from`: the folders whose files and dependencies it has
 * - `entries`: only what these files import is taken, and not the whole folders
 * - `assets`: folders and files that are copied as they are
 */
export const packages = [
  {
    name: 'server',
    kind: 'program',
    description: 'The Diorama service: simulated companies for evaluating AI agents.',
    from: ['server', 'sandbox', 'contract', 'twin-kit', 'twins', ...twins.map((kind) => `twins/${kind}`)],
    assets: ['console/dist', 'examples/blueprints', 'docs', 'llms.txt', 'NOTICE'],
    bin: { 'diorama-server': 'server/diorama-server.mjs' },
    readme: 'README.md',
  },
  {
    name: 'cli',
    kind: 'program',
    description: 'The command line of Diorama: simulated companies for evaluating AI agents.',
    from: ['cli', 'sdk', 'contract', 'twin-kit', 'twins', ...twins.map((kind) => `twins/${kind}`)],
    entries: ['cli/main.ts', 'cli/diorama.mjs'],
    needs: ['server'],
    bin: { diorama: 'cli/diorama.mjs' },
    readme: 'cli/README.md',
  },
  {
    name: 'sdk',
    kind: 'library',
    description: 'Client of Diorama: simulated companies for evaluating AI agents.',
    from: ['sdk', 'contract'],
    entries: ['sdk/index.ts'],
    exports: { '.': 'sdk/index' },
    engines: '>=20.3',
    readme: 'sdk/README.md',
  },
  {
    name: 'twin-kit',
    kind: 'library',
    description: manifestOf('twin-kit').description,
    from: ['twin-kit'],
    flat: 'twin-kit',
    exports: { '.': 'kernel/twin', './*': '*' },
    readme: 'docs/write-a-twin.md',
  },
  ...twins.map((kind) => ({
    name: `twin-${kind}`,
    kind: 'library',
    description: manifestOf(`twins/${kind}`).description,
    from: [`twins/${kind}`],
    flat: `twins/${kind}`,
    needs: ['twin-kit'],
    exports: { '.': 'manifest', './*': '*' },
    readme: `twins/${kind}/README.md`,
  })),
]

/** The names of the packages, each after those that it needs. */
export const publishOrder = () => {
  const names = []
  const add = ({ name, needs = [] }) => {
    if (names.includes(name)) return
    for (const needed of needs) add(packages.find((one) => one.name === needed))
    names.push(name)
  }
  for (const one of packages) add(one)
  return names
}

/** The dependencies of the folders of a package that are not ours. */
export const outsideDependencies = ({ from, name }) => {
  const gathered = { dependencies: {}, optionalDependencies: {} }
  for (const folder of from)
    for (const field of Object.keys(gathered))
      for (const [dependency, wanted] of Object.entries(manifestOf(folder)[field] ?? {}))
        if (!dependency.startsWith('@diorama/')) gathered[field][dependency] = wanted
  // The programs run on Node 24, which comes as a package where the machine's own is older.
  if (name === 'server' || name === 'cli')
    Object.assign(gathered.optionalDependencies, rootManifest.optionalDependencies)
  return gathered
}
