import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { AwsClient } from 'aws4fetch'
import { pack } from 'tar-stream'
import { openBlobs } from '../../server/src/storage/blobs.ts'
import type { ObjectStore } from '../../server/src/storage/objects/object-store.ts'
import { createS3 } from '../../server/src/storage/objects/s3.ts'
import { ageBlobs, blobCases } from '../../server/src/storage/objects/testing-blobs.ts'
import { testStorage } from '../../server/src/storage/testing.ts'
import { testService } from '../../server/src/testing.ts'
import { eventually } from '../eventually.ts'

const run = promisify(execFile)
/** A local server of another party, which checks signatures once it is asked to. */
const packages = ['moto[s3]==5.2.5', 'flask', 'flask-cors']
const bucket = 'diorama'
const maxLooks = 6_000

let folder: string
let child: ChildProcess | undefined
let endpoint = ''
let credentials = { accessKeyId: 'unset', secretAccessKey: 'unset' }
let missing: string | undefined

/** The program of that name that is installed, or one in a new virtual environment. */
const findServer = async (): Promise<string> => {
  const installed = await run('sh', ['-c', 'command -v moto_server']).catch(() => undefined)
  if (installed) return installed.stdout.trim()
  await run('python3', ['-m', 'venv', folder])
  await run(join(folder, 'bin/pip'), ['install', '-q', ...packages])
  return join(folder, 'bin/moto_server')
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Makes a bucket and a key that may use it, and has signatures checked from then on. */
const prepare = async (): Promise<void> => {
  const anyone = new AwsClient({ ...credentials, region: 'us-east-1', service: 'iam' })
  const iam = async (action: Record<string, string>): Promise<string> => {
    const body = new URLSearchParams({ Version: '2010-05-08', UserName: 'diorama', ...action }).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const reply = await anyone.fetch(endpoint, { method: 'POST', headers, body })
    const text = await reply.text()
    assert.equal(reply.status, 200, text)
    return text
  }
  await iam({ Action: 'CreateUser' })
  const allowed = ['s3:PutObject', 's3:GetObject', 's3:DeleteObject', 's3:ListBucket']
  const Statement = [{ Effect: 'Allow', Action: allowed, Resource: '*' }]
  const PolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement })
  await iam({ Action: 'PutUserPolicy', PolicyName: 'objects', PolicyDocument })
  const made = await iam({ Action: 'CreateAccessKey' })
  const partOf = (name: string): string => new RegExp(`<${name}>([^<]+)<`).exec(made)?.[1] ?? ''
  const s3 = new AwsClient({ ...credentials, region: 'us-east-1', service: 's3' })
  assert.equal((await s3.fetch(`${endpoint}/${bucket}`, { method: 'PUT' })).status, 200)
  credentials = { accessKeyId: partOf('AccessKeyId'), secretAccessKey: partOf('SecretAccessKey') }
  await fetch(`${endpoint}/moto-api/reset-auth`, { method: 'POST', body: '0' })
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'diorama-s3-'))
  try {
    const program = await findServer()
    const port = await freePort()
    endpoint = `http://127.0.0.1:${port}`
    child = spawn(program, ['-H', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' })
  } catch (error) {
    missing = `moto cannot be installed: ${(error as Error).message.split('\n')[0]}`
    return
  }
  await eventually(
    () =>
      fetch(endpoint).then(
        () => true,
        () => false,
      ),
    'moto does not answer',
    maxLooks,
  )
  await prepare()
})
after(async () => {
  child?.kill()
  await rm(folder, { recursive: true, force: true })
})

const settings = (also: object = {}) => ({
  ...{ endpoint, region: 'us-east-1', bucket, prefix: 'some/where/', ...credentials },
  ...also,
})
/** The keys in the bucket. */
const stored = async (): Promise<string[]> => {
  const client = new AwsClient({ ...credentials, region: 'us-east-1', service: 's3' })
  const text = await (await client.fetch(`${endpoint}/${bucket}`)).text()
  assert.match(text, /<ListBucketResult/)
  return [...text.matchAll(/<Key>([^<]+)</g)].map(([, key = '']) => key)
}

describe('blobs in an object store', () => {
  blobCases(
    () => createS3(settings()),
    () => missing,
  )

  it('are in the bucket under a key that is used once, and leave it when they are swept', async (context) => {
    if (missing) return context.skip(missing)
    await using test = await testStorage()
    const { db, makeId } = test.storage
    const blobs = openBlobs({ db, makeId, now: Date.now, objects: createS3(settings()) })
    const before = (await stored()).length
    const bytes = randomBytes(200_000)
    await blobs.keep(bytes)
    await blobs.keep(randomBytes(1_000))
    assert.equal((await stored()).length, before + 1, 'small contents stay in the database')
    assert.deepEqual(await db.selectFrom('blob_chunks').select('number').execute(), [{ number: 0 }])
    await ageBlobs(db, 7_200_000)
    assert.equal(await blobs.sweep(), 2)
    assert.equal((await stored()).length, before)
  })

  it('are read where they were written before the store was configured', async (context) => {
    if (missing) return context.skip(missing)
    await using test = await testStorage()
    const { db, makeId } = test.storage
    const open = (store?: ObjectStore) => openBlobs({ db, makeId, now: Date.now, objects: store })
    const [old, recent] = [randomBytes(100_000), randomBytes(100_000)]
    const first = await open().keep(old)
    const second = await open(createS3(settings())).keep(recent)
    const stream = await open(createS3(settings())).get(first.sha256)
    assert.ok(stream)
    assert.ok(old.equals(await buffer(stream)))
    await assert.rejects(open().get(second.sha256), /set DIORAMA_S3_BUCKET/)
  })

  it('are not named where the store refuses them', async (context) => {
    if (missing) return context.skip(missing)
    await using test = await testStorage()
    const { db, makeId } = test.storage
    const wrong = createS3(settings({ secretAccessKey: 'another' }))
    const bytes = randomBytes(100_000)
    await assert.rejects(
      openBlobs({ db, makeId, now: Date.now, objects: wrong }).keep(bytes),
      /403 SignatureDoesNotMatch/,
    )
    const digest = createHash('sha256').update(bytes).digest('hex')
    assert.equal(await openBlobs({ db, makeId, now: Date.now }).get(digest), undefined)
  })
})

describe('a service with an object store', () => {
  it('does not start where the bucket cannot be used, and names the settings', async (context) => {
    if (missing) return context.skip(missing)
    for (const [wrong, reason] of [
      [{ secretAccessKey: 'another' }, /SignatureDoesNotMatch.*DIORAMA_S3_SECRET_ACCESS_KEY/],
      [{ bucket: 'no-such-bucket' }, /no-such-bucket.*NoSuchBucket.*DIORAMA_S3_BUCKET/],
      [{ endpoint: `http://127.0.0.1:${await freePort()}` }, /ECONNREFUSED.*DIORAMA_S3_ENDPOINT/],
    ] as const)
      await assert.rejects(testService({ objectStore: settings(wrong) }), reason)
  })

  it('keeps the bundles of agents there', async (context) => {
    if (missing) return context.skip(missing)
    await using service = await testService({ objectStore: settings() })
    const count = (await stored()).length
    await service.call('POST', '/v1/agents/register', {
      name: 'a',
      version: '1',
      run_command: 'node agent.js',
    })
    const archive = pack()
    archive.entry({ name: 'agent.js' }, 'console.log(1)')
    archive.entry({ name: 'data.bin' }, randomBytes(300_000))
    archive.finalize()
    const bundle = gzipSync(await buffer(archive))
    const path = '/v1/agents/a/versions/1/bundle'
    const reply = await service.call('PUT', path, bundle, { headers: { 'content-type': 'application/gzip' } })
    assert.equal(reply.status, 201, reply.text)
    assert.equal((await stored()).length, count + 1)
    assert.deepEqual(await service.storage.db.selectFrom('blob_chunks').select('number').execute(), [])
    const back = await fetch(`${service.baseUrl}${path}`, {
      headers: { authorization: `Bearer ${service.key}` },
    })
    assert.ok(bundle.equals(Buffer.from(await back.arrayBuffer())))
  })
})
