// Runs on Node 24, with everything installed.
import { spawnSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { root, run, say } from './setup.mjs'

const arguments_ = process.argv.slice(2)
const slow = arguments_.includes('--slow')
const given = arguments_.filter((argument) => !argument.startsWith('--'))
const folders = [
  'contract',
  'twin-kit',
  'twins',
  'sandbox',
  'server',
  'sdk',
  'cli',
  'console',
  'python',
  'examples',
  'scripts',
  'test',
]

const found = globSync(
  folders.map((folder) => `${folder}/**/*.test.ts`),
  { cwd: root, exclude: (name) => name === 'node_modules' || name === 'dist' },
).sort()
const files = given.length > 0 ? given : found.filter((file) => file.endsWith('.slow.test.ts') === slow)

if (given.length === 0 && !slow) run(process.execPath, [join(root, 'scripts', 'check.mjs')])
const browser = join(root, 'console', 'install-browser.mjs')
// Some quick tests show the console in a browser as well, if there is one.
const usesConsole = given.length === 0 || files.some((file) => file.includes('browser'))
if (existsSync(browser) && usesConsole) {
  run(process.execPath, [browser])
  run(process.execPath, [join(root, 'console', 'build.mjs'), '--required'])
}

say(`running ${files.length} test files`)
// Many tests wait for processes that they started: one file more than there are processors keeps those busy.
const concurrency = String(availableParallelism() + 1)
const ran = spawnSync(
  process.execPath,
  [
    '--test',
    `--test-concurrency=${concurrency}`,
    '--test-timeout=1200000',
    '--test-reporter=dot',
    '--test-reporter-destination=stderr',
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    ...files,
  ],
  { cwd: root, stdio: 'inherit' },
)
process.exit(ran.status ?? 1)
