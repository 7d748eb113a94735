import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { openApi } from './openapi.ts'

const run = promisify(execFile)

/** What strangers would use on the document; installed apart, since nothing of ours needs them. */
const tools = ['@redocly/cli@2.73.0', 'openapi-typescript@7.13.0', 'typescript@5.9.3']

let folder: string
let missing: string | undefined
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'diorama-openapi-'))
  await writeFile(join(folder, 'package.json'), '{"private":true}')
  try {
    await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...tools], { cwd: folder })
  } catch (error) {
    missing = `the tools cannot be installed: ${(error as Error).message.split('\n')[0]}`
    return
  }
  await writeFile(join(folder, 'openapi.json'), JSON.stringify(openApi('https://diorama.test', '1.2.3')))
})
after(() => rm(folder, { recursive: true, force: true }))

const tool = (name: string, ...words: string[]) =>
  run(process.execPath, [join(folder, 'node_modules', name), ...words], {
    cwd: folder,
    maxBuffer: 64 * 1_048_576,
  })

describe('the OpenAPI document', () => {
  it('passes redocly lint with its recommended rules', async (context) => {
    if (missing) return context.skip(missing)
    const { stdout } = await tool('@redocly/cli/bin/cli.js', 'lint', 'openapi.json', '--format=json')
    const { totals } = JSON.parse(stdout.slice(stdout.indexOf('{')))
    assert.equal(totals.errors, 0, stdout)
  })

  it('becomes TypeScript that compiles, by openapi-typescript', async (context) => {
    if (missing) return context.skip(missing)
    await tool('openapi-typescript/bin/cli.js', 'openapi.json', '-o', 'types.ts')
    await tool('typescript/bin/tsc', '--noEmit', '--strict', '--skipLibCheck', 'types.ts')
    const types = await readFile(join(folder, 'types.ts'), 'utf8')
    assert.match(types, /Error: \{\s+error: string;/)
  })
})
