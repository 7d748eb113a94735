import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { root } from './sources.ts'

const run = promisify(execFile)
const pinned = 'github.com/rhysd/actionlint/cmd/actionlint@v1.7.12'

/** actionlint as it is installed, or built from its source where there is Go. */
const findLinter = async (): Promise<string[] | undefined> => {
  for (const words of [['actionlint'], ['go', 'run', pinned]]) {
    const [program = '', ...args] = words
    const works = await run(program, [...args, '-version'], { timeout: 300_000 }).then(
      () => true,
      () => false,
    )
    if (works) return words
  }
  return undefined
}

describe('the workflows', () => {
  it('satisfy actionlint', { timeout: 600_000 }, async (context) => {
    const linter = await findLinter()
    if (!linter) return context.skip('neither actionlint nor Go is installed')
    const folder = join(root, '.github', 'workflows')
    const files = readdirSync(folder).map((name) => join(folder, name))
    assert.ok(files.length >= 3)
    const [program = '', ...args] = linter
    await run(program, [...args, ...files, join(root, 'examples/ci/github-actions.yml')])
  })
})
