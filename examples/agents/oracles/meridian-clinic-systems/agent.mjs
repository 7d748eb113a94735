import { channelId, findMessage, issues, linear, slack, soql, update, user, work } from '../services.mjs'

const closeShipped = async () => {
  const cases = await soql(
    "SELECT Id, CaseNumber FROM Case WHERE IsClosed = false AND (Subject LIKE '%Reminders%' OR Subject LIKE '%booked into one room%')",
  )
  for (const { Id } of cases) await update('Case', Id, { Status: 'Closed' })
  const numbers = cases.map(({ CaseNumber }) => CaseNumber).join(' and ')
  await slack('chat.postMessage', {
    channel: await channelId('support'),
    text: `Closed with release 7.4: ${numbers}.`,
  })
  return `Closed ${numbers}.`
}

const letters = async () => {
  const rota = await findMessage(await channelId('oncall'), /On call from today/)
  const { user: person } = await slack('users.info', { user: /<@(\w+)/.exec(rota.text)[1] })
  const [any] = await issues({ team: { key: { eq: 'PLAT' } } })
  const { issueLabels } = await linear('{ issueLabels(first: 50) { nodes { id name team { key } } } }')
  const label =
    issueLabels.nodes.find(({ name, team }) => name === 'Bug' && team?.key === 'PLAT') ??
    issueLabels.nodes.find(({ name, team }) => name === 'Bug' && !team)
  const { issueCreate } = await linear(
    'mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { issue { identifier } } }',
    {
      input: {
        teamId: any.team.id,
        title: 'Appointment letters fail for Brackenridge',
        description: 'No letters from any of the four sites since noon.',
        priority: 1,
        labelIds: [label.id],
        assigneeId: await user(person.profile.first_name ?? person.real_name.split(' ')[0]),
      },
    },
  )
  const channel = await channelId('support')
  const report = await findMessage(channel, /cannot send any appointment letters/)
  await slack('chat.postMessage', {
    channel,
    thread_ts: report.ts,
    text: `This is ${issueCreate.issue.identifier}.`,
  })
  return `Opened ${issueCreate.issue.identifier}.`
}

const count = async () => {
  const open = await soql(
    "SELECT Id FROM Case WHERE Account.Name = 'Brackenridge Hospitals' AND IsClosed = false",
  )
  return String(open.length)
}

const renewal = async () => {
  const [deal] = await soql("SELECT Id FROM Opportunity WHERE Name = 'Brackenridge Hospitals - Renewal 2026'")
  const note = await findMessage(await channelId('success'), /close date of their renewal/)
  const [day] = /\d{4}-\d{2}-\d{2}/.exec(note.text)
  const [, step] = /next step to "([^"]+)"/.exec(note.text.replaceAll('&quot;', '"'))
  await update('Opportunity', deal.Id, { CloseDate: day, NextStep: step })
  return `The renewal is expected on ${day}.`
}

await work([
  [/Release 7\.4 is out/, closeShipped],
  [/cannot send appointment letters/, letters],
  [/How many cases/, count],
  [/renewal because of the outage/, renewal],
])
