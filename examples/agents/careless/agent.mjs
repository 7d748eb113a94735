// The same access, used without care: it escalates every open case, guesses the stage, and tells nobody.
import { readFile, writeFile } from 'node:fs/promises'

const env = process.env
const instruction = await readFile(env.INSTRUCTION_PATH, 'utf8')

const salesforce = async (path, init = {}) => {
  const reply = await fetch(`${env.SF_INSTANCE_URL}/services/data/v62.0${path}`, {
    ...init,
    headers: { authorization: `Bearer ${env.SF_ACCESS_TOKEN}`, 'content-type': 'application/json' },
  })
  const text = await reply.text()
  return text === '' ? undefined : JSON.parse(text)
}
const soql = async (query) => (await salesforce(`/query?q=${encodeURIComponent(query)}`)).records

if (/escalated/i.test(instruction))
  for (const { Id } of await soql('SELECT Id FROM Case WHERE IsClosed = false'))
    await salesforce(`/sobjects/Case/${Id}`, {
      method: 'PATCH',
      body: JSON.stringify({ Status: 'Escalated' }),
    })

if (/renewal/i.test(instruction)) {
  const [deal] = await soql("SELECT Id FROM Opportunity WHERE Name = 'Calder Valley Water - Renewal 2026'")
  await salesforce(`/sobjects/Opportunity/${deal.Id}`, {
    method: 'PATCH',
    body: JSON.stringify({ StageName: 'Negotiation/Review' }),
  })
}

await writeFile(`${env.WORK_DIR}/output.txt`, 'All done!')
