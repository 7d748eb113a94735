// Runs on Node 24, with everything installed.
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
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

// Many tests wait for processes that they started: one file more than there are processors keeps those busy.
const beside = availableParallelism() + 1

/** Runs test files, and returns those with a test that failed; every file where the run itself failed. */
const failedOf = (some, concurrency) => {
  const folder = mkdtempSync(join(tmpdir(), 'diorama-tests-'))
  const list = join(folder, 'failed')
  try {
    const { status } = spawnSync(
      process.execPath,
      [
        '--test',
        `--test-concurrency=${concurrency}`,
        '--test-timeout=1200000',
        '--test-reporter=spec',
        '--test-reporter-destination=stdout',
        `--test-reporter=${pathToFileURL(join(root, 'scripts', 'failed-files.mjs'))}`,
        `--test-reporter-destination=${list}`,
        ...some,
      ],
      { cwd: root, stdio: 'inherit' },
    )
    if (status === 0) return []
    const failed = existsSync(list) ? readFileSync(list, 'utf8').split('\n').filter(Boolean) : []
    return failed.length > 0 ? [...new Set(failed)].map((file) => relative(root, file)) : some
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

say(`running ${files.length} test files`)
const failed = failedOf(files, beside)
// Slow suites kill services and wait for timers; beside each other they can starve. Quick ones get one chance.
const isSlow = files.every((file) => file.endsWith('.slow.test.ts'))
if (failed.length === 0 || !isSlow) process.exit(failed.length > 0 ? 1 : 0)
say(`failed, and run once more, alone: ${failed.join(', ')}`)
const again = failedOf(failed, 1)
const steady = failed.filter((file) => !again.includes(file))
if (steady.length > 0) say(`failed beside others and passed alone, which wants a look: ${steady.join(', ')}`)
if (again.length > 0) say(`failed twice: ${again.join(', ')}`)
process.exit(again.length > 0 ? 1 : 0)
