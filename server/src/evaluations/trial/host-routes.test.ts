import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { routeOf } from './host-routes.ts'

const services = [
  { service: 'chat', hosts: ['chat.example', '*.chat.example'] },
  { service: 'crm', hosts: ['acme.my.crm.example', '*.my.crm.example', '*.crm.example'] },
]
const forward = { kind: 'forward', origin: 'https://models.chat.example' } as const
const allowed = new Map([['models.chat.example', forward]])
const serviceOf = (host: string) => {
  const route = routeOf(host, services, allowed)
  return route?.kind === 'twin' ? route.service : route?.kind
}

describe('a host name in a trial', () => {
  it('leads to the service that has it, by name or by pattern', () => {
    assert.equal(serviceOf('chat.example'), 'chat')
    assert.equal(serviceOf('files.chat.example'), 'chat')
    assert.equal(serviceOf('other.my.crm.example'), 'crm')
    assert.equal(serviceOf('na1.crm.example'), 'crm')
  })
  it('leads out where the deployment allows exactly that host', () => {
    assert.equal(serviceOf('models.chat.example'), 'forward')
  })
  it('leads nowhere when it only looks alike', () => {
    for (const host of [
      'crm.example',
      'evilchat.example',
      'chat.example.attacker.example',
      '.crm.example',
      '',
    ])
      assert.equal(serviceOf(host), undefined, host)
  })
})
