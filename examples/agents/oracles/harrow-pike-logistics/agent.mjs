import {
  channelId,
  comment,
  findMessage,
  issues,
  orderByPurchaseOrder,
  replies,
  sapDate,
  slack,
  soql,
  stateId,
  update,
  updateIssue,
  updateOrder,
  work,
} from '../services.mjs'

/** Offers change within the thread; the last date that is called firm counts. */
const newDate = async () => {
  const channel = await channelId('dispatch')
  const question = await findMessage(channel, /NRD-5521/)
  const said = await replies(channel, question.ts)
  const firm = said.findLast(({ text }) => /firm/.test(text))
  const [day] = /\d{4}-\d{2}-\d{2}/.exec(firm.text)
  const order = await orderByPurchaseOrder('NRD-5521')
  await updateOrder(order.SalesOrder, { RequestedDeliveryDate: sapDate(day) })
  await slack('chat.postMessage', { channel, thread_ts: question.ts, text: `The order now says ${day}.` })
  return `Order ${order.SalesOrder} is due on ${day}.`
}

const warmPallets = async () => {
  const [found] = await soql(
    "SELECT Id, CaseNumber FROM Case WHERE Account.Name = 'Pellworth Pharma' AND Subject LIKE '%pallets%' AND IsClosed = false",
  )
  await update('Case', found.Id, { Status: 'Escalated', Priority: 'Critical' })
  const [issue] = await issues({ title: { eq: 'Temperature loggers miss the first hour' } })
  await comment(issue.id, `Likely cause of case ${found.CaseNumber}.`)
  return `Escalated ${found.CaseNumber}.`
}

const duplicate = async () => {
  const found = await issues({ team: { key: { eq: 'FLEET' } }, title: { containsIgnoreCase: 'door alarm' } })
  const [older, newer] = found.sort((a, b) => a.createdAt.localeCompare(b.createdAt))
  await updateIssue(newer.id, { stateId: stateId(newer, 'Canceled') })
  await comment(newer.id, `Duplicate of ${older.identifier}.`)
  return `${newer.identifier} is folded into ${older.identifier}.`
}

await work([
  [/NRD-5521/, newDate],
  [/warm pallets/, warmPallets],
  [/two issues for one fault/, duplicate],
])
