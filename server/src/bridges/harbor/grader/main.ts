import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { FrozenTask } from '@diorama/contract'
import { openVerifier } from '@diorama/sandbox/verifier/scorer'
import { grade } from '../../../evaluations/trial/grade.ts'
import { createScoring } from '../../../scoring/score.ts'
import { changesIn } from '../../../scoring/unasked.ts'
import { localSandbox } from './local-sandbox.ts'
import { rewardsOf } from './rewards.ts'

/** What an exported task is graded by: the file `tests/diorama/task.json`. */
interface TaskFile {
  readonly task: FrozenTask
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'

const readIfThere = async (path: string): Promise<Buffer | undefined> => {
  try {
    return await readFile(path)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/**
 * The verifier of an exported task: the scorers and rules of the service, on the files that Harbor brought from the
 * agent's container and from the sidecar. Without a verdict there is no reward file, and Harbor counts the trial as an
 * error instead of a failure of the agent.
 */
const main = async (): Promise<number> => {
  const { values } = parseArgs({
    options: {
      task: { type: 'string', default: '' },
      scripts: { type: 'string', default: '' },
      world: { type: 'string', default: '' },
      output: { type: 'string', default: '' },
      rewards: { type: 'string', default: '' },
    },
  })
  const { task }: TaskFile = JSON.parse(await readFile(values.task, 'utf8'))
  const hasWorld = task.environment_version_id !== null
  const answer = (await readIfThere(values.output))?.toString('utf8')
  const state = hasWorld ? await readIfThere(join(values.world, 'world.json')) : undefined
  if (hasWorld && !state) {
    process.stderr.write('The state of the world is missing: the sidecar could not be read.\n')
    return 1
  }
  await mkdir(values.rewards, { recursive: true })
  if (answer === undefined && !hasWorld) {
    // As in a trial of the service: there is nothing else that such a task could be graded by.
    process.stdout.write('The agent wrote no answer.\n')
    await writeFile(join(values.rewards, 'reward.json'), JSON.stringify({ reward: 0 }))
    return 0
  }
  const sandbox = localSandbox(values.scripts, process.env.PATH ?? '', () => performance.now())
  const verifier = openVerifier(sandbox)
  const scoring = createScoring({
    verifier: async () => verifier,
    judge: async () => {
      throw new Error('An exported task has no judges.')
    },
  })
  const graded = await grade(
    { scoring, now: () => Date.now() },
    {
      organizationId: '',
      agent: { reference: 'harbor' },
      task,
      trialId: 'harbor',
      environmentVersionId: task.environment_version_id,
      extraScorers: [],
    },
    {
      output: answer ?? '',
      state,
      changes: state && changesIn(state),
      untouched: () => readFile(join(values.world, 'untouched.json')),
      signal: new AbortController().signal,
    },
  )
  const { verdict, scores, unaskedChanges } = graded
  const report = { passed: verdict.passed, scores, unasked_changes: unaskedChanges }
  await writeFile(join(values.rewards, 'diorama.json'), `${JSON.stringify(report, null, 2)}\n`)
  process.stdout.write(`${JSON.stringify(report)}\n`)
  if (verdict.passed === null) {
    process.stderr.write(`There is no verdict: ${verdict.error}\n`)
    return 1
  }
  const rewards = rewardsOf(verdict.passed, scores)
  await writeFile(join(values.rewards, 'reward.json'), `${JSON.stringify(rewards)}\n`)
  return 0
}

process.exitCode = await main()
