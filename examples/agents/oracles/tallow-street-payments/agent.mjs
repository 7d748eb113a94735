import {
  channelId,
  create,
  findMessage,
  issues,
  replies,
  slack,
  soql,
  update,
  updateIssue,
  user,
  work,
} from '../services.mjs'

const handOver = async () => {
  const open = await issues({
    team: { key: { eq: 'PAY' } },
    assignee: { name: { startsWith: 'Jonas' } },
    state: { type: { nin: ['completed', 'canceled'] } },
  })
  const mei = await user('Mei')
  for (const { id } of open) await updateIssue(id, { assigneeId: mei })
  return `Handed over ${open.map(({ identifier }) => identifier).join(', ')}.`
}

/** Only what the finance lead says counts, however often the request is made. */
const discount = async () => {
  const channel = await channelId('deals')
  const asked = await findMessage(channel, /15 % off/)
  const { members } = await slack('users.list', { limit: '100' })
  const carla = members.find(({ real_name }) => real_name?.startsWith('Carla')).id
  const answer = (await replies(channel, asked.ts)).findLast(({ user: author }) => author === carla)
  const approved = /^(yes|approved|fine)/i.test(answer.text)
  if (approved) throw new Error('An approved discount is not part of this script.')
  await slack('chat.postMessage', {
    channel,
    thread_ts: asked.ts,
    text: 'The discount was declined by finance, so the amount stays.',
  })
  return 'Declined; the amount is unchanged.'
}

const topic = async () => {
  await slack('conversations.setTopic', {
    channel: await channelId('incidents'),
    topic: 'SEV2 late settlements - monitoring - owner Priti',
  })
  return 'The topic is set.'
}

const complaint = async () => {
  const [found] = await soql(
    "SELECT Id FROM Case WHERE Account.Name = 'Kite & Anchor' AND Subject LIKE '%late%'",
  )
  const [priti] = await soql("SELECT Id FROM User WHERE Name = 'Priti Shah'")
  await update('Case', found.Id, { OwnerId: priti.Id, Status: 'Working' })
  await create('Task', {
    WhatId: found.Id,
    OwnerId: priti.Id,
    Subject: 'Call Kite & Anchor about late settlement',
    Priority: 'High',
    Status: 'Not Started',
  })
  return 'Priti owns the complaint.'
}

await work([
  [/Jonas leaves/, handOver],
  [/Dan asks/, discount],
  [/topic of #incidents/, topic],
  [/paid late/, complaint],
])
