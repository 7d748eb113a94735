import 'reflect-metadata'
import { existsSync } from 'node:fs'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls'
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'

const keyAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const authorityFile = 'authority-of-all-times.pem'
/** Programs in a trial check certificates by the story's clock, and a story may be set in any year. */
const validity = { notBefore: new Date('1990-01-01T00:00:00Z'), notAfter: new Date('2120-01-01T00:00:00Z') }
const maxCachedLeaves = 1000
const systemBundles = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/cert.pem',
]

type KeyPair = Awaited<ReturnType<typeof makeKeys>>

const makeKeys = () => {
  return crypto.subtle.generateKey(keyAlgorithm, true, ['sign', 'verify'])
}

/**
 * The deployment's own certificate authority. Its key never leaves the state folder; only sandboxes are set up to trust
 * it. Leaves share one key pair, since they all end in this process anyway.
 */
export class Authority {
  readonly certificatePem: string
  readonly #certificate: X509Certificate
  readonly #keys: KeyPair
  readonly #leafKeys: KeyPair
  readonly #leafKeyPem: string
  readonly #contexts = new Map<string, Promise<SecureContext>>()

  constructor(parts: {
    certificate: X509Certificate
    keys: KeyPair
    leafKeys: KeyPair
    leafKeyPem: string
  }) {
    this.#certificate = parts.certificate
    this.certificatePem = parts.certificate.toString('pem')
    this.#keys = parts.keys
    this.#leafKeys = parts.leafKeys
    this.#leafKeyPem = parts.leafKeyPem
  }

  /** What a TLS server needs to speak as this host. */
  contextFor(host: string): Promise<SecureContext> {
    const cached = this.#contexts.get(host)
    if (cached) {
      this.#contexts.delete(host)
      this.#contexts.set(host, cached)
      return cached
    }
    const made = this.#makeContext(host)
    this.#contexts.set(host, made)
    if (this.#contexts.size > maxCachedLeaves) {
      for (const oldest of this.#contexts.keys()) {
        this.#contexts.delete(oldest)
        break
      }
    }
    return made
  }

  async #makeContext(host: string): Promise<SecureContext> {
    const leaf = await X509CertificateGenerator.create({
      subject: [{ CN: [host.slice(0, 64)] }],
      issuer: this.#certificate.subject,
      ...validity,
      signingKey: this.#keys.privateKey,
      publicKey: this.#leafKeys.publicKey,
      signingAlgorithm: keyAlgorithm,
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new SubjectAlternativeNameExtension([{ type: isIP(host) ? 'ip' : 'dns', value: host }]),
        await AuthorityKeyIdentifierExtension.create(this.#keys.publicKey),
      ],
    })
    return createSecureContext({
      key: this.#leafKeyPem,
      cert: `${leaf.toString('pem')}\n${this.certificatePem}`,
    })
  }
}

/** Opens the authority in a folder, making it on first use. Two processes that start at once end with the same one. */
export const openAuthority = async (options: { stateDir: string }): Promise<Authority> => {
  const path = join(options.stateDir, authorityFile)
  if (!existsSync(path)) await makeAuthority({ path, ...options })
  const [keyPem = '', certificatePem = ''] = (await readFile(path, 'utf8')).split(
    /(?=-----BEGIN CERTIFICATE)/,
  )
  const pkcs8 = PemConverter.decodeFirst(keyPem)
  const certificate = new X509Certificate(certificatePem)
  const privateKey = await crypto.subtle.importKey('pkcs8', pkcs8, keyAlgorithm, true, ['sign'])
  const publicKey = await certificate.publicKey.export(keyAlgorithm, ['verify'], crypto)
  const leafKeys = await makeKeys()
  const leafKeyPem = PemConverter.encode(
    await crypto.subtle.exportKey('pkcs8', leafKeys.privateKey),
    'PRIVATE KEY',
  )
  return new Authority({
    certificate,
    keys: { privateKey, publicKey },
    leafKeys,
    leafKeyPem,
  })
}

/** Memoises `openAuthority`: the deployment's own authority, opened when the first trial needs it. */
export const sharedAuthority = (options: { stateDir: string }): (() => Promise<Authority>) => {
  let opening: Promise<Authority> | undefined
  return () => {
    opening ??= openAuthority(options)
    return opening
  }
}

const makeAuthority = async (options: { path: string; stateDir: string }): Promise<void> => {
  await mkdir(options.stateDir, { recursive: true, mode: 0o700 })
  const keys = await makeKeys()
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: [{ CN: ['Diorama sandbox authority'] }],
    ...validity,
    keys,
    signingAlgorithm: keyAlgorithm,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  const keyPem = PemConverter.encode(await crypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY')
  const draft = `${options.path}.${process.pid}`
  await writeFile(draft, `${keyPem}\n${certificate.toString('pem')}\n`, { mode: 0o600 })
  // Linking fails when another process was first; then theirs is the one.
  await link(draft, options.path).catch(() => undefined)
  await rm(draft, { force: true })
}

/** PEM of what jobs trust: the system's roots, or Node's where the system has none, and last our own. */
export const mergedAuthorities = (authority: Authority): Promise<string> => {
  const known = merged.get(authority)
  if (known) return known
  const made = mergeAuthorities(authority)
  merged.set(authority, made)
  return made
}

const merged = new WeakMap<Authority, Promise<string>>()

const mergeAuthorities = async (authority: Authority): Promise<string> => {
  for (const path of systemBundles) {
    const system = await readFile(path, 'utf8').catch(() => '')
    if (system.includes('BEGIN CERTIFICATE')) return `${system.trim()}\n${authority.certificatePem}\n`
  }
  return `${rootCertificates.join('\n')}\n${authority.certificatePem}\n`
}
