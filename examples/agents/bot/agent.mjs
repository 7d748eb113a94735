// A bot on Bolt for the companies that move: it asks people, and continues when they write to it. What no one
// writes about, it checks again later with a timer.
import { readFile, writeFile } from 'node:fs/promises'
import bolt from '@slack/bolt'
import {
  channelId,
  comment,
  erp,
  findMessage,
  issues,
  linear,
  orderByPurchaseOrder,
  sapDate,
  soql,
  stateId,
  update,
  updateIssue,
  updateOrder,
} from '../oracles/services.mjs'

const { INSTRUCTION_PATH, WORK_DIR, SLACK_BOT_TOKEN, SLACK_SIGNING_SECRET, PORT } = process.env
const hour = 3_600_000
const app = new bolt.App({ token: SLACK_BOT_TOKEN, signingSecret: SLACK_SIGNING_SECRET })

/** What people have written to the bot, and who waits for it. */
const heard = []
let listeners = []
app.message(async ({ message }) => {
  heard.push(message)
  listeners = listeners.filter((listener) => !listener(message))
})

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const until = (isWanted) =>
  new Promise((resolve) => {
    listeners.push((message) => {
      if (!isWanted(message)) return false
      resolve(message)
      return true
    })
  })
const post = (channel, text) => app.client.chat.postMessage({ channel, text })

/** Asks a person, and waits for the first answer that fits; then so long for another one. */
const ask = async (email, text, pattern, correctsWithin = 0) => {
  const { user } = await app.client.users.lookupByEmail({ email })
  const fits = (message) => message.user === user.id && pattern.test(message.text)
  const answered = until(fits)
  await post(user.id, text)
  await answered
  if (correctsWithin > 0) await sleep(correctsWithin)
  return heard.findLast(fits).text
}

const approveDiscount = async () => {
  await ask(
    'dana@larkfield.example',
    'Do you approve a discount of 2,400 EUR for Osterby on OST-114?',
    /approved/i,
  )
  const { SalesOrder: number } = await orderByPurchaseOrder('OST-114')
  await updateOrder(number, { PurchaseOrderByCustomer: 'OST-114-D' })
  await post(await channelId('orders'), 'The discount on OST-114 is approved.')
}

const confirmAtEleven = async () => {
  await sleep(Math.max(0, Date.parse('2026-06-02T11:00:00Z') - Date.now()))
  const orders = await channelId('orders')
  const { text } = await findMessage(orders, /FEN-77|Fennick/)
  const [, quantity] = /(?:want |: )(\d+) pumps/.exec(text)
  const { SalesOrder: number } = await orderByPurchaseOrder('FEN-77')
  const item = `odata/sap/API_SALES_ORDER_SRV/A_SalesOrderItem(SalesOrder='${number}',SalesOrderItem='10')`
  await erp(item, { method: 'PATCH', body: { RequestedQuantity: quantity } })
  await post(orders, `FEN-77 is confirmed with ${quantity} pumps.`)
}

const dayOfTruck = async () => {
  const said = await ask(
    'gus@larkfield.example',
    'When does the truck to Harcastle leave?',
    /leaves on/,
    3 * hour,
  )
  const [, day] = /leaves on (\d+ \w+ \d{4})/.exec(said)
  const { SalesOrder: number } = await orderByPurchaseOrder('HAR-9')
  const date = new Date(`${day} UTC`).toISOString().slice(0, 10)
  await updateOrder(number, { RequestedDeliveryDate: sapDate(date) })
}

const approveLift = async () => {
  const [issue] = await issues({ title: { contains: 'lift motor' } })
  await comment(issue.id, 'Please approve the repair of the lift motor for 9,800 EUR.')
  const query =
    'query ($id: ID!) { comments(filter: { issue: { id: { eq: $id } } }, first: 50) { nodes { body } } }'
  const isApproved = async () =>
    (await linear(query, { id: issue.id })).comments.nodes.some(({ body }) => /^Approved/.test(body))
  for (let looks = 0; looks < 24 && !(await isApproved()); looks++) await sleep(hour / 2)
  await updateIssue(issue.id, { stateId: stateId(issue, 'In Progress') })
}

const keepAppointment = async () => {
  const [found] = await soql("SELECT Id FROM Case WHERE Account.Name = 'Maaskade 12'")
  const changed = until(({ text }) => /boiler case has changed/.test(text))
  await update('Case', found.Id, { Subject: 'Boiler: visit on Wednesday' })
  await changed
  const [{ CommentBody }] = await soql(
    `SELECT CommentBody FROM CaseComment WHERE ParentId = '${found.Id}' ORDER BY CreatedDate DESC LIMIT 1`,
  )
  const [, day] = /has to be (\w+)/.exec(CommentBody)
  await update('Case', found.Id, { Subject: `Boiler: visit on ${day}` })
}

const findContractor = async () => {
  const said = await ask(
    'oskar@thornbury.example',
    'Who has the contract for the roof?',
    /contract is with/,
    2 * hour,
  )
  const [, name] = /contract is with ([^.]+)\./.exec(said)
  const [issue] = await issues({ title: { contains: 'roof' } })
  await comment(issue.id, `${name} has the contract.`)
}

const jobs = [
  [/OST-114/, approveDiscount],
  [/FEN-77/, confirmAtEleven],
  [/Harcastle/, dayOfTruck],
  [/lift motor/, approveLift],
  [/boiler/, keepAppointment],
  [/roof/, findContractor],
]

await app.start(PORT)
const instruction = await readFile(INSTRUCTION_PATH, 'utf8')
const [, job] = jobs.find(([pattern]) => pattern.test(instruction))
await job()
await writeFile(`${WORK_DIR}/output.txt`, 'Done.')
