import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { isAbandoned } from './abandoned.ts'

const module = new URL('./abandoned.ts', import.meta.url).href
const program = `
  import { writeFileSync } from 'node:fs'
  import { isAbandoned } from '${module}'
  writeFileSync('new', '')
  console.log(await isAbandoned('old', process.pid), await isAbandoned('new', process.pid))`

test('What a killed service left is distinguished from what a living one uses, also where the next has its number', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'left-'))
  const path = join(folder, 'any')
  writeFileSync(path, '')
  assert.equal(await isAbandoned(path, spawnSync('true').pid), true)
  assert.equal(await isAbandoned(path, process.ppid), false)
  // The shell becomes the program, so both have one number.
  const line = 'touch old; sleep 0.1; exec "$0" --input-type=module -e "$1"'
  const said = execFileSync('/bin/sh', ['-c', line, process.execPath, program], {
    cwd: folder,
    encoding: 'utf8',
  })
  assert.equal(said, 'true false\n')
  rmSync(folder, { recursive: true })
})
