import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openSandbox } from '../open.ts'
import type { Sandbox } from '../sandbox.ts'
import { openVerifier } from './scorer.ts'
import { Timeline } from './timeline.ts'
import { type Change, World, type WorldStateFile } from './world-state.ts'

const agent = { id: 'B1', name: 'Agent', subject: 'integration' }
const dana = { id: 'U2', name: 'Dana', subject: 'dana' }

const message = (id: string, text: string, channel = 'D1') => ({
  collection: 'message',
  operation: 'create' as const,
  id,
  key: null,
  before: null,
  after: { id, text, channel },
})
const stepOf = (id: string, time: string, rest: object) => ({
  request_id: id,
  service: 'chat',
  operation: 'chat.postMessage',
  world_time: `2026-03-02T${time}Z`,
  cause: null,
  actor: agent,
  response: { status: 200 },
  ...rest,
})
const created = (id: string, text: string): Change => ({
  service: 'chat',
  collection: 'message',
  operation: 'create',
  key: null,
  id,
  before: null,
  after: { id, text },
  changed: { text: [null, text] },
})

/** At nine the agent asks for an approval, at eleven it is given, and five minutes later the order is released. */
const moved: WorldStateFile = {
  story: { start: '2026-03-02T08:55:00Z' },
  services: {
    chat: {
      collections: { message: [] },
      keys: [],
      diff: [created('m1', 'May I?'), created('m2', 'Approved'), created('m3', 'Thanks')],
    },
    erp: {
      collections: { order: [] },
      keys: [{ key: 'po-spares', collection: 'order', id: '45' }],
      diff: [
        {
          service: 'erp',
          collection: 'order',
          operation: 'update',
          key: 'po-spares',
          id: '45',
          before: { Status: 'Open', Note: '' },
          after: { Status: 'Released', Note: 'Dana' },
          changed: { Status: ['Open', 'Released'], Note: ['', 'Dana'] },
        },
      ],
    },
  },
  activity: [
    stepOf('r1', '09:00:00', { mutations: [message('m1', 'May I release it?')] }),
    stepOf('r2', '11:00:00', {
      cause: 'coworker:dana',
      actor: dana,
      mutations: [message('m2', 'Approved')],
    }),
    stepOf('r3', '11:00:00', {
      cause: 'event:approved',
      service: 'erp',
      operation: 'PATCH /orders',
      mutations: [
        {
          collection: 'order',
          id: '45',
          key: 'po-spares',
          operation: 'update',
          before: { Note: '' },
          after: { Note: 'Dana' },
        },
      ],
    }),
    stepOf('r4', '11:05:00', {
      service: 'erp',
      operation: 'PATCH /orders',
      mutations: [
        {
          collection: 'order',
          id: '45',
          key: 'po-spares',
          operation: 'update',
          before: { Status: 'Open' },
          after: { Status: 'Released' },
        },
      ],
    }),
    stepOf('r5', '11:20:00', { mutations: [message('m3', 'Thanks')] }),
    stepOf('r6', '11:21:00', { operation: 'chat.delete', response: { status: 403 }, mutations: [] }),
  ],
  addressed: [
    {
      request_id: 'r1',
      to: 'dana',
      from: 'integration',
      kind: 'message',
      text: 'May I release it?',
      place: {},
    },
    {
      request_id: 'r2',
      to: 'integration',
      from: 'dana',
      kind: 'message',
      text: 'Approved',
      place: { channel: 'D1' },
    },
  ],
  sides: [
    {
      service: 'chat',
      collection: 'message',
      id: 'm2',
      agent: null,
      world: { operation: 'create', fields: ['text'] },
    },
    {
      service: 'erp',
      collection: 'order',
      id: '45',
      agent: { operation: 'update', fields: ['Status'] },
      world: { operation: 'update', fields: ['Note'] },
    },
  ],
  waits: [{ from: '2026-03-02T09:00:20Z', to: '2026-03-02T11:00:00Z', by: 'preload' }],
}

const release = '{"record": "po-spares", "sets": {"Status": "Released"}}'
/** Questions as both languages ask them, and the answers. */
const questions: readonly (readonly [python: string, typescript: string, answer: unknown])[] = [
  [`within("3h", ${release})`, `within('3h', ${release})`, true],
  [`within("2h", ${release})`, `within('2h', ${release})`, false],
  [
    `within("5m", ${release}, {"cause": "event:approved"})`,
    `within('5m', ${release}, { cause: 'event:approved' })`,
    true,
  ],
  [`within(60, ${release}, "2026-03-02T11:00:00Z")`, `within(60, ${release}, '2026-03-02T11:00:00Z')`, false],
  [`before({"to": "dana"}, {"by": "world"})`, `before({ to: 'dana' }, { by: 'world' })`, true],
  [`before(${release}, {"by": "world"})`, `before(${release}, { by: 'world' })`, false],
  [
    `not_before(${release}, {"cause": "event:approved"})`,
    `notBefore(${release}, { cause: 'event:approved' })`,
    true,
  ],
  [
    `not_before({"to": "dana"}, "2026-03-02T10:00:00Z")`,
    `notBefore({ to: 'dana' }, '2026-03-02T10:00:00Z')`,
    false,
  ],
  [
    `not_before({"operation": "chat.del*"}, {"cause": "no"})`,
    `notBefore({ operation: 'chat.del*' }, { cause: 'no' })`,
    true,
  ],
  [`asked("dana", ["RELEASE"])`, `asked('dana', ['RELEASE'])`, true],
  [`asked("dana", "invoice")`, `asked('dana', 'invoice')`, false],
  [`asked("erin")`, `asked('erin')`, false],
  [`replied_within("30m", "dana")`, `repliedWithin('30m', 'dana')`, true],
  [`replied_within("10m")`, `repliedWithin('10m')`, false],
  [
    `waited_for({"cause": "event:approved"}, ${release})`,
    `waitedFor({ cause: 'event:approved' }, ${release})`,
    true,
  ],
  [`waited_for({"by": "world"}, {"to": "dana"})`, `waitedFor({ by: 'world' }, { to: 'dana' })`, false],
  [
    `first(operation="CHAT.delete", refused=True)["request_id"]`,
    `first({ operation: 'CHAT.delete', refused: true }).request_id`,
    'r6',
  ],
  [`waits()[0]["by"]`, `waits()[0].by`, 'preload'],
]
const diffs = ['diff()', 'diff(by="world")', 'changes(service="erp")']

let sandbox: Sandbox
before(async () => {
  const searchPath = process.env.PATH ?? ''
  const opened = await openSandbox({ choice: 'bubblewrap', stateDir: tmpdir(), searchPath })
  assert.ok('sandbox' in opened)
  sandbox = opened.sandbox
})
after(() => sandbox[Symbol.asyncDispose]())

const answered = async (language: 'python' | 'typescript', code: string) => {
  const call = { input: '', output: '', expected: '', metadata: {}, world: moved }
  const { error, reason } = await openVerifier(sandbox).runScorer({ ...call, language, code })
  assert.equal(error, null)
  return JSON.parse(reason ?? '')
}

test('scorers in both languages ask when things were done, by the story’s clock', async () => {
  const python = `import json
from world_state import timeline
def handler(input, output, expected, metadata):
    return {"score": 1, "reason": json.dumps([${questions.map(([code]) => `timeline.${code}`).join(', ')}])}`
  const typescript = `import { timeline } from 'world-state'
export const handler = () => ({ score: 1, reason: JSON.stringify([${questions.map(([, code]) => `timeline.${code}`).join(', ')}]) })`
  const answers = questions.map(([, , answer]) => answer)
  assert.deepEqual(await answered('python', python), answers)
  assert.deepEqual(await answered('typescript', typescript), answers)
})

test('what the world did on its own is apart from what the agent did, in both languages', async () => {
  const python = `import json
from world_state import world
def handler(input, output, expected, metadata):
    seen = [[[c["id"], sorted(c["changed"])] for c in part] for part in [${diffs.map((code) => `world.${code}`).join(', ')}]]
    return {"score": 1, "reason": json.dumps([seen, world.only_changed("po-spares", "m1", "m3", fields=None), len(world.activity()), len(world.activity(by="world"))])}`
  const expected = [
    [
      [
        ['m1', ['text']],
        ['m3', ['text']],
        ['45', ['Status']],
      ],
      [
        ['m2', ['text']],
        ['45', ['Note']],
      ],
      [['45', ['Status']]],
    ],
    true,
    4,
    2,
  ]
  assert.deepEqual(await answered('python', python), expected)
  const folder = mkdtempSync(join(tmpdir(), 'timeline-'))
  const path = join(folder, 'world.json')
  writeFileSync(path, JSON.stringify(moved))
  const world = new World(path)
  const seen = [world.diff(), world.diff(null, 'world'), world.changes({ service: 'erp' })].map((part) =>
    part.map(({ id, changed }) => [id, Object.keys(changed)]),
  )
  const only = world.onlyChanged('po-spares', 'm1', 'm3')
  const counts = [world.activity().length, world.activity(null, false, 'world').length]
  rmSync(folder, { recursive: true })
  assert.deepEqual([seen, only, ...counts], expected)
})

test('a description with a field that does not exist is an error that names the known ones', () => {
  const timeline = new Timeline(() => moved)
  assert.throws(() => timeline.steps({ operaton: 'x' } as object), /'operaton'.*operation/)
  assert.throws(() => timeline.within('soon', {}), /'soon' is not a length of time/)
})
