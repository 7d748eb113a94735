import assert from 'node:assert/strict'
import { it } from 'node:test'
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

it('trials that end together are recorded together, each run before its trace, and none is lost on a stop', async () => {
  const written: string[] = []
  const warned: object[] = []
  const recorder = openRecorder({
    recordRuns: async (organizationId, runs) => {
      if (organizationId === 'broken') throw new Error('no such agent')
      written.push(`${organizationId} runs ${runs.map(({ run_id }) => run_id).join(' ')}`)
    },
    recordTrace: async (organizationId, { trace_id }) => void written.push(`${organizationId} ${trace_id}`),
    log: { ...silentLog, warn: (facts) => void warned.push(facts) },
  })
  for (const id of ['1', '2']) recorder.add(record('one', id))
  recorder.add(record('broken', '3'))
  recorder.add(record('two', '4'))
  const flushing = recorder.flush()
  recorder.add(record('one', '5'))
  await recorder.close()
  await flushing
  assert.deepEqual(written, ['one runs 1 2', 'one 1', 'one 2', 'two runs 4', 'two 4', 'one runs 5', 'one 5'])
  assert.deepEqual(
    warned.map((facts) => 'trials' in facts && facts.trials),
    [['3']],
  )
})
