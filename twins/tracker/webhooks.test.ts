import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Emission } from '@diorama/twin-kit/kernel/deliveries'
import type { Step } from '@diorama/twin-kit/kernel/twin'
import { LinearWebhookClient } from '@linear/sdk/webhooks'
import { trackerSchema } from './graphql/engine.ts'
import { bareType } from './lists/filter.ts'
import { call, create, eng, userId } from './testing/rules/case.ts'
import { startAgents, startTracker } from './testing/world.ts'
import { tracker } from './twin.ts'
import { hour, minute } from './values/times.ts'
import { webhookChannel } from './webhooks/channel.ts'

type Received = Record<string, unknown> & { action: string; type: string; data?: Record<string, unknown> }

/** Follows a world's deliveries, each of which must be taken by the vendor's own client. */
const listening = (world: ReturnType<typeof startTracker>) => {
  const emissions: Emission[] = []
  const { handle } = world.instance
  world.instance.handle = (request, at) => {
    const handled = handle.call(world.instance, request, at)
    for (const step of [handled.due, handled.step] as (Step | undefined)[])
      emissions.push(...(step?.emissions ?? []))
    return handled
  }
  return {
    emissions,
    /** What arrived since it was last asked for. */
    received: async (): Promise<Received[]> => {
      const got: Received[] = []
      for (const emission of emissions.splice(0)) {
        const client = new LinearWebhookClient(emission.secret ?? '')
        const handler = client.createHandler()
        handler.on('*', (payload) => void got.push(payload as unknown as Received))
        const { headers, body, method } = webhookChannel.request(emission, { number: 1, at: Date.now() })
        assert.equal(headers['linear-delivery'], emission.id)
        const reply = await handler(new Request(String(emission.url), { method, headers, body }))
        assert.equal(reply.status, 200, await reply.text())
      }
      return got
    },
  }
}

const everything = [
  ...new Set([
    'Attachment',
    'Comment',
    'Customer',
    'CustomerNeed',
    'Cycle',
    'Document',
    'Initiative',
    'InitiativeUpdate',
    'Issue',
    'IssueLabel',
    'Project',
    'ProjectLabel',
    'ProjectUpdate',
    'Reaction',
    'User',
    'IssueSLA',
  ]),
]
const hook = (world: ReturnType<typeof startTracker>, input: Record<string, unknown> = {}) =>
  create(world, 'webhookCreate', {
    url: 'https://hook.example/',
    resourceTypes: everything,
    allPublicTeams: true,
    ...input,
  })

/** Fields that the schema calls non-null and the payload lacks. */
const lacking = (type: string, value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return []
  const fields = trackerSchema.get().types.get(type)?.fields ?? []
  return fields.flatMap(({ name, type: of }) => {
    const held = (value as Record<string, unknown>)[name]
    if (held === undefined || held === null) return of.endsWith('!') ? [`${type}.${name}`] : []
    const inner = bareType(of)
    return Array.isArray(held) ? held.flatMap((one) => lacking(inner, one)) : lacking(inner, held)
  })
}

describe('webhooks', () => {
  it('send every change with who made it and what it was before, as the vendor’s client takes it', async () => {
    const world = startTracker()
    const { received } = listening(world)
    const id = hook(world)
    call(
      world,
      'issueUpdate',
      { id: 'ENG-1', input: { title: 'Pump leaks', priority: 2 } },
      { as: world.tokens.dev },
    )
    const [update, ...others] = await received()
    assert.equal(others.length, 0)
    assert.deepEqual(
      [update?.type, update?.action, update?.webhookId, update?.data?.title],
      ['Issue', 'update', id, 'Pump leaks'],
    )
    const { updatedAt, ...from } = (update?.updatedFrom ?? {}) as Record<string, unknown>
    assert.equal(typeof updatedAt, 'string')
    assert.deepEqual(from, { title: 'Pump leaks at 3 bar', priority: 1 })
    assert.equal((update?.actor as { name: string } | undefined)?.name, 'Dev Sharma')
    assert.match(String(update?.url), /\/issue\/ENG-1\/pump-leaks$/)
    call(world, 'issueDelete', { id: 'ENG-2' })
    assert.deepEqual(
      (await received()).map(({ type, action }) => `${type} ${action}`),
      ['Issue remove'],
    )
  })

  it('have a payload for every type of record, with nothing missing that may not be', async () => {
    const world = startTracker()
    const { received } = listening(world)
    hook(world)
    const customer = create(world, 'customerCreate', { name: 'Acme' })
    const initiative = create(world, 'initiativeCreate', { name: 'Quiet homes' })
    const project = create(world, 'projectCreate', { name: 'Pump 2', teamIds: [eng] })
    const comment = create(world, 'commentCreate', { issueId: 'ENG-1', body: 'Hm' })
    create(world, 'attachmentCreate', { issueId: 'ENG-1', title: 'Log', url: 'https://example.com/log' })
    create(world, 'customerNeedCreate', { customerId: customer, issueId: 'ENG-1' })
    create(world, 'documentCreate', { title: 'Plan', projectId: project })
    create(world, 'initiativeUpdateCreate', { initiativeId: initiative, body: 'Fine' })
    create(world, 'issueCreate', { teamId: eng, title: 'New' })
    create(world, 'issueLabelCreate', { name: 'Rare', teamId: eng })
    create(world, 'projectLabelCreate', { name: 'Bold' })
    create(world, 'projectUpdateCreate', { projectId: project, body: 'Fine' })
    create(world, 'reactionCreate', { commentId: comment, emoji: 'eyes' })
    const starts = { startsAt: '2026-03-09T00:00:00.000Z', endsAt: '2026-03-23T00:00:00.000Z' }
    call(world, 'teamUpdate', { id: eng, input: { cyclesEnabled: true } })
    create(world, 'cycleCreate', { teamId: eng, ...starts })
    call(world, 'userUpdate', { id: userId(world, 'mira'), input: { description: 'Head' } })
    const got = await received()
    assert.deepEqual(
      [...new Set(got.map(({ type }) => type))].sort(),
      everything.filter((type) => type !== 'IssueSLA').sort(),
    )
    assert.deepEqual(
      got.flatMap(({ type, data }) => lacking(`${type}WebhookPayload`, data)),
      [],
    )
    assert.deepEqual(
      got.flatMap((event) => lacking('EntityWebhookPayload', { ...event, data: {} })),
      [],
    )
  })

  it('reach those who listen to the type and the team, and no one else', async () => {
    const world = startTracker()
    const { received } = listening(world)
    const comments = hook(world, { resourceTypes: ['Comment'] })
    hook(world, { allPublicTeams: false, teamId: world.data('{ team(id: "OPS") { id } }').team.id })
    const off = hook(world)
    call(world, 'webhookUpdate', { id: off, input: { enabled: false } })
    create(world, 'commentCreate', { issueId: 'ENG-1', body: 'Hm' })
    call(world, 'issueUpdate', { id: 'ENG-1', input: { priority: 4 } })
    assert.deepEqual(
      (await received()).map(({ webhookId }) => webhookId),
      [comments],
    )
    call(world, 'issueUpdate', { id: 'OPS-1', input: { priority: 4 } })
    assert.equal((await received()).length, 1)
    call(world, 'teamUpdate', { id: eng, input: { private: true } })
    create(world, 'commentCreate', { issueId: 'ENG-1', body: 'Secret' })
    assert.deepEqual(await received(), [])
  })

  it('tell an agent of its sessions, prompts and notifications, and of its end', async () => {
    const world = startAgents()
    const { received } = listening(world)
    const [helper] = world.data('{ users(filter: { name: { eq: "Helper Bot" } }) { nodes { id } } }').users
      .nodes
    call(world, 'issueUpdate', { id: 'ENG-1', input: { delegateId: helper.id } }, { as: world.tokens.dev })
    const [created] = await received()
    assert.deepEqual(
      [created?.type, created?.action, created?.appUserId],
      ['AgentSessionEvent', 'created', helper.id],
    )
    const session = created?.agentSession as { id: string; commentId: string; issue: { identifier: string } }
    assert.equal(session.issue.identifier, 'ENG-1')
    assert.match(
      String(created?.promptContext),
      /<issue identifier="ENG-1">\n<title>Pump leaks at 3 bar<\/title>/,
    )
    assert.deepEqual(lacking('AgentSessionEventWebhookPayload', created), [])
    create(world, 'commentCreate', { parentId: session.commentId, body: 'Any news?' }, world.tokens.dev)
    const prompted = (await received()).find(({ action }) => action === 'prompted')
    assert.deepEqual((prompted?.agentActivity as { content: unknown } | undefined)?.content, {
      type: 'prompt',
      body: 'Any news?',
    })
    assert.deepEqual(lacking('AgentSessionEventWebhookPayload', prompted), [])
    const profile = 'https://linear.app/northwind/profiles/helperbot'
    create(world, 'commentCreate', { issueId: 'ENG-2', body: `${profile} look` }, world.tokens.dev)
    const got = await received()
    const mention = got.find(({ type }) => type === 'AppUserNotification')
    assert.deepEqual(
      [mention?.action, got.filter(({ action }) => action === 'created').length],
      ['issueCommentMention', 1],
    )
    assert.deepEqual(lacking('IssueCommentMentionNotificationWebhookPayload', mention?.notification), [])
    const id = world
      .data('{ oauthApplications { id name } }')
      .oauthApplications.find(({ name }: { name: string }) => name === 'Helper Bot').id
    call(world, 'oauthApplicationArchive', { id })
    assert.deepEqual(
      (await received()).map(({ type, action }) => `${type} ${action}`),
      ['OAuthApp revoked'],
    )
  })

  it('report issues whose promised time is set, at risk and past', async () => {
    const world = startTracker()
    const { received } = listening(world)
    hook(world, { resourceTypes: ['IssueSLA'] })
    const at = (ms: number) => new Date(world.clock.now + ms).toISOString()
    call(world, 'issueUpdate', { id: 'ENG-1', input: { slaBreachesAt: at(2 * hour) } })
    assert.deepEqual(
      (await received()).map(({ action }) => action),
      ['set'],
    )
    world.clock.now += 3 * hour
    world.data('{ viewer { id } }')
    world.data('{ viewer { id } }')
    const got = await received()
    assert.deepEqual(
      got.map(({ action }) => action),
      ['breached'],
    )
    assert.deepEqual(lacking('IssueSlaWebhookPayload', got[0]), [])
  })

  it('are retried by the vendor’s schedule, and disabled when they keep failing', () => {
    const world = startTracker()
    const { emissions } = listening(world)
    const id = hook(world)
    assert.deepEqual(
      [webhookChannel.timeoutMs, webhookChannel.retryAfterMs],
      [5_000, [minute, hour, 6 * hour]],
    )
    for (let n = 0; n < 3; n++) {
      call(world, 'issueUpdate', { id: 'ENG-1', input: { title: `Leak ${n}` } })
      const [emission] = emissions.splice(0)
      const answer = { status: 500, headers: {}, body: 'down' }
      if (emission)
        world.instance.settle(emission, { outcome: 'failed', attempts: 4, answer }, world.clock.now)
    }
    const { webhook } = world.data(
      `{ webhook(id: "${id}") { enabled failures { httpStatus responseOrError } } }`,
    )
    assert.equal(webhook.enabled, false)
    assert.deepEqual(webhook.failures[0], { httpStatus: 500, responseOrError: 'down' })
    call(world, 'issueUpdate', { id: 'ENG-1', input: { title: 'Quiet' } })
    assert.deepEqual(emissions, [])
  })

  it('are the same, in the same order, in every copy of a world', () => {
    const run = () => {
      const world = startTracker()
      const { emissions } = listening(world)
      hook(world)
      create(world, 'issueCreate', { teamId: eng, title: 'New' })
      create(world, 'commentCreate', { issueId: 'ENG-1', body: 'Hm' })
      return emissions
    }
    assert.deepEqual(run(), run())
    assert.ok(run().length >= 2)
    assert.equal(tracker.channels?.webhooks, webhookChannel)
  })
})
