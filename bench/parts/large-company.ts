/** A large company as rows: the same on every machine. */
const count = { people: 5_000, messages: 100_000, records: 100_000, issues: 20_000 }

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

function* people(): Generator<string> {
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
}

function* conversations(): Generator<string> {
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
}

function* records(): Generator<string> {
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
}

function* teams(): Generator<string> {
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
}

function* issues(): Generator<string> {
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

/** Every line of the upload, the company first. */
export function* rows(): Generator<string> {
  yield `${JSON.stringify({ company: { organization: { name: 'Large', slug: 'large-works' }, clock: '2026-03-02T09:00:00Z' } })}\n`
  yield* people()
  yield* conversations()
  yield* records()
  yield* teams()
  yield* issues()
}
