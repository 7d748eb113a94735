import assert from 'node:assert/strict'
import { it, mock } from 'node:test'
import { silentLog } from '../../storage/log.ts'
import { openRecorder, type TrialRecord } from './recorder.ts'

const record = (organizationId: string, id: string): TrialRecord => ({
  organizationId,
  run: {
    run_id: id,
    agent: 'a@1',
    started_at: '2026-01-01T00:00:00.000Z',
    finished_at: '2026-01-01T00:00:01.000Z',
    status: 'succeeded',
    tool_calls: [],
    usage: null,
    trace_id: id,
    error: null,
    metadata: {},
  },
  trace: { trace_id: id, spans: [] },
})

const openTest = (broken: (organizationId: string, id: string) => boolean, overdue: TrialRecord[] = []) => {
  const written: string[] = []
  const recorded: string[] = []
  const recorder = openRecorder({
    recordRuns: async (organizationId, runs) => {
      if (runs.some(({ run_id }) => broken(organizationId, run_id ?? ''))) throw new Error('no connection')
      written.push(`${organizationId} runs ${runs.map(({ run_id }) => run_id).join(' ')}`)
    },
    recordTrace: async (organizationId, { trace_id }) => void written.push(`${organizationId} ${trace_id}`),
    hasTrace: async (organizationId, id) => written.includes(`${organizationId} ${id}`),
    markRecorded: async (ids) => void recorded.push(...ids),
    overdue: async () => overdue,
    log: silentLog,
  })
  return { recorder, written, recorded }
}

it('trials that end together are recorded together, each run before its trace, and none is lost on a stop', async () => {
  const { recorder, written, recorded } = openTest(() => false)
  for (const id of ['1', '2']) recorder.add(record('one', id))
  recorder.add(record('two', '4'))
  const flushing = recorder.flush()
  recorder.add(record('one', '5'))
  await recorder.close()
  await flushing
  assert.deepEqual(written, ['one runs 1 2', 'one 1', 'one 2', 'two runs 4', 'two 4', 'one runs 5', 'one 5'])
  assert.deepEqual(recorded, ['1', '2', '4', '5'])
})

it('a trial that cannot be recorded stays in the outbox, and those recorded with it do not', async () => {
  const { recorder, recorded } = openTest((_, id) => id === '2')
  for (const id of ['1', '2', '3']) recorder.add(record('one', id))
  await recorder.close()
  assert.deepEqual(recorded, ['1', '3'])
})

it('what is left in the outbox is recorded by the next sweep, once', async () => {
  mock.timers.enable({ apis: ['setInterval'] })
  try {
    const { recorder, written, recorded } = openTest(() => false, [record('one', '1')])
    mock.timers.tick(5_000)
    await recorder.close()
    assert.deepEqual([written, recorded], [['one runs 1', 'one 1'], ['1']])
  } finally {
    mock.timers.reset()
  }
})
