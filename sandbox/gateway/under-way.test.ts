import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Duplex } from 'node:stream'
import { test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { eventually } from '../../test/eventually.ts'
import { openAuthority } from './authority.ts'
import { openGateway } from './gateway.ts'

/** The first message of a TLS handshake, as a client makes it. */
const clientHello = (): Promise<Buffer> =>
  new Promise((resolve) => {
    const wire = new Duplex({
      read: () => undefined,
      write: (chunk: Buffer, _encoding, done) => {
        resolve(chunk)
        done()
      },
    })
    connectTls({ socket: wire, servername: 'twin.example' }).on('error', () => undefined)
  })

test('a client that stops in its handshake does not hold up the story', async (t) => {
  const here = mkdtempSync(join(tmpdir(), 'gateway-'))
  t.after(() => rmSync(here, { recursive: true }))
  let underWay = 0
  let begun = 0
  await using gateway = await openGateway({
    authority: await openAuthority({ stateDir: here }),
    route: () => ({ kind: 'twin', service: 'crm' }),
    onRequest: async () => ({ status: 200, headers: {}, body: '' }),
    underWay: {
      begin: () => {
        underWay++
        begun++
      },
      end: () => {
        underWay--
      },
    },
  })
  const socket = connect(gateway.socketPath)
  t.after(() => socket.destroy())
  socket.write(await clientHello())
  const hello = await new Promise<Buffer>((resolve) => socket.once('data', resolve))
  assert.equal(hello[0], 0x16)
  await eventually(() => begun > 0 && underWay === 0, 'the connection is still under way')
  assert.equal(socket.destroyed, false)
})
