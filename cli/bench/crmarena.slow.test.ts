import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { createClient } from '@diorama/sdk/index.ts'
import { testService } from '../../server/src/testing.ts'
import { eventually } from '../../test/eventually.ts'
import { crmarena } from './crmarena.ts'
import { readReport } from './report.ts'

const account = '001ON00000Kb2cBYAR'
/** Asks the CRM for the account that the question names, and ends with its id. */
const agent = `
const { SVC_CRM_BASE_URL: base, SVC_CRM_TOKEN: token } = process.env
const query = encodeURIComponent("SELECT Id FROM Account WHERE Name = 'Voss Pottery'")
const reply = await fetch(base + '/services/data/v62.0/query?q=' + query, { headers: { authorization: 'Bearer ' + token } })
const { records } = await reply.json()
const { writeFileSync } = await import('node:fs')
writeFileSync(process.env.WORK_DIR + '/output.txt', 'I looked.\\n' + records[0].Id)
`

describe('questions about a CRM, from files of the benchmark’s shape', () => {
  it('become a proved suite; an agent that answers one of two has half of the points', async () => {
    await using service = await testService()
    const folder = await mkdtemp(join(tmpdir(), 'diorama-crmarena-'))
    const database = new DatabaseSync(join(folder, 'org.db'))
    database.exec(`create table User (Id text, Username text, LastName text, IsActive integer);
      insert into User values ('005ON00000Ka1bAYAR', 'ada@ember.example', 'Ada', 1);
      create table Account (Id text, Name text, CreatedDate text);
      insert into Account values ('${account}', 'Voss Pottery', '2024-02-03T10:11:12.000+0000')`)
    database.close()
    const tasks = [
      { idx: 1, task: 'lookup', query: 'Which account is Voss Pottery?', answer: [account], metadata: {} },
      { idx: 2, task: 'lookup', query: 'In which month did it close?', answer: ['May'], metadata: {} },
    ]
    await writeFile(join(folder, 'tasks.json'), JSON.stringify(tasks))
    const client = createClient({ baseUrl: service.baseUrl, apiKey: service.key, timeoutMs: 300_000 })
    const made = await crmarena.import(client, folder, { split: 'train', note: () => {} })
    await rm(folder, { recursive: true })
    const taskIds = made.tasks.map(({ id }) => id)
    for (const taskId of taskIds) await client.suites.checkTasks(made.suiteId, { taskIds: [taskId] })
    const [latest] = (await client.suites.listVersions(made.suiteId)).items
    const { proof } = await client.suites.getVersion(made.suiteId, latest?.id ?? '')
    assert.deepEqual(
      (proof as { tasks: { do_nothing_fails: boolean }[] }).tasks.map((one) => one.do_nothing_fails),
      [true, true],
    )
    await client.agents.register({
      name: 'asker',
      version: '1.0.0',
      files: { 'agent.mjs': agent },
      run: { command: ['node', 'agent.mjs'], timeoutSeconds: 60 },
    })
    const job = await client.evaluations.start({ taskSuiteId: made.suiteId, agents: ['asker@1.0.0'] })
    await eventually(
      async () => (await client.evaluations.get(job.id)).finishedAt !== null,
      'the evaluation did not finish',
    )
    const { lines, unscored } = await readReport(client, job.id)
    assert.equal(unscored, 0)
    assert.deepEqual(
      lines.map((line) => [line.group, line.tasks, line.published.value, line.cleanRate.value]),
      [['lookup', 2, 0.5, 0.5]],
    )
  })
})
