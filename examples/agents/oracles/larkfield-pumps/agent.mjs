import { answerFrom, answersIn, storyNow, wait, writeTo } from '../moving.mjs'
import {
  channelId,
  erp,
  findMessage,
  orderByPurchaseOrder,
  sapDate,
  slack,
  updateOrder,
  work,
} from '../services.mjs'

const approveDiscount = async () => {
  const dana = await writeTo(
    'dana@larkfield.example',
    'Do you approve a discount of 2,400 EUR for Osterby on OST-114?',
  )
  await answerFrom(dana, /approved/i)
  const order = await orderByPurchaseOrder('OST-114')
  await updateOrder(order.SalesOrder, { PurchaseOrderByCustomer: 'OST-114-D' })
  await slack('chat.postMessage', {
    channel: await channelId('orders'),
    text: 'The discount on OST-114 is approved.',
  })
  return 'Dana approved the discount.'
}

const confirmAtEleven = async () => {
  const eleven = Date.parse('2026-06-02T11:00:00Z')
  const left = eleven - (await storyNow())
  if (left > 0) await wait(`${Math.ceil(left / 1_000)}s`, false)
  const orders = await channelId('orders')
  const { text } = await findMessage(orders, /FEN-77|Fennick/)
  const quantity = /(?:want |: )(\d+) pumps/.exec(text)[1]
  const { SalesOrder: number } = await orderByPurchaseOrder('FEN-77')
  const item = `odata/sap/API_SALES_ORDER_SRV/A_SalesOrderItem(SalesOrder='${number}',SalesOrderItem='10')`
  await erp(item, { method: 'PATCH', body: { RequestedQuantity: quantity } })
  await slack('chat.postMessage', { channel: orders, text: `FEN-77 is confirmed with ${quantity} pumps.` })
  return `Confirmed ${quantity} pumps.`
}

const dayOfTruck = async () => {
  const gus = await writeTo('gus@larkfield.example', 'When does the truck to Harcastle leave?')
  await answerFrom(gus, /leaves on/)
  await wait('3h')
  const said = (await answersIn(gus)).filter((text) => /leaves on/.test(text))
  const [, day] = /leaves on (\d+ \w+ \d{4})/.exec(said.at(-1))
  const date = new Date(`${day} UTC`).toISOString().slice(0, 10)
  const order = await orderByPurchaseOrder('HAR-9')
  await updateOrder(order.SalesOrder, { RequestedDeliveryDate: sapDate(date) })
  return `The truck leaves on ${date}.`
}

await work([
  [/OST-114/, approveDiscount],
  [/FEN-77/, confirmAtEleven],
  [/Harcastle/, dayOfTruck],
])
