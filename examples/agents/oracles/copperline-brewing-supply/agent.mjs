import {
  channelId,
  findMessage,
  orderByPurchaseOrder,
  replies,
  slack,
  soql,
  update,
  updateOrder,
  work,
} from '../services.mjs'

const correctNumber = async () => {
  const channel = await channelId('orders')
  const said = await replies(channel, (await findMessage(channel, /cannot find our order/)).ts)
  const [, wrong, right] = said
    .map(({ text }) => /We typed (\S+), it should be (\S+?)\./.exec(text))
    .find((found) => found)
  const order = await orderByPurchaseOrder(wrong)
  await updateOrder(order.SalesOrder, { PurchaseOrderByCustomer: right })
  return `Order ${order.SalesOrder} now says ${right}.`
}

const followUp = async () => {
  const [lead] = await soql("SELECT Id FROM Lead WHERE Company = 'Ridgeback Ales'")
  await update('Lead', lead.Id, { Status: 'Working - Contacted' })
  await slack('chat.postMessage', {
    channel: await channelId('sales'),
    text: 'Ridgeback Ales is marked as contacted.',
  })
  return 'The lead is marked as contacted.'
}

const win = async () => {
  const channel = await channelId('sales')
  const said = await replies(channel, (await findMessage(channel, /Hollow Tree are close/)).ts)
  const signed = said.find(({ text }) => /Signed/.test(text))
  const amount = Number(/at ([\d,]+) in the end/.exec(signed.text)[1].replace(',', ''))
  const [deal] = await soql("SELECT Id FROM Opportunity WHERE Name = 'Hollow Tree Brewery - Brewhouse kit'")
  await update('Opportunity', deal.Id, { StageName: 'Closed Won', Amount: amount })
  return `Booked at ${amount}.`
}

await work([
  [/pale malt/, correctNumber],
  [/Ridgeback Ales/, followUp],
  [/Hollow Tree/, win],
])
