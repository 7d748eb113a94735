import type { TwinRequest } from '@diorama/twin-kit/kernel/twin'
import { seedFor, startInstance, testCompany } from '@diorama/twin-kit/testing/host'
import { section as trackerSection } from '../section.ts'
import { tracker } from '../twin.ts'

const comment = (at: string, author: string, body: string) => ({ at, author, body })
const issue = (key: string, team: string, title: string, more: Record<string, unknown> = {}) => ({
  key,
  team,
  title,
  description: '',
  priority: 0,
  state: 'backlog',
  createdAt: '2026-02-01T10:00:00Z',
  updatedAt: null,
  assignee: null,
  creator: null,
  labels: [],
  project: null,
  comments: [],
  ...more,
})

/** The section of every tracker test: two teams, two projects, five issues. */
export const section = {
  teams: [
    {
      key: 'ENG',
      name: 'Engineering',
      description: 'Builds the pumps.',
      members: ['mira', 'dev'],
      labels: ['Hardware'],
    },
    {
      key: 'OPS',
      name: 'Operations',
      description: 'Keeps things running.',
      members: ['mira', 'lucia'],
      labels: [],
    },
  ],
  projects: [
    { key: 'quiet', name: 'Quiet pump', description: 'A pump that nobody hears.', state: 'started' },
    { key: 'later', name: 'Solar pump', description: 'Not yet.', state: 'planned' },
  ],
  issues: [
    issue('leak', 'ENG', 'Pump leaks at 3 bar', {
      description: 'Seen **twice** in the lab.',
      priority: 1,
      state: 'in_progress',
      createdAt: '2026-02-10T10:00:00Z',
      assignee: 'dev',
      creator: 'mira',
      labels: ['Bug', 'Hardware'],
      project: 'quiet',
      comments: [
        comment('2026-02-12T09:00:00Z', 'mira', 'Any news, @dev?'),
        comment('2026-02-13T09:00:00Z', 'dev', 'A new seal is on its way.'),
      ],
    }),
    issue('noise', 'ENG', 'Motor is too noisy', {
      priority: 3,
      createdAt: '2026-02-11T10:00:00Z',
      project: 'quiet',
      labels: ['Improvement'],
    }),
    issue('invoice', 'OPS', 'Pay the sealing supplier', {
      description: 'The invoice is due.',
      state: 'done',
      createdAt: '2026-02-12T10:00:00Z',
      updatedAt: '2026-02-20T10:00:00Z',
      assignee: 'lucia',
      labels: ['Feature'],
    }),
    issue('review', 'ENG', 'Review the CAD model', {
      state: 'in_review',
      priority: 2,
      createdAt: '2026-02-13T10:00:00Z',
      assignee: 'mira',
      comments: [comment('2026-02-15T09:00:00Z', 'dev', 'Ready for you, @mira.')],
    }),
    issue('dropped', 'OPS', 'Order brass fittings', {
      state: 'canceled',
      createdAt: '2026-02-14T10:00:00Z',
    }),
  ],
}

export const post = (
  query: string,
  credential: string | undefined,
  variables: Record<string, unknown> = {},
  extra: Record<string, unknown> = {},
): TwinRequest => ({
  method: 'POST',
  path: '/graphql',
  query: '',
  headers: {
    'content-type': 'application/json',
    ...(credential === undefined ? {} : { authorization: credential }),
  },
  body: Buffer.from(JSON.stringify({ query, variables, ...extra })),
  baseUrl: 'http://twin.example',
})

const seed = seedFor(tracker, section)
/** The same section with two agents, of which one cannot be delegated issues. */
export const withAgents = {
  ...section,
  apps: [
    {
      key: 'helper',
      name: 'Helper Bot',
      redirectUris: ['https://helper.example/callback'],
      webhookUrl: 'https://helper.example/hook',
    },
    { key: 'reader', name: 'Reader', scopes: ['read' as const, 'app:mentionable' as const] },
  ],
}
const agentSeed = seedFor(tracker, trackerSection.parse(withAgents))
export const startAgents = () => startTracker(agentSeed)

/** The native id that a key of the section became. */
export const idOf = (key: string): string => {
  const found = seed.seed.keys.find((one) => one.key === key)
  if (!found) throw new Error(`the section has no ${key}`)
  return found.id
}

/** A separate tracker, called in process. Answers are parsed, and a bug in the twin is thrown. */
export const startTracker = (from = seed) => {
  const { instance, token, tokens } = startInstance(from)
  const clock = { now: testCompany.clock }
  const send = (request: TwinRequest) => {
    const { step, failure } = instance.handle(request, clock.now)
    if (failure !== undefined) throw failure
    const text = Buffer.from(step.reply.body).toString()
    return { status: step.reply.status, headers: step.reply.headers, body: JSON.parse(text || 'null'), step }
  }
  const ask = (query: string, variables: Record<string, unknown> = {}, as: string = token) =>
    send(post(query, as, variables))
  /** The data of an answer that must have no errors. */
  const data = (query: string, variables: Record<string, unknown> = {}, as: string = token) => {
    const { body } = ask(query, variables, as)
    if (body.errors) throw new Error(JSON.stringify(body.errors))
    return body.data
  }
  return { instance, token, tokens, clock, send, ask, data }
}
