// Makes `dist`: the client as plain JavaScript with its types, ready for `npm pack`. The contract is built in; zod
// stays a dependency, since the types speak of it. The compiler alone does it: no bundler, nothing native.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const root = dirname(here)
const option = process.argv.indexOf('--out')
const out = resolve(option < 0 ? join(here, 'dist') : (process.argv[option + 1] ?? ''))
const manifest = (folder) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))

const publicManifest = () => {
  const { name, version, license } = manifest('sdk')
  return {
    name,
    version,
    license,
    description: 'Client of Diorama: simulated companies for evaluating AI agents.',
    type: 'module',
    engines: { node: '>=20.3' },
    sideEffects: false,
    exports: { '.': { types: './sdk/index.d.ts', default: './sdk/index.js' } },
    dependencies: { zod: manifest('contract').dependencies.zod },
  }
}

const compile = () => {
  const config = join(out, 'tsconfig.json')
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    rewriteRelativeImportExtensions: true,
    target: 'es2022',
    outDir: out,
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
  const files = [join(here, 'index.ts')]
  writeFileSync(
    config,
    JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, files, include: [] }),
  )
  const tsc = join(root, 'node_modules', '.bin', 'tsc')
  const ran = spawnSync(process.execPath, [tsc, '-p', config], { stdio: 'inherit' })
  rmSync(config)
  if (ran.status !== 0) process.exit(ran.status ?? 1)
}

/** `@diorama/contract/x` → `../contract/x.js`, and `./x.ts`, which declarations keep, → `./x.js`. */
const relativeNames = (text, folder) => {
  const pathTo = (part) => {
    const path = relative(folder, part).split(sep).join('/')
    return path.startsWith('.') ? path : `./${path}`
  }
  return text
    .replaceAll(
      /(["'])@diorama\/(contract|twins|twin-kit)(\/[\w/-]+)?\1/g,
      (_, quote, part, file = '/index') => `${quote}${pathTo(part)}${file}.js${quote}`,
    )
    .replaceAll(/(["'])(\.[^"'\n]*)\.ts\1/g, '$1$2.js$1')
}

rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
compile()
for (const file of readdirSync(out, { recursive: true }).map(String)) {
  if (!/\.(js|d\.ts)$/.test(file)) continue
  const path = join(out, file)
  writeFileSync(path, relativeNames(readFileSync(path, 'utf8'), dirname(file)))
}
writeFileSync(join(out, 'package.json'), `${JSON.stringify(publicManifest(), null, 2)}\n`)
cpSync(join(root, 'LICENSE'), join(out, 'LICENSE'))
cpSync(join(here, 'README.md'), join(out, 'README.md'))
