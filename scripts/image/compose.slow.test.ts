import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { root } from '../setup.mjs'

const run = promisify(execFile)
const timeout = 1_200_000
/** The reference implementation of the Compose Specification, which Docker Compose itself is built on. */
const reference = 'github.com/compose-spec/compose-go/v2/cmd@v2.9.0'

const missing = 'neither Docker Compose nor Go with its modules is there'

let folder = ''
let read: ((path: string) => Promise<string>) | undefined

const works = (program: string, args: readonly string[]): Promise<boolean> =>
  run(program, [...args], { timeout }).then(
    () => true,
    () => false,
  )

before(
  async () => {
    folder = mkdtempSync(join(tmpdir(), 'diorama-compose-'))
    writeFileSync(join(folder, 'smallest.yaml'), 'name: smallest\nservices: {one: {image: one}}\n')
    const printed = async (program: string, args: readonly string[]) =>
      (await run(program, [...args], { cwd: folder, timeout })).stdout
    if (await works('docker', ['compose', 'version']))
      read = (path) => printed('docker', ['compose', '-f', path, 'config'])
    else if (await works('go', ['run', reference, join(folder, 'smallest.yaml')]))
      read = (path) => printed('go', ['run', reference, path])
  },
  { timeout },
)
after(() => rmSync(folder, { recursive: true, force: true }))

describe('compose.yaml', () => {
  it('is valid for Docker Compose, with its variables left at their defaults', {
    timeout,
  }, async (context) => {
    if (!read) return context.skip(missing)
    const { services } = parse(await read(join(root, 'compose.yaml')))
    assert.equal(services.diorama.depends_on.database.condition, 'service_healthy')
    assert.equal(services.diorama.ports[0].host_ip, '127.0.0.1')
    assert.equal(services.diorama.environment.DIORAMA_BASE_URL, 'http://127.0.0.1:4400')
    assert.equal(services.database.image, 'docker.io/library/postgres:18')
  })

  it('would be refused with a misspelt field', { timeout }, async (context) => {
    if (!read) return context.skip(missing)
    const wrong = join(folder, 'compose.yaml')
    const text = readFileSync(join(root, 'compose.yaml'), 'utf8')
    writeFileSync(wrong, text.replace('security_opt:', 'security_opts:'))
    await assert.rejects(read(wrong), /security_opts/)
  })
})
