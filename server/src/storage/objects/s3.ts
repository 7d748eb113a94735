import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { AwsClient } from 'aws4fetch'
import { StorageFailure } from '../failure.ts'
import type { ObjectStore, ObjectStoreSettings } from './object-store.ts'

/** Until the reply begins; a body may take longer. */
const replyTimeoutMs = 60_000
const uploadTimeoutMs = 600_000
/** With back-off between them, for replies 429 and 5xx. */
const retries = 4

/** A request that the store refused or did not answer. */
export class ObjectStoreError extends Error {
  override readonly name = 'ObjectStoreError'
  readonly code = 'object_store'
}

/** Objects in a bucket of any store that speaks S3, addressed by path. */
export const createS3 = (settings: ObjectStoreSettings): ObjectStore => {
  const { endpoint, bucket, prefix, region, accessKeyId, secretAccessKey } = settings
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries })
  const urlOf = (key: string): string =>
    `${endpoint.replace(/\/+$/, '')}/${bucket}/${`${prefix}${key}`.split('/').map(encodeURIComponent).join('/')}`

  const send = async (
    method: string,
    key: string,
    init: RequestInit,
    timeoutMs: number,
  ): Promise<Response> => {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(new Error(`no reply within ${timeoutMs / 1_000} s`)), timeoutMs)
    try {
      return await client.fetch(urlOf(key), { ...init, method, redirect: 'manual', signal: late.signal })
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
      throw new ObjectStoreError(`${method} of an object failed: ${messageOf(cause)}`, { cause: error })
    } finally {
      clearTimeout(timer)
    }
  }

  const put: ObjectStore['put'] = async (key, body, sha256) => {
    const headers = { 'x-amz-content-sha256': sha256, 'content-type': 'application/octet-stream' }
    const reply = await send('PUT', key, { body, headers }, uploadTimeoutMs)
    if (!reply.ok) throw await refusal('PUT', reply)
    await reply.body?.cancel()
  }
  const get: ObjectStore['get'] = async (key) => {
    const reply = await send('GET', key, {}, replyTimeoutMs)
    if (reply.status === 404 && (await isMissingKey(reply))) return undefined
    if (!reply.ok) throw await refusal('GET', reply)
    return reply.body ? Readable.fromWeb(reply.body as ReadableStream) : Readable.from([])
  }
  const remove: ObjectStore['remove'] = async (key) => {
    const reply = await send('DELETE', key, {}, replyTimeoutMs)
    if (!reply.ok && reply.status !== 404) throw await refusal('DELETE', reply)
    await reply.body?.cancel()
  }

  return {
    put,
    get,
    remove,
    check: async (key) => {
      const text = 'Diorama checks that it can write here.'
      try {
        await put(key, new Blob([text]), createHash('sha256').update(text).digest('hex'))
        const stream = await get(key)
        const found = stream && (await stream.toArray()).join('')
        await remove(key)
        if (found !== text) throw new ObjectStoreError('an object did not come back as it was written')
      } catch (error) {
        throw new StorageFailure(
          'object_store',
          `The bucket ${bucket} at ${endpoint} cannot be used: ${messageOf(error)}. ` +
            'Check DIORAMA_S3_ENDPOINT, DIORAMA_S3_BUCKET, DIORAMA_S3_REGION, DIORAMA_S3_ACCESS_KEY_ID and ' +
            'DIORAMA_S3_SECRET_ACCESS_KEY; the key must be allowed to put, get and delete objects.',
          { cause: error },
        )
      }
    },
  }
}

/** A missing bucket is 404 too, and means something else. */
const isMissingKey = async (reply: Response): Promise<boolean> =>
  codeIn(await reply.clone().text()) !== 'NoSuchBucket'

const refusal = async (method: string, reply: Response): Promise<ObjectStoreError> => {
  const code = codeIn(await reply.text())
  return new ObjectStoreError(
    `${method} of an object was answered with ${reply.status}${code === undefined ? '' : ` ${code}`}`,
  )
}

const codeIn = (xml: string): string | undefined => /<Code>([^<]{1,100})<\/Code>/.exec(xml)?.[1]

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
