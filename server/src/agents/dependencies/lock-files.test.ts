import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { AgentRunSpec } from '@diorama/contract'
import { lockBytes, lockOf } from './lock-files.ts'

const run = (more: Partial<AgentRunSpec>): AgentRunSpec => ({
  command: 'true',
  timeout_seconds: 600,
  env: {},
  network: 'world',
  ...more,
})
const npmLock = (packages: object) =>
  JSON.stringify({ lockfileVersion: 3, packages: { '': {}, ...packages } })
const good = { 'node_modules/a': { version: '1.0.0', integrity: 'sha512-x' } }
const hash = `--hash=sha256:${'a'.repeat(64)}`

const fault = (files: Record<string, string>, manager: 'npm' | 'pip'): string => {
  const found = lockOf(run({ dependencies: [manager] }), files)
  assert.ok('faults' in found, 'the lock was taken')
  return found.faults.map(({ path, message }) => `${path} ${message}`).join('\n')
}
const npm = (lock: string) => fault({ 'package.json': '{}', 'package-lock.json': lock }, 'npm')
const pip = (text: string) => fault({ 'requirements.txt': text }, 'pip')

it('names each lock file that is missing', () => {
  assert.match(fault({}, 'npm'), /package\.json is missing[\s\S]*package-lock\.json is missing/)
  assert.match(fault({}, 'pip'), /requirements\.txt is missing/)
})

it('takes only packages that have a digest', () => {
  assert.match(npm('no'), /is not JSON/)
  assert.match(npm('{"lockfileVersion":1,"dependencies":{}}'), /lockfileVersion 2 or 3/)
  assert.match(npm(npmLock({})), /lists no packages/)
  assert.match(npm(npmLock({ 'node_modules/b': { version: '1.0.0' } })), /no integrity for node_modules\/b/)
  assert.match(npm(npmLock({ 'node_modules/b': { link: true } })), /links node_modules\/b/)
  assert.match(pip('# nothing\n\n'), /lists no packages/)
  assert.match(pip('requests==2.0'), /no hash for requests==2\.0/)
  assert.match(pip(`-r other.txt\nrequests==2.0 ${hash}`), /the option -r other\.txt/)
  assert.match(pip(`--index-url https://evil.example\nrequests==2.0 ${hash}`), /the option --index-url/)
  assert.match(pip(`requests @ https://evil.example/r.whl ${hash}`), /names an address/)
})

it('gives the same lock the same bytes, and another one where anything differs', () => {
  const files = {
    'package.json': '{}',
    'package-lock.json': npmLock(good),
    'requirements.txt': `a==1 \\\n ${hash}\n`,
  }
  const bytesOf = (spec: Partial<AgentRunSpec>, more: Record<string, string> = {}) => {
    const found = lockOf(run(spec), { ...files, ...more })
    assert.ok('lock' in found, JSON.stringify(found))
    return lockBytes(found.lock).toString()
  }
  const both = bytesOf({ dependencies: ['npm', 'pip'] })
  assert.equal(both, bytesOf({ dependencies: ['pip', 'npm'] }, { 'agent.mjs': 'other code' }))
  assert.notEqual(both, bytesOf({ dependencies: ['npm'] }))
  assert.notEqual(both, bytesOf({ dependencies: ['npm', 'pip'], install_scripts: true }))
  assert.notEqual(both, bytesOf({ dependencies: ['npm', 'pip'] }, { 'package.json': '{"name":"x"}' }))
})
