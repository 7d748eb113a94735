import agents from 'virtual:demo-agents'
import { ApiError, call } from '../api.ts'

const version = '1.0.0'

/** Registers an example agent, unless it is there already. */
const register = async (name: string, source: string): Promise<string> => {
  const body = {
    name,
    version,
    files: { 'agent.mjs': source },
    run: { command: ['node', 'agent.mjs'], timeout_seconds: 60, env: {}, network: 'world' as const },
  }
  await call('registerAgent', { body }).catch((error: unknown) => {
    if (!(error instanceof ApiError && error.status === 409)) throw error
  })
  return `${name}@${version}`
}

/** Launches the sample company, brings two scripted agents and compares them; returns the evaluation. */
export const runDemo = async (): Promise<string> => {
  // What the service shipped is a blueprint; the reply's type only says that it is an object.
  const blueprint = (await call('readSampleBlueprint')) as never
  const { evaluation } = await call('launchWorld', { body: { blueprint } })
  const suite = evaluation?.taskSuiteId
  if (!suite) throw new Error(evaluation?.error ?? 'The sample company has no tasks.')
  const references = [await register('careless', agents.careless), await register('careful', agents.careful)]
  const job = await call('startJob', {
    body: { task_suite_id: suite, agents: references, mode: 'compare', name: 'Demo: careless and careful' },
  })
  return job.id
}
