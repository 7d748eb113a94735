import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { filesOf, reachable } from './sources.mjs'
import { packages, publishOrder, twins } from './table.mjs'

/** Files that a program imports and its package would not have. */
const missingFrom = (files: readonly string[]): string[] => {
  const code = files.filter((path) => /\.(ts|mjs)$/.test(path))
  return reachable(code).filter((path: string) => !files.includes(path))
}

describe('the files of the published programs', () => {
  it('have all that they import', () => {
    const programs = packages.filter(({ kind }) => kind === 'program')
    assert.deepEqual(
      programs.map(({ name }) => name),
      ['server', 'cli'],
    )
    for (const program of programs) assert.deepEqual(missingFrom(filesOf(program)), [], program.name)
  })

  it('are found to lack a twin that was left out', () => {
    const server = packages.find(({ name }) => name === 'server')
    const files = filesOf(server).filter((path: string) => !path.startsWith('twins/stub/'))
    assert.ok(missingFrom(files).includes('twins/stub/manifest.ts'))
  })
})

describe('the order of publishing', () => {
  it('has every package after those that it needs, and every installed twin', () => {
    const names = publishOrder()
    assert.equal(names.length, packages.length)
    for (const { name, needs = [] } of packages)
      for (const needed of needs)
        assert.ok(names.includes(needed) && names.indexOf(needed) < names.indexOf(name), `${name} ${needed}`)
    assert.deepEqual(
      twins.filter((kind: string) => !names.includes(`twin-${kind}`)),
      [],
    )
  })
})
