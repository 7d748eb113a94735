// `npm run packages [name …] [-- --out folder]`: makes every published package in artifacts/packages, ready for
// `npm pack` or `npm publish`. Node runs no TypeScript inside node_modules, so the types come out here.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import nodeModule from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { filesOf, rewriteImports } from './sources.mjs'
import { outsideDependencies, packages, root, scope, version } from './table.mjs'

const option = process.argv.indexOf('--out')
const out = resolve(option < 0 ? join(root, 'artifacts', 'packages') : (process.argv[option + 1] ?? ''))
const wanted = process.argv.slice(2).filter((word, n, all) => word !== '--out' && all[n - 1] !== '--out')
const chosen = packages.filter(({ name }) => wanted.length === 0 || wanted.includes(name))

const write = (path, content) => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}

/** One run of the compiler for all libraries: JavaScript that browsers take, and declarations. */
const compileLibraries = (libraries, emitted) => {
  const files = libraries
    .flatMap((one) => filesOf(one))
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))
  const config = join(emitted, 'tsconfig.json')
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    rewriteRelativeImportExtensions: true,
    target: 'es2022',
    outDir: emitted,
    rootDir: root,
    // As files of this repository and not of a package, which would not be compiled.
    paths: {
      '@diorama/contract': [join(root, 'contract', 'index.ts')],
      '@diorama/contract/*': [join(root, 'contract', '*.ts')],
      '@diorama/twins/*': [join(root, 'twins', '*.ts')],
      '@diorama/twin-kit/*': [join(root, 'twin-kit', '*.ts')],
    },
    typeRoots: [join(root, 'node_modules', '@types')],
  }
  const settings = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions,
    files: [...new Set(files)].map((path) => join(root, path)),
    include: [],
  }
  write(config, JSON.stringify(settings))
  const ran = spawnSync(process.execPath, [join(root, 'node_modules', '.bin', 'tsc'), '-p', config], {
    stdio: 'inherit',
  })
  if (ran.status !== 0) process.exit(ran.status ?? 1)
}

const placeIn = ({ flat }, path) => (flat && path.startsWith(`${flat}/`) ? path.slice(flat.length + 1) : path)

const writeProgram = (one, files, folder) => {
  const has = (path) => files.includes(path)
  for (const path of files) {
    const source = join(root, path)
    if (!/\.(ts|mjs)$/.test(path)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      cpSync(source, join(folder, path))
      continue
    }
    const text = readFileSync(source, 'utf8')
    const strip = nodeModule.stripTypeScriptTypes
    const script = path.endsWith('.ts') ? strip(text) : text
    write(join(folder, path.replace(/\.ts$/, '.js')), rewriteImports(script, path, has))
    // What a sandbox is given is read as text, with its types.
    if (path.startsWith('sandbox/verifier/')) write(join(folder, path), text)
  }
  // The program reads its version beside its own folder, as it does in the repository.
  write(join(folder, one.name, 'package.json'), JSON.stringify({ type: 'module', version }))
  for (const asset of one.assets ?? []) cpSync(join(root, asset), join(folder, asset), { recursive: true })
}

const writeLibrary = (one, files, { folder, emitted }) => {
  const has = (path) => files.includes(path)
  for (const path of files) {
    if (!path.endsWith('.ts')) {
      const target = join(folder, placeIn(one, path))
      mkdirSync(dirname(target), { recursive: true })
      cpSync(join(root, path), target)
      continue
    }
    for (const ending of ['.js', '.d.ts']) {
      const made = path.replace(/\.ts$/, ending)
      const text = readFileSync(join(emitted, made), 'utf8')
      write(join(folder, placeIn(one, made)), rewriteImports(text, path, has))
    }
  }
}

const exportsOf = (one) =>
  one.exports === undefined
    ? { './package.json': './package.json' }
    : {
        ...Object.fromEntries(
          Object.entries(one.exports).map(([name, file]) => [
            name,
            { types: `./${file}.d.ts`, default: `./${file}.js` },
          ]),
        ),
        './package.json': './package.json',
      }

const publicManifest = (one) => {
  const { dependencies, optionalDependencies } = outsideDependencies(one)
  const ours = Object.fromEntries((one.needs ?? []).map((name) => [`${scope}/${name}`, version]))
  return {
    name: `${scope}/${one.name}`,
    version,
    description: one.description,
    license: 'Apache-2.0',
    repository: { type: 'git', url: 'git+https://github.com/diorama-dev/diorama.git' },
    type: 'module',
    engines: { node: one.engines ?? '>=20' },
    ...(one.kind === 'library' && !one.bin ? { sideEffects: false } : {}),
    exports: exportsOf(one),
    ...(one.bin ? { bin: one.bin } : {}),
    files: ['**/*', '!**/*.test.*'],
    publishConfig: { access: 'public', provenance: true },
    dependencies: { ...dependencies, ...ours },
    ...(Object.keys(optionalDependencies).length > 0 ? { optionalDependencies } : {}),
  }
}

const emitted = join(out, '.emitted')
rmSync(emitted, { recursive: true, force: true })
const libraries = chosen.filter(({ kind }) => kind === 'library')
if (libraries.length > 0) compileLibraries(libraries, emitted)
for (const one of chosen) {
  const folder = join(out, one.name)
  rmSync(folder, { recursive: true, force: true })
  const files = filesOf(one)
  if (one.kind === 'program') writeProgram(one, files, folder)
  else writeLibrary(one, files, { folder, emitted })
  write(join(folder, 'package.json'), `${JSON.stringify(publicManifest(one), null, 2)}\n`)
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  if (existsSync(join(root, one.readme))) cpSync(join(root, one.readme), join(folder, 'README.md'))
  process.stdout.write(`${scope}/${one.name}@${version} ${folder}\n`)
}
rmSync(emitted, { recursive: true, force: true })
