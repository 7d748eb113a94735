// Works in turns: it does what it can, ends, and is started again when somebody has answered it.
import { answerFrom, answersIn, wait, writeTo } from '../moving.mjs'
import { comment, issues, linear, soql, stateId, update, updateIssue, work } from '../services.mjs'

const turn = Number(process.env.SVC_TURN ?? '1')

const approveLift = async () => {
  const [issue] = await issues({ title: { contains: 'lift motor' } })
  if (turn === 1) {
    await comment(issue.id, 'Please approve the repair of the lift motor for 9,800 EUR.')
    return 'I have asked for the approval.'
  }
  const { comments } = await linear(
    'query ($id: ID!) { comments(filter: { issue: { id: { eq: $id } } }, first: 50) { nodes { body } } }',
    { id: issue.id },
  )
  if (!comments.nodes.some(({ body }) => /^Approved/.test(body))) return 'Nobody has approved it yet.'
  await updateIssue(issue.id, { stateId: stateId(issue, 'In Progress') })
  return 'It is approved and in progress.'
}

const keepAppointment = async () => {
  const [found] = await soql("SELECT Id FROM Case WHERE Account.Name = 'Maaskade 12'")
  const said = await soql(
    `SELECT CommentBody FROM CaseComment WHERE ParentId = '${found.Id}' ORDER BY CreatedDate DESC`,
  )
  const [, day = 'Wednesday'] = /has to be (\w+)/.exec(said[0]?.CommentBody ?? '') ?? []
  await update('Case', found.Id, { Subject: `Boiler: visit on ${day}` })
  return `The visit is on ${day}.`
}

const findContractor = async () => {
  const oskar = await writeTo('oskar@thornbury.example', 'Who has the contract for the roof?')
  await answerFrom(oskar, /contract is with/)
  for (let told = await wait('2h'); told.length > 0; ) told = await wait('2h')
  const said = (await answersIn(oskar)).filter((text) => /contract is with/.test(text))
  const [, name] = /contract is with ([^.]+)\./.exec(said.at(-1))
  const [issue] = await issues({ title: { contains: 'roof' } })
  await comment(issue.id, `${name} has the contract.`)
  return `${name} repairs the roof.`
}

await work([
  [/lift motor/, approveLift],
  [/boiler/, keepAppointment],
  [/roof/, findContractor],
])
