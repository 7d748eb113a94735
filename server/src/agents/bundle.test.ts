import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type Header, pack } from 'tar-stream'
import { eventually } from '../../../test/eventually.ts'
import { type TestService, testService } from '../testing.ts'

type Entry = Partial<Header> & { name: string; body?: string | Uint8Array }

const tarOf = async (entries: readonly Entry[]): Promise<Buffer> => {
  const archive = pack()
  for (const { body, ...header } of entries) archive.entry(header, body ?? '')
  archive.finalize()
  const pieces: Buffer[] = []
  for await (const piece of archive as AsyncIterable<Buffer>) pieces.push(piece)
  return Buffer.concat(pieces)
}
const bundleOf = async (...entries: Entry[]) => gzipSync(await tarOf(entries))
const good: Entry = { name: 'agent.js', body: 'console.log(1)' }

/** Our own header making, for what no packer writes. */
const rawEntry = (change: (header: Buffer) => void, body = Buffer.alloc(0)): Buffer => {
  const header = Buffer.alloc(512)
  header.write('file.txt', 0)
  header.write('0000644\0', 100)
  header.write('0000000\0', 108)
  header.write('0000000\0', 116)
  header.write(`${body.length.toString(8).padStart(11, '0')}\0`, 124)
  header.write('00000000000\0', 136)
  header.write('0', 156)
  header.write('ustar\x0000', 257)
  change(header)
  header.write('        ', 148)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return Buffer.concat([header, body, Buffer.alloc((512 - (body.length % 512)) % 512), Buffer.alloc(1_024)])
}

const hostile: Record<string, () => Promise<Uint8Array> | Uint8Array> = {
  'an absolute path': () => bundleOf(good, { name: '/etc/cron.d/x' }),
  'a path with ..': () => bundleOf(good, { name: '../../outside' }),
  'a .. in the middle': () => bundleOf(good, { name: 'a/../../outside' }),
  'a symbolic link to an absolute path': () =>
    bundleOf(good, { name: 'l', type: 'symlink', linkname: '/etc/passwd' }),
  'a symbolic link beyond the interpreters': () =>
    bundleOf(good, { name: 'l', type: 'symlink', linkname: '/usr/bin/python3/../../../etc/passwd' }),
  'a file below a link to an interpreter': () =>
    bundleOf(good, { name: 'l', type: 'symlink', linkname: '/usr/bin/python3' }, { name: 'l/y', body: '1' }),
  'a symbolic link that leaves': () => bundleOf(good, { name: 'a/l', type: 'symlink', linkname: '../../x' }),
  'a link whose .. leads out through another link': () =>
    bundleOf(
      good,
      { name: 'd/e', type: 'symlink', linkname: '../d' },
      { name: 'd/f', type: 'symlink', linkname: 'e/../../../x' },
    ),
  'a link through a link that resolves to the folder itself': () =>
    bundleOf(
      good,
      { name: 'here', type: 'symlink', linkname: '.' },
      { name: 'up', type: 'symlink', linkname: 'here/../x' },
    ),
  'a file written through a link': () =>
    bundleOf({ name: 'l', type: 'symlink', linkname: 'd' }, { name: 'd/x', body: '1' }, { name: 'l/y' }),
  'a file below a link that comes later': () =>
    bundleOf(good, { name: 'l/y', body: '1' }, { name: 'l', type: 'symlink', linkname: 'agent.js' }),
  'a hard link that leaves': () => bundleOf(good, { name: 'h', type: 'link', linkname: '../../etc/shadow' }),
  'a hard link to an absolute path': () =>
    bundleOf(good, { name: 'h', type: 'link', linkname: '/etc/shadow' }),
  'a hard link to what is not there': () => bundleOf(good, { name: 'h', type: 'link', linkname: 'nothing' }),
  'a hard link to a symbolic link': () =>
    bundleOf(
      good,
      { name: 'l', type: 'symlink', linkname: 'agent.js' },
      { name: 'h', type: 'link', linkname: 'l' },
    ),
  'a character device': () =>
    bundleOf(good, { name: 'null', type: 'character-device', devmajor: 1, devminor: 3 }),
  'a block device': () => bundleOf(good, { name: 'sda', type: 'block-device', devmajor: 8, devminor: 0 }),
  'a fifo': () => bundleOf(good, { name: 'pipe', type: 'fifo' }),
  'an entry of an unknown type': () => gzipSync(rawEntry((header) => header.write('Z', 156))),
  'a bomb': async () =>
    gzipSync(Buffer.concat([await tarOf([{ name: 'zeros', body: Buffer.alloc(17 * 2 ** 20) }])])),
  'a size that is only claimed': () => gzipSync(rawEntry((header) => header.write('77777777777\0', 124))),
  'a bomb of zeros after the end': async () =>
    gzipSync(Buffer.concat([await tarOf([good]), Buffer.alloc(90 * 2 ** 20)])),
  'a huge name': () => bundleOf(good, { name: 'n'.repeat(300) }),
  'a huge path': () => bundleOf(good, { name: `${'dir/'.repeat(300)}x` }),
  'a path of endless depth': () => bundleOf(good, { name: `${'d/'.repeat(100)}x` }),
  'a name that turns the direction of text': () => bundleOf(good, { name: 'agent\u202esj.txt' }),
  'a name with an invisible sign': () => bundleOf(good, { name: 'agent\u200b.js' }),
  'dots in another script': () => bundleOf(good, { name: '\uff0e\uff0e/x' }),
  'a slash in another script': () => bundleOf(good, { name: 'a\uff0fb' }),
  'two spellings of one name': () => bundleOf({ name: 'caf\u00e9', body: '1' }, { name: 'cafe\u0301' }),
  'a backslash': () => bundleOf(good, { name: '..\\..\\x' }),
  'a drive letter': () => bundleOf(good, { name: 'C:x' }),
  'a control character': () => bundleOf(good, { name: 'a\nb' }),
  'a name that is not UTF-8': () => gzipSync(rawEntry((header) => header.set([0xff, 0xfe, 0x41], 0))),
  'one path twice': () => bundleOf(good, { ...good, body: 'other' }),
  'a file below a file': () => bundleOf(good, { name: 'agent.js/x', body: '1' }),
  'no file at all': () => bundleOf({ name: 'folder', type: 'directory' }),
  'an archive cut off in the middle': async () =>
    gzipSync((await tarOf([{ name: 'x', body: randomBytes(5_000) }])).subarray(0, 3_000)),
  'compression cut off in the middle': async () => (await bundleOf(good)).subarray(0, 60),
  'no gzip': () => tarOf([good]),
  'no tar': () => gzipSync(randomBytes(4_096)),
  nothing: () => gzipSync(Buffer.alloc(0)),
}

const gzip = { headers: { 'content-type': 'application/gzip' } }
const path = '/v1/agents/helper/versions/1/bundle'
const register = (service: TestService, more = {}) =>
  service.call('POST', '/v1/agents/register', {
    name: 'helper',
    version: '1',
    run_command: 'node agent.js',
    ...more,
  })
const leftOvers = async ({ storage }: TestService) => {
  const blobs = await storage.db.selectFrom('blobs').select('id').execute()
  const chunks = await storage.db.selectFrom('blob_chunks').select('blob_id').execute()
  return blobs.length + chunks.length
}

describe('a bundle', () => {
  it('is stored once, is part of the identity, and comes back byte for byte', async () => {
    await using service = await testService()
    const plain = await register(service)
    const bytes = await bundleOf(
      { name: './', type: 'directory' },
      { name: './agent.js', body: 'console.log(1)' },
      { name: 'lib/', type: 'directory' },
      { name: 'lib/data.bin', body: randomBytes(600_000) },
      { name: 'lib/link', type: 'symlink', linkname: '../agent.js' },
      { name: 'lib/hard', type: 'link', linkname: 'lib/data.bin' },
      { name: 'lib/café.txt', body: 'ok' },
      { name: `${'long-name-'.repeat(20)}.txt`, body: 'long' },
    )
    const stored = await service.call('PUT', path, bytes, gzip)
    assert.equal(stored.status, 201, stored.text)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    assert.deepEqual(stored.body.bundle, { sha256, size: bytes.length })
    assert.notEqual(stored.body.content_sha256, plain.body.content_sha256)
    assert.equal((await service.call('PUT', path, bytes, gzip)).status, 200)
    const other = await service.call('PUT', path, await bundleOf(good), gzip)
    assert.equal(other.status, 409)
    assert.ok(other.body.error.includes(sha256))
    const back = await fetch(`${service.baseUrl}${path}`, {
      headers: { authorization: `Bearer ${service.key}` },
    })
    assert.ok(bytes.equals(Buffer.from(await back.arrayBuffer())))
    assert.equal((await register(service)).status, 200)
    assert.equal((await register(service, { bundle_sha256: sha256 })).status, 200)
    assert.equal((await register(service, { bundle_sha256: '0'.repeat(64) })).status, 409)
  })

  it('has to be the one that was announced', async () => {
    await using service = await testService()
    const bytes = await bundleOf(good)
    await register(service, { bundle_sha256: createHash('sha256').update(bytes).digest('hex') })
    assert.equal((await service.call('GET', '/v1/agents/helper/versions/1')).body.bundle.size, null)
    assert.equal(
      (await service.call('PUT', path, await bundleOf({ name: 'x', body: '1' }), gzip)).status,
      409,
    )
    assert.equal((await service.call('PUT', path, bytes, gzip)).status, 201)
  })

  it('of ten different ones at once has one winner', async () => {
    await using service = await testService()
    await register(service)
    const bundles = await Promise.all(
      Array.from({ length: 10 }, (_, n) => bundleOf({ name: 'x', body: `${n}` })),
    )
    const replies = await Promise.all(bundles.map((bytes) => service.call('PUT', path, bytes, gzip)))
    assert.deepEqual(replies.map(({ status }) => status).sort(), [201, ...Array(9).fill(409)])
  })

  it('is refused above the size limit, beside inline files, and under another content type', async () => {
    await using service = await testService({ bundleLimitBytes: 100_000 })
    await register(service)
    const large = await service.call(
      'PUT',
      path,
      await bundleOf({ name: 'x', body: randomBytes(200_000) }),
      gzip,
    )
    assert.equal(large.status, 413)
    assert.equal(await leftOvers(service), 0)
    const json = await service.call('PUT', path, '{}')
    assert.equal(json.status, 415)
    await register(service, { version: '2', files: { 'agent.js': '' } })
    const beside = await service.call('PUT', path.replace('/1/', '/2/'), await bundleOf(good), gzip)
    assert.equal(beside.status, 409)
    assert.equal(
      (await service.call('PUT', path.replace('/1/', '/3/'), await bundleOf(good), gzip)).status,
      404,
    )
  })

  it('whose sender goes away in the middle leaves nothing behind', async () => {
    await using service = await testService()
    await register(service)
    const bytes = await bundleOf({ name: 'x', body: randomBytes(2_000_000) })
    const sender = request(`${service.baseUrl}${path}`, {
      method: 'PUT',
      agent: false,
      headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/gzip' },
    })
    sender.on('error', () => {})
    sender.write(bytes.subarray(0, 1_500_000))
    await eventually(async () => (await leftOvers(service)) > 1)
    sender.destroy()
    await eventually(async () => (await leftOvers(service)) === 0)
    assert.equal((await service.call('PUT', path, bytes, gzip)).status, 201)
  })

  it('that is hostile is refused with a reason and leaves nothing behind', async (test) => {
    await using service = await testService({ bundleLimitBytes: 1_048_576 })
    await register(service)
    for (const [name, make] of Object.entries(hostile))
      await test.test(`with ${name}`, async () => {
        const reply = await service.call('PUT', path, await make(), gzip)
        assert.equal(reply.status, 400, reply.text)
        assert.equal(reply.body.code, 'invalid_bundle')
        assert.match(reply.body.error, /^The (bundle|entry) /)
        assert.equal(await leftOvers(service), 0)
      })
    assert.equal((await service.call('GET', '/v1/agents/helper/versions/1')).body.bundle, null)
    assert.deepEqual(service.logged, [])
    assert.equal((await service.call('PUT', path, await bundleOf(good), gzip)).status, 201)
  })
})
