import { createHash } from 'node:crypto'

/** The password that every Java knows; it guards nothing, since certificates are public. */
export const trustStorePassword = 'changeit'
const magic = 0xfeedfeed
const version = 2
const trustedCertificate = 2
/** The format's own salt for its digest. */
const salt = 'Mighty Aphrodite'

/** A trust store in Java's first format (JKS), which every version reads, from certificates as PEM. */
export const javaTrustStore = (authorities: string): Buffer => {
  const certificates = [
    ...authorities.matchAll(/-----BEGIN CERTIFICATE-----([^-]*)-----END CERTIFICATE-----/g),
  ]
  const body = Buffer.concat([
    number(magic),
    number(version),
    number(certificates.length),
    ...certificates.flatMap(([, base64 = ''], index) => {
      const der = Buffer.from(base64, 'base64')
      return [
        number(trustedCertificate),
        text(`ca-${index}`),
        Buffer.alloc(8),
        text('X.509'),
        number(der.length),
        der,
      ]
    }),
  ])
  const password = Buffer.from(trustStorePassword, 'utf16le').swap16()
  const digest = createHash('sha1').update(password).update(salt).update(body).digest()
  return Buffer.concat([body, digest])
}

const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

const text = (value: string): Buffer => {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(Buffer.byteLength(value))
  return Buffer.concat([bytes, Buffer.from(value)])
}
