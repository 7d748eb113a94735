import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type TestService, testService } from '../testing.ts'

describe('registering an agent of a kind', () => {
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service[Symbol.asyncDispose]())

  const model = { provider: 'local', id: 'm' }
  const cases: readonly (readonly [body: object, pointer: string | undefined])[] = [
    [{ run: { command: 'true' } }, undefined],
    [{ run: { kind: 'acp', command: ['agent'] } }, undefined],
    [{ run: { kind: 'http', url: 'https://agent.example/run' } }, undefined],
    [{ run: { kind: 'image' } }, undefined],
    [{ run: { kind: 'image', image: 'team/agent:1.2', command: ['agent'] } }, undefined],
    [{ run: { kind: 'image', image: '../secrets' } }, '/run/image'],
    [{ run: { kind: 'image' }, files: { 'a.txt': 'x' } }, '/files'],
    [{ run: { command: 'true', image: 'agent' } }, '/run/image'],
    [{ run: { kind: 'chat', max_turns: 5 }, model }, undefined],
    [{ run: {} }, '/run/command'],
    [{ run: { kind: 'acp' } }, '/run/command'],
    [{ run: { kind: 'http' } }, '/run/url'],
    [{ run: { kind: 'a2a', url: 'https://agent.example', command: 'x' } }, '/run/command'],
    [{ run: { kind: 'http', url: 'https://agent.example', env: { A: '1' } } }, '/run/env'],
    [{ run: { kind: 'http', url: 'https://agent.example', network: 'none' } }, '/run/network'],
    [{ run: { kind: 'chat' } }, '/model'],
    [{ run: { kind: 'chat' }, model, files: { 'a.txt': 'x' } }, '/files'],
    [{ run: { command: 'true', url: 'https://agent.example' } }, '/run/url'],
    [{ run: { command: 'true', listen: { port: 8080, settings: { chat: {} } } } }, undefined],
    [{ run: { command: 'true', listen: { port: 80 } } }, '/run/listen/port'],
    [{ run: { command: 'true', listen: { settings: { mail: {} } } } }, '/run/listen/settings/mail'],
    [{ run: { command: 'true', network: 'none', listen: {} } }, '/run/network'],
    [{ run: { kind: 'acp', command: 'true', listen: {} } }, '/run/listen'],
  ]
  for (const [n, [body, pointer]] of cases.entries())
    it(`${JSON.stringify(body)}: ${pointer === undefined ? 'is taken' : `names ${pointer}`}`, async () => {
      const sent = { name: `agent-${n}`, version: '1', ...body }
      const reply = await service.call('POST', '/v1/agents/register', sent)
      if (pointer === undefined) assert.equal(reply.status, 201, reply.text)
      else
        assert.ok(
          reply.body.details?.some((one: { pointer: string }) => one.pointer === pointer),
          reply.text,
        )
    })
})
