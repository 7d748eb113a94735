import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { allowedHosts } from '../../config.ts'
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
  it('leads out where an organization has it, to public addresses alone', () => {
    const agentHosts = ['models.example=http://127.0.0.1:1', 'both.example=http://127.0.0.1:2']
    const hosts = allowedHosts({ agentHosts }, ['api.example', 'both.example', 'chat.example'])
    const outside = (host: string) => routeOf(host, services, hosts)
    assert.deepEqual(outside('api.example'), { kind: 'forward', origin: 'https://api.example' })
    const named = { kind: 'forward', origin: 'http://127.0.0.1:2', allowPrivate: true }
    assert.deepEqual(outside('both.example'), named, 'the deployment decides where both name a host')
    assert.deepEqual(outside('chat.example'), { kind: 'twin', service: 'chat' }, 'a twin is never passed by')
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
