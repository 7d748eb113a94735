import { createHash } from 'node:crypto'

/** A key's secret: 256 random bits after a prefix that secret scanners recognise. */
export const makeSecret = (random: (bytes: number) => Uint8Array): string =>
  `dk_${Buffer.from(random(32)).toString('base64url')}`

/** What is stored of a secret. */
export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest()
