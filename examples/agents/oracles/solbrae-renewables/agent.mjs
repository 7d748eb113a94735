import {
  channelId,
  findMessage,
  issues,
  sap,
  sapDate,
  slack,
  soql,
  stateId,
  update,
  updateIssue,
  updateOrder,
  user,
  work,
} from '../services.mjs'

const dayBefore = (day) => new Date(Date.parse(`${day}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10)

const bearing = async () => {
  const news = await findMessage(await channelId('glen-orrin'), /Crane/)
  const day = dayBefore(/\d{4}-\d{2}-\d{2}/.exec(news.text)[0])
  const filter = encodeURIComponent("Material eq 'PITCH-BRG-90'")
  const [item] = (await sap(`/A_SalesOrderItem?$filter=${filter}`)).results
  await updateOrder(item.SalesOrder, { RequestedDeliveryDate: sapDate(day) })
  return `Order ${item.SalesOrder} is due on ${day}.`
}

const hatch = async () => {
  const [issue] = await issues({ title: { eq: 'Nacelle hatch rattles on turbine 7' } })
  const safety = issue.team.labels.nodes.find(({ name }) => name === 'Safety')
  await updateIssue(issue.id, {
    priority: 1,
    labelIds: [...issue.labels.nodes.map(({ id }) => id), safety.id],
    stateId: stateId(issue, 'In Progress'),
    assigneeId: await user('Omar'),
  })
  return `${issue.identifier} is treated as a hazard.`
}

const tender = async () => {
  const [deal] = await soql("SELECT Id FROM Opportunity WHERE Name = 'Corran Offshore - Blade tender'")
  await update('Opportunity', deal.Id, { StageName: 'Closed Lost' })
  const [found] = await soql(
    "SELECT Id FROM Case WHERE Subject LIKE '%tender documents%' AND IsClosed = false",
  )
  await update('Case', found.Id, { Status: 'Closed' })
  await slack('chat.postMessage', {
    channel: await channelId('tenders'),
    text: 'The Corran blade tender is closed lost.',
  })
  return 'The tender is out of the forecast.'
}

await work([
  [/pitch bearing/, bearing],
  [/loose hatch/, hatch],
  [/withdrawn its tender/, tender],
])
