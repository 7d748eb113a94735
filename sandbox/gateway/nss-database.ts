/**
 * Chromium on Linux trusts the roots that it ships with, and those in the NSS database of its user. This writes one:
 * `cert9.db`, a SQLite file with one table, whose columns are the attributes of PKCS #11 objects by number.
 */
import 'reflect-metadata'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { X509Certificate } from '@peculiar/x509'

/** Where it is looked for, below the home of the browser's user. */
export const nssDatabasePath = '.pki/nssdb/cert9.db'

const attribute = {
  class: 0x0,
  token: 0x1,
  private: 0x2,
  label: 0x3,
  value: 0x11,
  certificateType: 0x80,
  issuer: 0x81,
  serialNumber: 0x82,
  subject: 0x101,
  id: 0x102,
  modifiable: 0x170,
  trustServerAuth: 0xce536358,
  trustClientAuth: 0xce536359,
  trustCodeSigning: 0xce53635a,
  trustEmail: 0xce53635b,
  trustStepUp: 0xce536360,
  sha1: 0xce5363b4,
  md5: 0xce5363b5,
} as const

/** The attributes that NSS knows, first and last of each run: it asks for any of them. */
const knownAttributes: readonly (readonly [number, number])[] = [
  ...([
    [0x0, 0x3],
    [0x10, 0x12],
    [0x80, 0x8b],
    [0x90, 0x90],
    [0x100, 0x10c],
    [0x110, 0x111],
  ] as const),
  ...([
    [0x120, 0x129],
    [0x130, 0x134],
    [0x160, 0x166],
    [0x170, 0x170],
    [0x180, 0x181],
  ] as const),
  ...([
    [0x200, 0x202],
    [0x210, 0x210],
    [0x300, 0x302],
    [0x400, 0x406],
    [0x480, 0x482],
  ] as const),
  ...([
    [0x500, 0x503],
    [0x40000211, 0x40000212],
    [0x80000001, 0x80000001],
  ] as const),
  ...([
    [0xce534351, 0xce534358],
    [0xce534364, 0xce534369],
    [0xce534373, 0xce534374],
  ] as const),
  ...([
    [0xce536351, 0xce536360],
    [0xce5363b4, 0xce5363b5],
    [0xd5a0db00, 0xd5a0db00],
  ] as const),
]

const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

const yes = Buffer.from([1])
const no = Buffer.from([0])
/** How an attribute without a value is written. */
const nothing = Buffer.from([0xa5, 0x00, 0x5a])
const certificateClass = number(1)
const x509 = number(0)
const trustClass = number(0xce534353)
const trustedAuthority = number(0xce534352)
const notDecided = number(0xce534353)

type Attributes = Partial<Record<keyof typeof attribute, Buffer>>

const made = new Map<string, Buffer>()

/** The database with the last of these certificates (PEM): the gateway's own, see `mergedAuthorities`. */
export const nssDatabase = (authorities: string): Buffer => {
  const known = made.get(authorities)
  if (known) return known
  const bytes = writeDatabase(objectsOf(lastOf(authorities)))
  made.set(authorities, bytes)
  return bytes
}

const lastOf = (authorities: string): X509Certificate => {
  const pem = authorities.slice(authorities.lastIndexOf('-----BEGIN CERTIFICATE-----'))
  return new X509Certificate(pem.slice(0, pem.indexOf('-----END')).replaceAll(/-----[^-]+-----|\s/g, ''))
}

/** A positive integer in DER: a first bit that is set would mean a negative one. */
const integer = (bytes: Buffer): Buffer => {
  const value = (bytes[0] ?? 0) > 0x7f ? Buffer.concat([Buffer.from([0]), bytes]) : bytes
  return Buffer.concat([Buffer.from([2, value.length]), value])
}

/** A certificate, and what it is trusted for. */
const objectsOf = (certificate: X509Certificate): Attributes[] => {
  const der = Buffer.from(certificate.rawData)
  const digest = (algorithm: string) => createHash(algorithm).update(der).digest()
  const named = {
    token: yes,
    private: no,
    modifiable: yes,
    issuer: Buffer.from(certificate.issuerName.toArrayBuffer()),
    serialNumber: integer(Buffer.from(certificate.serialNumber, 'hex')),
  }
  return [
    {
      ...named,
      class: certificateClass,
      certificateType: x509,
      label: Buffer.from(certificate.subject),
      value: der,
      subject: Buffer.from(certificate.subjectName.toArrayBuffer()),
      id: digest('sha1'),
    },
    {
      ...named,
      class: trustClass,
      label: nothing,
      trustServerAuth: trustedAuthority,
      trustClientAuth: notDecided,
      trustCodeSigning: notDecided,
      trustEmail: notDecided,
      trustStepUp: no,
      sha1: digest('sha1'),
      md5: digest('md5'),
    },
  ]
}

const column = (type: number): string => `a${type.toString(16)}`

const writeDatabase = (objects: readonly Attributes[]): Buffer => {
  const folder = mkdtempSync(join(tmpdir(), 'nss-'))
  try {
    const path = join(folder, 'cert9.db')
    const database = new DatabaseSync(path)
    const columns = knownAttributes.flatMap(([first, last]) =>
      Array.from({ length: last - first + 1 }, (_, n) => column(first + n)),
    )
    database.exec(`PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;
      CREATE TABLE nssPublic (id PRIMARY KEY UNIQUE ON CONFLICT ABORT, ${columns.join(', ')});
      CREATE INDEX issuer ON nssPublic (a81); CREATE INDEX subject ON nssPublic (a101);
      CREATE INDEX label ON nssPublic (a3); CREATE INDEX ckaid ON nssPublic (a102)`)
    for (const [index, object] of objects.entries()) {
      const names = Object.keys(object) as (keyof typeof attribute)[]
      const places = names.map((name) => column(attribute[name])).join(', ')
      database
        .prepare(`INSERT INTO nssPublic (id, ${places}) VALUES (?, ${names.map(() => '?').join(', ')})`)
        .run(index + 1, ...names.map((name) => object[name] ?? null))
    }
    database.close()
    return readFileSync(path)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
