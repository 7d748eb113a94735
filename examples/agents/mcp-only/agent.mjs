// A command that knows nothing but the Model Context Protocol.
import { readFile, writeFile } from 'node:fs/promises'
import { work } from './work.mjs'

const { env } = process
const servers = Object.fromEntries(
  ['chat', 'tracker', 'crm', 'erp'].map((kind) => [
    kind,
    { url: env[`SVC_${kind.toUpperCase()}_MCP_URL`], token: env[`SVC_${kind.toUpperCase()}_TOKEN`] },
  ]),
)
const answer = await work(await readFile(env.INSTRUCTION_PATH, 'utf8'), servers)
await writeFile(`${env.WORK_DIR}/output.txt`, answer)
