// Requests a second over sixteen connections that stay open, then the time of single ones. It runs inside a trial as an
// agent and outside it as it is, so it depends on nothing but Node.
import { writeFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'

const { TARGET_URL, TARGET_TOKEN, WORK_DIR, SVC_CHAT_BASE_URL, SVC_CHAT_TOKEN } = process.env
const url = new URL(`${TARGET_URL ?? SVC_CHAT_BASE_URL}/api/auth.test`)
const headers = { authorization: `Bearer ${TARGET_TOKEN ?? SVC_CHAT_TOKEN}` }
const client = url.protocol === 'https:' ? https : http
const agent = new client.Agent({ keepAlive: true, maxSockets: 16 })

const one = () =>
  new Promise((resolve, reject) => {
    const outgoing = client.request(url, { agent, headers, method: 'POST' }, (reply) => {
      const first = performance.now()
      if (reply.statusCode !== 200) reject(new Error(`answered ${reply.statusCode}`))
      reply.resume().on('end', () => resolve(first))
    })
    outgoing.on('error', reject).end()
  })
const many = async (count) => {
  for (let n = 0; n < count; n++) await one()
}
const crowd = (count) => Promise.all(Array.from({ length: 16 }, () => many(count)))

await crowd(30)
const began = performance.now()
await crowd(200)
const perSecond = 3_200 / ((performance.now() - began) / 1_000)
const firsts = []
for (let n = 0; n < 300; n++) {
  const asked = performance.now()
  firsts.push((await one()) - asked)
}
agent.destroy()
const p50Ms = firsts.sort((a, b) => a - b)[150]
writeFileSync(`${WORK_DIR}/output.txt`, JSON.stringify({ perSecond, p50Ms }))
