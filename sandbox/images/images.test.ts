import assert from 'node:assert/strict'
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import {
  layoutEntries,
  savedImage,
  sourceOf,
  type TarEntry,
  type TestImage,
  tarOf,
} from '../testing/test-image.ts'
import { BadImage, imageLimits } from './image.ts'
import { folderFiles } from './image-files.ts'
import { ImageStore } from './image-store.ts'

const mountPoints = { folders: ['/work', '/etc/deep'], files: ['/etc/hosts'] }
let folder: string
const storeWith = (limits = imageLimits, maxBytes?: number) =>
  new ImageStore({ folder, mountPoints, limits, ...(maxBytes === undefined ? {} : { maxBytes }) })

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'images-'))
})
after(() => rmSync(folder, { recursive: true }))

const imageOf = async (...layers: readonly (readonly TarEntry[])[]): Promise<TestImage> => ({
  layers: await Promise.all(layers.map(tarOf)),
})
const unpacked = async (...layers: readonly (readonly TarEntry[])[]) =>
  storeWith().hold(sourceOf(await savedImage(await imageOf(...layers))))
const isRefused = async (reason: RegExp, ...layers: readonly (readonly TarEntry[])[]) =>
  assert.rejects(unpacked(...layers), (error) => error instanceof BadImage && reason.test(error.message))

describe('The layers of an image', () => {
  test('lie over each other; a whiteout hides what lower layers brought, and nothing of its own layer', async () => {
    using image = await unpacked(
      [
        { name: 'a/kept', content: 'low' },
        { name: 'a/gone', content: 'x' },
        { name: 'b/hidden/deep', content: 'x' },
        { name: 'c', content: 'low' },
        { name: 'd/file', content: 'x' },
      ],
      [
        { name: 'b/own', content: 'own' },
        { name: 'b/.wh..wh..opq' },
        { name: 'a/.wh.gone' },
        { name: 'c', content: 'high' },
        { name: 'd', type: 'symlink', linkname: 'a' },
      ],
      [{ name: 'd/through', content: 'by the link' }],
    )
    const read = (path: string) => readFileSync(join(image.root, path), 'utf8')
    assert.deepEqual(readdirSync(join(image.root, 'a')).sort(), ['kept', 'through'])
    assert.deepEqual(readdirSync(join(image.root, 'b')), ['own'])
    assert.deepEqual([read('c'), read('a/through')], ['high', 'by the link'])
    assert.equal(readlinkSync(join(image.root, 'd')), 'a')
  })

  test('a hard link keeps the bytes it was made for, whatever becomes of the other name', async () => {
    using image = await unpacked(
      [
        { name: 'one', content: 'first' },
        { name: 'two', type: 'link', linkname: 'one' },
      ],
      [{ name: 'one', content: 'second' }],
    )
    const read = (path: string) => readFileSync(join(image.root, path), 'utf8')
    assert.deepEqual([read('one'), read('two')], ['second', 'first'])
  })

  test('links lead nowhere outside: neither writes nor mount points follow them', async () => {
    const outside = join(folder, 'outside')
    mkdirSync(outside)
    using image = await unpacked(
      [
        { name: 'up', type: 'symlink', linkname: `../../../../../../..${outside}` },
        { name: 'abs', type: 'symlink', linkname: outside },
        { name: 'etc', type: 'symlink', linkname: '/../..//real' },
      ],
      [
        { name: 'up/x', content: 'x' },
        { name: 'abs/x', content: 'x' },
      ],
    )
    assert.deepEqual(readdirSync(outside), [])
    assert.equal(readFileSync(join(image.root, outside, 'x'), 'utf8'), 'x')
    assert.equal(image.places.get('/etc/hosts'), '/real/hosts')
    assert.ok(lstatSync(join(image.root, 'real/hosts')).isFile())
  })

  test('files are readable, programs run, and nothing else is left of rights, devices and pipes', async () => {
    using image = await unpacked([
      { name: 'bin/su', content: 'x', mode: 0o4755 },
      { name: 'root/secret', content: 'x', mode: 0o600 },
      { name: 'dev', type: 'directory' },
      { name: 'dev/disk', type: 'character-device' },
      { name: 'pipe', type: 'fifo' },
    ])
    const modeOf = (path: string) => (statSync(join(image.root, path)).mode & 0o7777).toString(8)
    assert.deepEqual([modeOf('bin/su'), modeOf('root/secret'), modeOf('root')], ['555', '444', '755'])
    assert.deepEqual(readdirSync(join(image.root, 'dev')), [])
    assert.ok(!readdirSync(image.root).includes('pipe'))
  })
})

describe('An image is refused', () => {
  test('where an entry climbs out, lies below a file, or links to nothing', async () => {
    await isRefused(/climbs out/, [{ name: '../x', content: 'x' }])
    await isRefused(/no folder/, [{ name: 'a', content: 'x' }], [{ name: 'a/b', content: 'x' }])
    await isRefused(/no file before it/, [{ name: 'l', type: 'link', linkname: 'nowhere' }])
    await isRefused(/no folder/, [
      { name: 'x', type: 'symlink', linkname: 'y' },
      { name: 'y', type: 'symlink', linkname: 'x' },
      { name: 'x/file', content: '' },
    ])
  })

  test('where it is larger than it may be, in bytes or in files, also when it is all zeros', async () => {
    const image = await imageOf([{ name: 'a', content: Buffer.alloc(3_000_000) }])
    const small = { ...imageLimits, maxBytes: 2_000_000 }
    const archive = gzipSync(await savedImage(image))
    await assert.rejects(storeWith(small).hold(sourceOf(archive, small)), /more than 2000000 bytes/)
    await assert.rejects(storeWith(small).hold(sourceOf(archive)), /more than 2000000 bytes/)
    const few = { ...imageLimits, maxFiles: 3 }
    const many = await imageOf(Array.from({ length: 9 }, (_, n) => ({ name: String(n), content: 'x' })))
    await assert.rejects(storeWith(few).hold(sourceOf(await savedImage(many))), /more than 3 files/)
  })

  test('where a layer or a document is not what its digest names', async () => {
    const entries = layoutEntries(await imageOf([{ name: 'a', content: 'x' }]))
    for (const { name } of entries.filter((one) => one.name.startsWith('blobs/'))) {
      const forged = entries.map((one) =>
        one.name === name ? { name, content: gzipSync(Buffer.from('{}')) } : one,
      )
      await assert.rejects(storeWith().hold(sourceOf(await tarOf(forged))), BadImage)
    }
    const { layers } = await imageOf([{ name: 'a', content: 'x' }])
    const saved = await savedImage({ layers })
    const other = Buffer.from(saved)
    other.write('y', other.indexOf(layers[0]?.subarray(512, 513) ?? 'x', 1_536))
    await assert.rejects(storeWith().hold(sourceOf(other)), BadImage)
  })

  test('where it is for another machine, is no image, or is one of several and none is named', async () => {
    const { layers } = await imageOf([{ name: 'a', content: 'x' }])
    const hold = async (archive: Buffer, tag?: string) =>
      storeWith().hold(sourceOf(archive, imageLimits, tag))
    await assert.rejects(hold(await savedImage({ layers, architecture: 's390x' })), /linux\/s390x/)
    await assert.rejects(hold(await tarOf([{ name: 'a', content: 'x' }])), /docker save/)
    await assert.rejects(hold(Buffer.from('no archive')), BadImage)
    await assert.rejects(hold(await savedImage({ layers, tags: ['agent:1'] }), 'agent:2'), /but agent:1/)
    using found = await hold(await savedImage({ layers, tags: ['agent:latest'] }), 'docker.io/library/agent')
    assert.equal(found.bytes, 1)
  })
})

describe('The store of images', () => {
  test('takes archives and folders in the OCI layout, and reads what the image says of its program', async () => {
    const config = { Entrypoint: ['/agent'], Cmd: ['--go'], Env: ['A=1=2', 'B'], WorkingDir: '/srv' }
    const image = { ...(await imageOf([{ name: 'agent', content: 'x' }])), config, tags: ['agent:1'] }
    const entries = layoutEntries(image)
    const layout = join(folder, 'layout')
    for (const { name, content = '' } of entries) {
      mkdirSync(dirname(join(layout, name)), { recursive: true })
      writeFileSync(join(layout, name), content)
    }
    const sources = [
      sourceOf(await savedImage(image)),
      sourceOf(gzipSync(await tarOf(entries))),
      { key: 'folder', tag: 'agent:1', files: async () => folderFiles(layout) },
    ]
    const digests = new Set<string>()
    for (const source of sources) {
      using held = await storeWith().hold(source)
      digests.add(held.digest)
      assert.deepEqual(held.config, {
        command: ['/agent', '--go'],
        env: { A: '1=2', B: '' },
        workingDir: '/srv',
      })
    }
    assert.equal(digests.size, 1)
  })

  test('unpacks an image once for everybody, and removes the least recently used that nobody holds', async () => {
    const store = storeWith(imageLimits, 15)
    const archives = await Promise.all(
      ['a', 'b'].map(async (name) => savedImage(await imageOf([{ name, content: '0123456789' }]))),
    )
    const [one, two] = archives.map((archive) => sourceOf(archive))
    assert.ok(one && two)
    const [first, again] = await Promise.all([store.hold(one), store.hold(one)])
    assert.equal(first.root, again.root)
    first[Symbol.dispose]()
    using second = await store.hold(two)
    assert.ok(statSync(first.root), 'still held by the other')
    again[Symbol.dispose]()
    using third = await store.hold(two)
    assert.equal(third.root, second.root)
    assert.throws(() => statSync(first.root))
    using back = await store.hold(one)
    assert.equal(readFileSync(join(back.root, 'a'), 'utf8'), '0123456789')
  })
})
