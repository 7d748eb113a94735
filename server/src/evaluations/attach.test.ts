import assert from 'node:assert/strict'
import { it } from 'node:test'
import { testService } from '../testing.ts'
import { sampleCompany } from '../worlds/sample.ts'

const agent = `
import { writeFile } from 'node:fs/promises'
const reply = await fetch('https://slack.com/api/chat.postMessage', {
  method: 'POST',
  headers: { authorization: 'Bearer ' + process.env.SLACK_BOT_TOKEN, 'content-type': 'application/json; charset=utf-8' },
  body: JSON.stringify({ channel: '#general', text: 'Posted from a conversation' }),
})
await writeFile(process.env.WORK_DIR + '/output.txt', (await reply.json()).ok ? 'I posted it.' : 'I could not.')
`

it('a command agent in a conversation acts on the twins of the world it is attached to', async () => {
  await using service = await testService()
  const { body: world } = await service.call('POST', '/v1/builder/worlds', { blueprint: sampleCompany })
  await service.call('POST', '/v1/agents/register', {
    name: 'poster',
    version: '1',
    files: { 'agent.mjs': agent },
    run: { command: ['node', 'agent.mjs'], timeout_seconds: 60 },
  })
  const session = await service.call('POST', '/v1/agents/poster/chat/sessions', { world_id: world.world.id })
  assert.equal(session.status, 201, session.text)
  const path = `/v1/agents/poster/chat/sessions/${session.body.id}/messages`
  const reply = await service.call('POST', path, { text: 'Post something, please' })
  assert.equal(reply.body.messages?.at(-1)?.text, 'I posted it.', reply.text)
  assert.ok(
    reply.body.steps.some(({ name }: { name: string }) => name === 'chat.postMessage'),
    reply.text,
  )
  const diff = await service.call('GET', `/v1/builder/worlds/${world.world.id}/diff`)
  const texts = diff.body.items.map((item: { after: { text?: string } | null }) => item.after?.text)
  assert.ok(texts.includes('Posted from a conversation'))
  const still = await service.call('GET', `/v1/builder/worlds/${world.world.id}`)
  assert.equal(still.body.status, 'ready')
})
