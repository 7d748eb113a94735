import 'reflect-metadata'
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { connect, type SecureContextOptions } from 'node:tls'
import {
  BasicConstraintsExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509'
import { readConfig } from '../../server/src/config.ts'
import { joinService, type TestService, testService } from '../../server/src/testing.ts'
import { forwardedHeader } from '../../server/src/twins/placement/other-nodes.ts'
import { testCompany } from '../../twin-kit/testing/host.ts'
import { notes } from '../../twins/notes/twin.ts'
import { eventually } from '../eventually.ts'

const models = [{ twin: notes, sample: { section: { notes: [] }, company: testCompany } }]
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const makeKeys = () => crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
const pemOf = async (key: Awaited<ReturnType<typeof makeKeys>>['privateKey']) =>
  PemConverter.encode(await crypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')

/** A separate authority, and certificates for this machine that it signs. */
const makeAuthority = async (folder: string) => {
  const keys = await makeKeys()
  const name = 'CN=Nodes of the test'
  const own = await X509CertificateGenerator.createSelfSigned({
    name,
    keys,
    signingAlgorithm: algorithm,
    extensions: [new BasicConstraintsExtension(true, 1, true)],
  })
  const caFile = join(folder, `authority-${crypto.randomUUID()}.pem`)
  writeFileSync(caFile, own.toString('pem'))
  const issue = async (subject: string) => {
    const leaf = await makeKeys()
    const certificate = await X509CertificateGenerator.create({
      subject: `CN=${subject}`,
      issuer: name,
      publicKey: leaf.publicKey,
      signingKey: keys.privateKey,
      signingAlgorithm: algorithm,
      extensions: [new SubjectAlternativeNameExtension([{ type: 'ip', value: '127.0.0.1' }])],
    })
    return { cert: certificate.toString('pem'), key: await pemOf(leaf.privateKey) }
  }
  const write = async (subject: string) => {
    const files = {
      certFile: join(folder, `${subject}.pem`),
      keyFile: join(folder, `${subject}.key`),
      caFile,
    }
    const { cert, key } = await issue(subject)
    writeFileSync(files.certFile, cert)
    writeFileSync(files.keyFile, key)
    return files
  }
  return { ca: own.toString('pem'), issue, write }
}

interface Asked {
  readonly method?: string
  readonly token: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly identity: SecureContextOptions
}

const ask = (url: string, { method = 'POST', token, body, headers, identity }: Asked) =>
  new Promise<{ status: number; body: string }>((resolve, reject) => {
    const sent = request(
      url,
      { method, ...identity, headers: { authorization: `Bearer ${token}`, ...headers }, agent: false },
      (reply) => {
        let text = ''
        reply.setEncoding('utf8').on('data', (chunk) => {
          text += chunk
        })
        reply.once('end', () => resolve({ status: reply.statusCode ?? 0, body: text }))
      },
    )
    sent.once('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })

const launchTwin = async (service: TestService, identity: SecureContextOptions) => {
  const reply = await ask(`${service.baseUrl}/v1/twins`, {
    token: service.key,
    identity,
    headers: { 'content-type': 'application/json' },
    body: { service: 'notes' },
  })
  assert.equal(reply.status, 201, reply.body)
  return JSON.parse(reply.body) as { id: string; token: string }
}

describe('a service with a certificate', () => {
  const folder = mkdtempSync(join(tmpdir(), 'diorama-tls-'))
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('is reached by TLS, and its nodes answer for each other by their certificates alone', async () => {
    const authority = await makeAuthority(folder)
    await using first = await testService({ tls: await authority.write('first') }, models)
    await using second = await joinService(first, models, { tls: await authority.write('second') })
    assert.match(first.baseUrl, /^https:/)
    const identity = { ca: authority.ca }
    const twin = await launchTwin(first, identity)
    const write = (more: object) =>
      ask(`${second.baseUrl}/t/${twin.id}/write`, {
        token: twin.token,
        identity,
        body: { text: 'through the other node' },
        ...more,
      })
    assert.equal((await write({})).status, 200)
    const forged = await write({ headers: { [forwardedHeader]: '1' } })
    assert.equal(forged.status, 403, forged.body)
    const stranger = await (await makeAuthority(folder)).issue('stranger')
    const signed = await write({
      headers: { [forwardedHeader]: '1' },
      identity: { ...stranger, ca: authority.ca },
    })
    assert.equal(signed.status, 403, 'a certificate of another authority proves nothing')
  })

  it('shows a renewed certificate without a restart, and keeps the last one where the new one is broken', async () => {
    const authority = await makeAuthority(folder)
    const files = await authority.write('renewed')
    await using service = await testService({ tls: files }, models)
    const shown = () =>
      new Promise<string>((resolve, reject) => {
        const { hostname, port } = new URL(service.baseUrl)
        const socket = connect({ host: hostname, port: Number(port), ca: authority.ca }, () => {
          resolve(socket.getPeerCertificate().fingerprint256)
          socket.destroy()
        })
        socket.once('error', reject)
      })
    const before = await shown()
    writeFileSync(files.certFile, 'half a certificate')
    await eventually(
      async () => service.logged.some(({ facts }) => Reflect.get(facts, 'event') === 'tls.reload_failed'),
      'a broken certificate was not noticed',
    )
    assert.equal(await shown(), before)
    await authority.write('renewed')
    await eventually(async () => (await shown()) !== before, 'the renewed certificate is not shown')
  })

  it('is refused at the start where one of the two files is missing', async () => {
    assert.throws(() => readConfig({ DIORAMA_TLS_CERT_FILE: '/a.pem' }), /DIORAMA_TLS_KEY_FILE: must be set/)
    const authority = await makeAuthority(folder)
    const files = { ...(await authority.write('lost')), keyFile: join(folder, 'none.key') }
    await assert.rejects(testService({ tls: files }, models), /DIORAMA_TLS_KEY_FILE names a file/)
  })
})
