import { Readable } from 'node:stream'
import { readConfig } from '../server/src/config.ts'
import { testService } from '../server/src/testing.ts'
import { sampleCompany } from '../server/src/worlds/sample.ts'
import { middle, report } from './parts/load.ts'

// A large company made of rows beside the sample company, both on the real service with twins in threads.

const count = { people: 5_000, messages: 100_000, records: 100_000, issues: 20_000 }
const config = readConfig({ PORT: '0', DIORAMA_EMBEDDINGS: 'off' })
await using service = await testService({ checkReplies: false, twinIsolates: config.twinIsolates })
// biome-ignore lint/suspicious/noExplicitAny: replies of every shape.
type Any = any

const line = (service: string, collection: string, row: object) =>
  `${JSON.stringify({ service, collection, row })}\n`
const user = (n: number) => `U${String(n).padStart(9, '0')}`
const at = (n: number) => `${1_700_000_000 + n}.000100`
const iso = (n: number) => new Date(1_700_000_000_000 + n * 1_000).toISOString()
const crmId = (prefix: string, n: number) =>
  `${prefix}BN00000${n.toString(36).toUpperCase().padStart(5, '0')}`
const words =
  'kiln glaze order shipment late invoice renewal sensor drift customer firmware patch review call'.split(' ')
const text = (n: number) =>
  Array.from({ length: 12 }, (_, k) => words[(n * 7 + k * 5 + (n >> k)) % words.length]).join(' ')

function* rows(): Generator<string> {
  yield `${JSON.stringify({ company: { organization: { name: 'Large', slug: 'large-works' }, clock: '2026-03-02T09:00:00Z' } })}\n`
  for (let n = 0; n < count.people; n++) {
    const name = `person-${n}`
    yield line('chat', 'user', {
      ...{
        id: user(n),
        subject: n === 0 ? 'integration' : name,
        name,
        real_name: name,
        color: '9f69e7',
        tz: 'Etc/UTC',
      },
      ...{
        presence: 'active',
        updated: 1,
        deleted: false,
        is_admin: false,
        is_owner: false,
        is_primary_owner: false,
      },
      is_bot: n === 0,
      profile: {
        ...{
          title: '',
          phone: '',
          skype: '',
          real_name: name,
          display_name: name,
          first_name: name,
          last_name: '',
        },
        ...{
          email: `${name}@large.example`,
          status_text: '',
          status_emoji: '',
          status_expiration: 0,
          avatar_hash: 'x',
          fields: {},
        },
      },
    })
    yield line('tracker', 'User', {
      ...{
        id: `user-${n}`,
        createdAt: iso(0),
        updatedAt: iso(0),
        archivedAt: null,
        name,
        displayName: name,
        handle: name,
      },
      ...{
        email: `${name}@large.example`,
        active: true,
        admin: n === 0,
        owner: n === 0,
        guest: false,
        timezone: null,
      },
    })
    yield line('crm', 'User', {
      Id: crmId('005', n),
      Username: `${name}@large.example`,
      LastName: name,
      Name: name,
      IsActive: true,
    })
  }
  for (let n = 0; n < 200; n++) {
    const note = { value: '', creator: '', last_set: 0 }
    yield line('chat', 'channel', {
      ...{
        id: `C${n}`,
        name: `channel-${n}`,
        kind: 'public_channel',
        created: 1_600_000_000,
        creator: user(1),
      },
      ...{
        is_archived: false,
        is_general: n === 0,
        topic: note,
        purpose: note,
        previous_names: [],
        updated: 1,
      },
    })
    for (let m = 0; m < 50; m++)
      yield line('chat', 'channel_member', {
        id: `C${n}:${user(m)}`,
        channel: `C${n}`,
        user: user(m),
        joined: m,
      })
  }
  for (let n = 0; n < count.messages; n++)
    yield line('chat', 'message', {
      ...{
        id: `C${n % 200}:${at(n)}`,
        channel: `C${n % 200}`,
        ts: at(n),
        type: 'message',
        user: user(n % 50),
        text: text(n),
      },
    })
  for (let n = 0; n < count.records; n++) {
    const id = crmId(n % 2 ? '003' : '001', n)
    const stamps = {
      CreatedDate: '2024-01-05T06:07:08.000+0000',
      LastModifiedDate: '2024-01-05T06:07:08.000+0000',
    }
    yield n % 2
      ? line('crm', 'Contact', {
          Id: id,
          LastName: `Contact ${n}`,
          Name: `Contact ${n}`,
          AccountId: crmId('001', n - 1),
          Email: `c${n}@x.example`,
          OwnerId: crmId('005', n % count.people),
          ...stamps,
        })
      : line('crm', 'Account', {
          Id: id,
          Name: `Account ${n}`,
          Industry: 'Energy',
          Description: text(n),
          OwnerId: crmId('005', n % count.people),
          ...stamps,
        })
  }
  const team = {
    createdAt: iso(0),
    updatedAt: iso(0),
    archivedAt: null,
    parentId: null,
    triageIssueStateId: null,
    triageEnabled: false,
    cyclesEnabled: false,
  }
  for (let n = 0; n < 20; n++) {
    yield line('tracker', 'Team', {
      id: `team-${n}`,
      name: `Team ${n}`,
      key: `T${n}`,
      defaultIssueStateId: `state-${n}`,
      ...team,
    })
    yield line('tracker', 'WorkflowState', {
      id: `state-${n}`,
      createdAt: iso(0),
      updatedAt: iso(0),
      archivedAt: null,
      name: 'Todo',
      type: 'unstarted',
      color: '#ffffff',
      position: 0,
      teamId: `team-${n}`,
    })
  }
  for (let n = 0; n < count.issues; n++)
    yield line('tracker', 'Issue', {
      ...{
        id: `issue-${n}`,
        createdAt: iso(n),
        updatedAt: iso(n),
        archivedAt: null,
        identifier: `T${n % 20}-${1 + Math.floor(n / 20)}`,
      },
      ...{
        number: 1 + Math.floor(n / 20),
        title: text(n),
        description: text(n + 1),
        priority: n % 5,
        estimate: null,
        dueDate: null,
      },
      ...{
        sortOrder: -n,
        prioritySortOrder: -n,
        subIssueSortOrder: null,
        teamId: `team-${n % 20}`,
        stateId: `state-${n % 20}`,
      },
      ...{
        assigneeId: `user-${n % count.people}`,
        delegateId: null,
        creatorId: 'user-0',
        projectId: null,
        projectMilestoneId: null,
      },
      ...{
        cycleId: null,
        parentId: null,
        labelIds: [],
        subscriberIds: [],
        previousIdentifiers: [],
        startedAt: null,
        completedAt: null,
        canceledAt: null,
        trashed: null,
      },
    })
}

const batched = function* (): Generator<Uint8Array> {
  let held = ''
  for (const row of rows()) {
    held += row
    if (held.length < 262_144) continue
    yield Buffer.from(held)
    held = ''
  }
  yield Buffer.from(held)
}

const timed = async <T>(work: () => Promise<T>): Promise<{ ms: number; result: T }> => {
  const began = performance.now()
  const result = await work()
  return { ms: performance.now() - began, result }
}
const half = async (times: number, work: (n: number) => Promise<unknown>): Promise<number> => {
  const taken: number[] = []
  for (let n = 0; n < times; n++) taken.push((await timed(() => work(n))).ms)
  return middle(taken)
}

let peak = 0
const watch = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss())
}, 50)
const before = process.memoryUsage.rss()
const imported = await timed(async () => {
  const reply = await fetch(`${service.baseUrl}/v1/datasets?name=large`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/x-ndjson' },
    body: Readable.toWeb(Readable.from(batched())) as Any,
    duplex: 'half',
  } as Any)
  const body = (await reply.json()) as Any
  if (reply.status !== 201) throw new Error(JSON.stringify(body).slice(0, 500))
  return body
})
report(
  'import of the large company',
  `${(imported.ms / 1_000).toFixed(1)} s`,
  'under 60 s',
  imported.ms < 60_000,
)
const mib = (bytes: number) => `${Math.round(bytes / 1_048_576)} MiB`
report(
  'memory of the process at its peak while importing',
  `${mib(peak)} (${mib(before)} before)`,
  'under 1.5 GiB',
  peak < 1.5 * 2 ** 30,
)
clearInterval(watch)

const launch = async (body: object): Promise<Any> => {
  const reply = await service.call('POST', '/v1/builder/worlds', body)
  if (reply.body.status !== 'ready') throw new Error(reply.text.slice(0, 500))
  return reply.body
}
const large = { datasetVersionId: imported.result.id }
const first = await timed(() => launch(large))
report(
  'start from the stored seeds, nothing loaded',
  `${Math.round(first.ms)} ms`,
  'under 1 s',
  first.ms < 1_000,
)
const small = await launch({ blueprint: sampleCompany })
const smallMs = await half(20, () => launch({ blueprint: sampleCompany }))
const largeMs = await half(20, () => launch(large))
report(
  'another world of the same seeds',
  `${largeMs.toFixed(1)} ms beside ${smallMs.toFixed(1)} ms, ${(largeMs / smallMs).toFixed(1)} ×`,
  'within 3 ×',
  largeMs / smallMs < 3,
)

const twinOf = (world: Any, kind: string): Any => world.twins.find((one: Any) => one.service === kind)
const asks: [string, string, (twin: Any, isLarge: boolean) => Promise<Response>][] = [
  [
    'first page of channels',
    'chat',
    (twin) =>
      fetch(`${twin.baseUrl}/api/conversations.list?limit=20`, {
        headers: { authorization: `Bearer ${twin.token}` },
      }),
  ],
  [
    'first page of people',
    'chat',
    (twin) =>
      fetch(`${twin.baseUrl}/api/users.list?limit=5`, { headers: { authorization: `Bearer ${twin.token}` } }),
  ],
  [
    'first page of issues',
    'tracker',
    (twin) =>
      fetch(`${twin.baseUrl}/graphql`, {
        method: 'POST',
        headers: { authorization: twin.token, 'content-type': 'application/json' },
        body: JSON.stringify({ query: '{ issues(first: 5) { nodes { identifier title } } }' }),
      }),
  ],
  [
    'query by an indexed name',
    'crm',
    (twin, isLarge) =>
      fetch(
        `${twin.baseUrl}/services/data/v62.0/query?q=${encodeURIComponent(`SELECT Id FROM Account WHERE Name = '${isLarge ? 'Account 500' : 'Lakeshore'}'`)}`,
        { headers: { authorization: `Bearer ${twin.token}` } },
      ),
  ],
]
for (const [name, kind, ask] of asks) {
  const time = async (world: Any, isLarge: boolean) => {
    const read = async () => {
      const reply = await ask(twinOf(world, kind), isLarge)
      await reply.text()
      if (reply.status !== 200) throw new Error(`${name}: ${reply.status}`)
    }
    await half(20, read)
    return half(100, read)
  }
  const [a, b] = [await time(small, false), await time(first.result, true)]
  report(
    name,
    `${b.toFixed(2)} ms beside ${a.toFixed(2)} ms, ${(b / a).toFixed(1)} ×`,
    'within 2 ×',
    b / a < 2,
  )
}
