import assert from 'node:assert/strict'
import type { lookup } from 'node:dns'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { type AddressRules, createAddressRules } from './address-rules.ts'
import { postUnder } from './post.ts'

/** A name server that answers each question with the next of these lists of addresses. */
const answering = (...answers: readonly (readonly string[])[]) => {
  const asked: string[] = []
  const resolve = (name: string, _options: unknown, callback: (...given: unknown[]) => void) => {
    const addresses = answers[Math.min(asked.length, answers.length - 1)] ?? []
    asked.push(name)
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  }
  return { asked, lookup: resolve as unknown as typeof lookup }
}

const listen = async (host: string, port = 0) => {
  const arrived: string[] = []
  const server = createServer((request, reply) => {
    arrived.push(request.headers.host ?? '')
    reply.writeHead(200, { connection: 'close' }).end()
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve))
  return {
    arrived,
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const post = (rules: AddressRules, url: string) => postUnder(rules)({ url, headers: {}, body: '{}' })

describe('the address of a delivery', () => {
  it('is refused in every private and metadata range, however it is written', () => {
    const { refusal } = createAddressRules(['public'])
    // Decimal numbers are addresses in the three ranges of private networks.
    const hosts = [
      ...[
        '0.0.0.0',
        '167772161',
        '2887778302',
        '3232235777',
        '127.0.0.1',
        '127.1',
        '0x7f000001',
        '017700000001',
      ],
      ...['169.254.169.254', '169.254.170.2', '100.100.100.200', '168.63.129.16', '192.0.0.192', '224.0.0.1'],
      ...[
        '[::]',
        '[::1]',
        '[::ffff:127.0.0.1]',
        '[::ffff:a9fe:a9fe]',
        '[64:ff9b::7f00:1]',
        '[2002:7f00:1::]',
      ],
      ...['[fd00:ec2::254]', '[fe80::1]', '[fc00::1]', '[ff02::1]'],
    ]
    const allowed = hosts.filter((host) => refusal(new URL(`http://${host}/`)) === undefined)
    assert.deepEqual(allowed, [])
    assert.equal(refusal(new URL('https://93.184.215.14/')), undefined)
    assert.equal(createAddressRules(['127.0.0.0/8']).refusal(new URL('http://127.1.2.3/')), undefined)
    assert.ok(createAddressRules(['127.0.0.0/8']).refusal(new URL('http://93.184.215.14/')))
  })

  it('is the one that was checked: a name that leads elsewhere a moment later does not move the connection', async () => {
    await using good = await listen('127.0.0.2')
    await using bad = await listen('127.0.0.1', good.port)
    const { asked, lookup } = answering(['127.0.0.2'], ['127.0.0.1'])
    const rules = createAddressRules(['127.0.0.2'], lookup)
    const url = `http://rebinding.example:${good.port}/`
    assert.ok('answer' in (await post(rules, url)))
    assert.deepEqual([asked.length, good.arrived.length], [1, 1], 'the name is resolved once')
    const second = await post(rules, url)
    assert.equal('fault' in second && second.fault, 'refused')
    assert.deepEqual(bad.arrived, [])
  })

  it('is refused where one of the addresses of its name is not allowed', async () => {
    await using bad = await listen('127.0.0.1')
    const { lookup } = answering(['93.184.215.14', '127.0.0.1'])
    const outcome = await post(createAddressRules(['public'], lookup), `http://mixed.example:${bad.port}/`)
    assert.equal('fault' in outcome && outcome.fault, 'refused')
    assert.deepEqual(bad.arrived, [])
  })
})
