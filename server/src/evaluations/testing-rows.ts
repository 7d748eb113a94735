import assert from 'node:assert/strict'
import type { TestStorage } from '../storage/testing.ts'
import { evaluationStore } from './store.ts'

/** Runs and trials without anybody who carries them out. */
export const openRows = async (test: TestStorage, limits: object = {}) => {
  const { db, makeId } = test.storage
  const organizationId = makeId('org')
  await db
    .insertInto('organizations')
    .values({ id: organizationId, name: 'Rows', limits: JSON.stringify(limits) })
    .execute()
  const store = evaluationStore(db)
  const trial = (jobId: string, position: number) => ({
    id: makeId('trl'),
    organization_id: organizationId,
    job_id: jobId,
    position,
    agent: 'a@1',
    task_id: 't',
    repetition: position,
    status: 'queued',
    scores: '[]',
    steps: '[]',
    artifacts: '[]',
  })
  return {
    store,
    db,
    job: async (trials: number, concurrency: number): Promise<string> => {
      const id = makeId('job')
      const job = {
        id,
        organization_id: organizationId,
        suite_id: 's',
        suite_version_id: 'v',
        name: 'Run',
        mode: 'suite',
        status: 'queued',
        agents: ['a@1'],
        concurrency,
        trials_per_task: 1,
        total_trials: trials,
        completed_trials: 0,
        extra_scorers: '[]',
        fingerprint: '',
        created_by: 'k',
        created_at: new Date(),
      }
      await store.insert(
        job,
        Array.from({ length: trials }, (_, position) => trial(id, position)),
      )
      return id
    },
    read: async (jobId: string) => {
      const job = await store.findJob(organizationId, jobId)
      assert.ok(job)
      return {
        ...job,
        events: await store.events(jobId, 0, 1_000),
        trials: await db
          .selectFrom('eval_trials')
          .selectAll()
          .where('job_id', '=', jobId)
          .orderBy('position')
          .execute(),
      }
    },
  }
}
