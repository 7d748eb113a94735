import { createCipheriv, createDecipheriv, createHash, hkdfSync } from 'node:crypto'
import { StorageFailure } from '../failure.ts'

const version = 'v1'
const nonceBytes = 12
const tagBytes = 16
export const keyBytes = 32

export interface Sealing {
  /** The id of the key that new values are sealed with. */
  readonly currentKeyId: string
  /** The ids of all keys that this process can open values with, the current one first. */
  readonly keyIds: readonly string[]
  /** Encrypts a value. The context says what it is and whose; it must be the same when the value is opened. */
  seal(text: string, context: string): string
  /** Decrypts a value, or throws: one that was changed, moved to another row, or sealed with an unknown key. */
  open(sealed: string, context: string): string
  /** Whether a value was sealed with the current key; if not, seal it again when you next write it. */
  isCurrent(sealed: string): boolean
}

/**
 * Authenticated encryption of secrets at rest: AES-256-GCM with a random nonce, under a key derived from a master key.
 * A sealed value is `v1.<key id>.<nonce, ciphertext and tag>`, so that keys can be rotated: the first of `keys` seals,
 * all of them open. The context is authenticated as well; a value copied into another row does not open there.
 */
export const createSealing = ({
  keys,
  random,
}: {
  keys: readonly Uint8Array[]
  random: (bytes: number) => Uint8Array
}): Sealing => {
  const ring = new Map(keys.map((key) => [keyId(key), sealingKey(key)]))
  const [currentKeyId] = ring.keys()
  const currentKey = currentKeyId === undefined ? undefined : ring.get(currentKeyId)
  if (currentKeyId === undefined || currentKey === undefined) throw new Error('sealing needs a key')
  return {
    currentKeyId,
    keyIds: [...ring.keys()],
    seal: (text, context) => {
      const nonce = random(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', currentKey, nonce).setAAD(Buffer.from(context))
      const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `${version}.${currentKeyId}.${sealed.toString('base64url')}`
    },
    open: (sealed, context) => {
      const [form, id = '', payload = ''] = sealed.split('.')
      const key = ring.get(id)
      if (form !== version) throw notOpened('is not a sealed value')
      if (!key) throw notOpened(`was sealed with the key ${id}, which this process does not have`)
      return decrypt(key, Buffer.from(payload, 'base64url'), context)
    },
    isCurrent: (sealed) => sealed.startsWith(`${version}.${currentKeyId}.`),
  }
}

const decrypt = (key: Uint8Array, bytes: Buffer, context: string): string => {
  if (bytes.length < nonceBytes + tagBytes) throw notOpened('is cut short')
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes))
      .setAAD(Buffer.from(context))
      .setAuthTag(bytes.subarray(-tagBytes))
    const text = decipher.update(bytes.subarray(nonceBytes, -tagBytes))
    return Buffer.concat([text, decipher.final()]).toString('utf8')
  } catch (cause) {
    throw notOpened('was changed, or belongs to something else', cause)
  }
}

const notOpened = (reason: string, cause?: unknown): StorageFailure =>
  new StorageFailure('secret_not_readable', `A stored secret cannot be read: it ${reason}.`, { cause })

/** Says which key it was without saying anything about the key. */
const keyId = (key: Uint8Array): string =>
  createHash('sha256').update('diorama key id').update(key).digest('hex').slice(0, 12)

/** The master key itself encrypts nothing, so that other keys can be derived from it later. */
const sealingKey = (key: Uint8Array): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', key, '', 'diorama sealing', keyBytes))
