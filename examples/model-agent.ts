// Evaluates an agent loop with a real model behind it. Needs OPENAI_API_KEY (and OPENAI_BASE_URL for another
// OpenAI-compatible endpoint, MODEL_ID for another model); without a key it says so and does nothing.
import { readFile } from 'node:fs/promises'
import { createClient, type WorldBlueprintInput } from '../sdk/index.ts'
import { openService } from './service.ts'

const { OPENAI_API_KEY, OPENAI_BASE_URL = 'https://api.openai.com/v1', MODEL_ID = 'gpt-5-mini' } = process.env

const evaluate = async (apiKey: string) => {
  const host = new URL(OPENAI_BASE_URL).host
  process.env.DIORAMA_AGENT_HOSTS ??= host
  await using service = await openService()
  const client = createClient(service)
  const version = `${Date.now()}`
  await client.agents.register({
    name: 'model-loop',
    version,
    model: { provider: 'openai', id: MODEL_ID },
    files: {
      'agent.mjs': await readFile(new URL('agents/model-loop/agent.mjs', import.meta.url), 'utf8'),
    },
    run: {
      command: ['node', 'agent.mjs'],
      timeoutSeconds: 300,
      env: { MODEL_BASE_URL: OPENAI_BASE_URL, MODEL_ID, MODEL_API_KEY: apiKey },
    },
  })
  const blueprint = (await client.worlds.sampleBlueprint()) as WorldBlueprintInput
  const world = await client.worlds.launchAndWait({ blueprint, ttlHours: 1 })
  const { job, results } = await client.evaluations.runAndWait({
    taskSuiteId: world.evaluation?.taskSuiteId ?? '',
    agents: [`model-loop@${version}`],
  })
  for (const task of results.taskResults) console.log(`${task.passed ? 'passed' : 'failed'}  ${task.title}`)
  // A model may fail tasks; that the evaluation came to its end is what this example holds.
  if (job.status !== 'succeeded') process.exitCode = 1
}

if (OPENAI_API_KEY) await evaluate(OPENAI_API_KEY)
else console.log('Skipped: set OPENAI_API_KEY to let a real model do the tasks.')
