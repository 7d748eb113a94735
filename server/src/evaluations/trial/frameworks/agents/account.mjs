import { readFileSync, writeFileSync } from 'node:fs'

/** The instruction of every agent here: with the time and the trial in it, which no two trials share. */
export const system = `You keep the accounts. It is ${new Date().toISOString()}, and this is ${process.env.SVC_TRIAL_ID}.`
export const instruction = readFileSync(process.env.INSTRUCTION_PATH ?? '', 'utf8')

/** The tool of every agent here: makes an account in the company's customer system, at its real host. */
export const createAccount = async ({ name }) => {
  const reply = await fetch(`${process.env.SVC_CRM_BASE_URL}/services/data/v62.0/sobjects/Account`, {
    method: 'POST',
    headers: { authorization: `Bearer ${process.env.SVC_CRM_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ Name: name }),
  })
  return `${reply.status} at ${Math.floor(Date.now() / 1_000)}`
}

export const parameters = {
  type: 'object',
  properties: { name: { type: 'string' } },
  required: ['name'],
  additionalProperties: false,
}
export const description = 'Creates an account.'

export const finish = (text) => writeFileSync(`${process.env.WORK_DIR}/output.txt`, text)
