// An agent as it would run in production, on the vendors' own clients. Nothing in it knows of simulated companies.
import { readFile, writeFile } from 'node:fs/promises'
import { LinearClient } from '@linear/sdk'
import { WebClient } from '@slack/web-api'
import { Connection } from 'jsforce'

const need = (name: string): string => {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set`)
  return value
}

const slack = new WebClient(need('SLACK_BOT_TOKEN'))
const linear = new LinearClient({ apiKey: need('LINEAR_API_KEY') })
const salesforce = new Connection({
  instanceUrl: need('SF_INSTANCE_URL'),
  accessToken: need('SF_ACCESS_TOKEN'),
})

const escalate = async (): Promise<string> => {
  const [found] = await salesforce
    .sobject('Case')
    .find({ Subject: { $like: '%drift%' }, IsClosed: false }, ['Id', 'CaseNumber'])
  if (!found?.Id) throw new Error('there is no open case about drift')
  await salesforce.sobject('Case').update({ Id: found.Id, Status: 'Escalated' })
  const { channels = [] } = await slack.conversations.list({ limit: 200 })
  const channel = channels.find(({ name }) => name === 'support-escalations')?.id
  if (!channel) throw new Error('there is no channel support-escalations')
  await slack.chat.postMessage({ channel, text: `Case ${found.CaseNumber} is escalated.` })
  return `Escalated case ${found.CaseNumber}.`
}

const handOver = async (): Promise<string> => {
  const { nodes: issues } = await linear.issues({
    filter: { title: { eq: 'Turbidity baseline drifts after nine days' } },
    first: 1,
  })
  const { nodes: people } = await linear.users({ filter: { name: { startsWith: 'Aiko' } }, first: 1 })
  const [issue] = issues
  const [person] = people
  if (!issue || !person) throw new Error('the issue or the person is missing')
  const team = await issue.team
  const states = await team?.states()
  const moving = states?.nodes.find(({ name }) => name === 'In Progress')
  if (!moving) throw new Error('the team has no state In Progress')
  await issue.update({ assigneeId: person.id, stateId: moving.id, priority: 1 })
  return `Handed ${issue.identifier} over.`
}

const instruction = await readFile(need('INSTRUCTION_PATH'), 'utf8')
const answer = /escalated/i.test(instruction) ? await escalate() : await handOver()
await writeFile(`${need('WORK_DIR')}/output.txt`, answer)
