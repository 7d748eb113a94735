import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createHostImages } from './host-images.ts'

describe('the images of a deployment', () => {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'diorama-images-'))
    mkdirSync(join(folder, 'team/layout'), { recursive: true })
    writeFileSync(join(folder, 'team/layout/index.json'), '{}')
    writeFileSync(join(folder, 'team/saved.tar'), 'one')
    writeFileSync(join(folder, 'team/packed.tar.gz'), 'two')
    mkdirSync(join(folder, 'empty'))
    writeFileSync(join(folder, '../outside.tar'), 'three')
  })
  after(() => {
    rmSync(folder, { recursive: true, force: true })
    rmSync(join(folder, '../outside.tar'), { force: true })
  })

  it('are found by their name, as a layout or an archive, with the tag that was asked for', async () => {
    const images = createHostImages(folder)
    for (const name of ['team/layout', 'team/saved', 'team/packed']) {
      assert.equal((await images.find(name))?.tag, undefined, name)
      assert.equal((await images.find(`${name}:1.4`))?.tag, '1.4', name)
    }
  })

  it('have another key when their content changes, so that a new build is unpacked anew', async () => {
    const images = createHostImages(folder)
    const keys = async () => [(await images.find('team/layout'))?.key, (await images.find('team/saved'))?.key]
    const before = await keys()
    assert.deepEqual(await keys(), before)
    writeFileSync(join(folder, 'team/layout/index.json'), '{"manifests":[]}')
    writeFileSync(join(folder, 'team/saved.tar'), 'another')
    const changed = await keys()
    assert.ok(changed.every((key, n) => key !== undefined && key !== before[n]))
  })

  it('are nothing else: no other name, no folder without an index, nothing outside', async () => {
    const images = createHostImages(folder)
    for (const name of [
      'team/none',
      'empty',
      '../outside',
      'team/../team/saved',
      '/etc/passwd',
      'Team/saved',
      '',
    ])
      assert.equal(await images.find(name), undefined, name)
    assert.equal(await createHostImages(undefined).find('team/saved'), undefined)
  })
})
