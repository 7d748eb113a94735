// Builds the console when it is missing or older than its sources; when it is fresh this takes some milliseconds.
// `--force` builds anyway. The first load has a budget, and a build over it fails.
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const folder = fileURLToPath(new URL('.', import.meta.url))
const dist = join(folder, 'dist')
const stamp = join(dist, '.hash')
const budgetBytes = 200 * 1_000

const filesUnder = (path) =>
  readdirSync(path, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .flatMap((entry) => (entry.isDirectory() ? filesUnder(join(path, entry.name)) : [join(path, entry.name)]))
    .sort()

const digest = () => {
  const hash = createHash('sha256')
  const lock = join(folder, '..', 'package-lock.json')
  const files = [
    ...filesUnder(join(folder, 'src')),
    join(folder, 'index.html'),
    join(folder, 'reference-start.js'),
    join(folder, 'vite.config.ts'),
    join(folder, 'build-data.ts'),
    join(folder, 'view-kit.ts'),
    ...filesUnder(join(folder, '..', 'examples', 'agents')).filter((path) => path.endsWith('agent.mjs')),
    ...filesUnder(join(folder, '..', 'contract')),
    ...filesUnder(join(folder, '..', 'sdk', 'core')),
    ...filesUnder(join(folder, '..', 'twins')).filter((path) =>
      /[\\/](view[\\/][^\\/]+|manifest\.ts|installed\.ts)$/.test(path),
    ),
  ]
  for (const file of [...files, lock]) {
    if (existsSync(file)) hash.update(file.slice(folder.length)).update('\0').update(readFileSync(file))
  }
  return hash.digest('hex')
}

/** What a browser fetches before the first page shows: the page, its scripts and styles, and what those import. */
const firstLoad = () => {
  const page = readFileSync(join(dist, 'index.html'), 'utf8')
  const wanted = new Set([...page.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(([, path]) => path))
  for (const path of wanted) {
    if (!path.endsWith('.js')) continue
    const code = readFileSync(join(dist, path), 'utf8')
    for (const [, name] of code.matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)) wanted.add(`assets/${name}`)
  }
  return [...wanted].reduce(
    (sum, path) => sum + gzipSync(readFileSync(join(dist, path))).length,
    gzipSync(page).length,
  )
}

/** The API reference: a renderer that is served from here, beside the console and apart from its first load. */
const buildReference = () => {
  const renderer = createRequire(import.meta.url).resolve('@scalar/api-reference')
  const home = renderer.slice(0, renderer.lastIndexOf(join('api-reference', 'dist')) + 'api-reference'.length)
  const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
  const start = readFileSync(join(folder, 'reference-start.js'))
  const startName = `reference-start-${createHash('sha256').update(start).digest('hex').slice(0, 8)}.js`
  copyFileSync(
    join(home, 'dist', 'browser', 'standalone.js'),
    join(dist, 'assets', `reference-${version}.js`),
  )
  writeFileSync(join(dist, 'assets', startName), start)
  writeFileSync(
    join(dist, 'docs.html'),
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Diorama API reference</title></head><body><main id="reference"></main>
<script src="/assets/reference-${version}.js"></script><script src="/assets/${startName}"></script></body></html>`,
  )
}

/** The bundler is native code. A service without its console is better than none, so only `--required` insists on it. */
const loadBundler = async () => {
  try {
    return (await import('vite')).build
  } catch (cause) {
    const reason = String(cause?.message ?? cause).split('\n')[0]
    process.stderr.write(`the console cannot be built on this machine: ${reason}\n`)
    process.exit(process.argv.includes('--required') || process.env.CI ? 1 : 0)
  }
}

const hash = digest()
const fresh = existsSync(stamp) && readFileSync(stamp, 'utf8') === hash
if (!fresh || process.argv.includes('--force')) {
  process.stderr.write('building the console\n')
  const build = await loadBundler()
  await build({ root: folder, configFile: join(folder, 'vite.config.ts'), logLevel: 'warn' })
  buildReference()
  const bytes = firstLoad()
  process.stderr.write(`the first load is ${Math.round(bytes / 1_000)} kB, gzipped\n`)
  if (bytes > budgetBytes) {
    process.stderr.write(`the budget is ${budgetBytes / 1_000} kB: load something later\n`)
    process.exit(1)
  }
  writeFileSync(stamp, hash)
}
