import { buffer } from 'node:stream/consumers'
import type { FrozenTask, TaskContainer, TrialStep } from '@diorama/contract'
import { isRecord, jsonIn } from '@diorama/contract/records'
import { whyNotWritable } from '@diorama/sandbox/images/writable-folders'
import { agentLimits, type CollectedFile, type FileTree, type SandboxOutcome } from '@diorama/sandbox/sandbox'
import type { Blobs } from '../../../storage/blobs.ts'
import { tailOf } from '../../storable.ts'
import { stepOf } from '../step.ts'
import { AttemptVoided } from '../voided.ts'
import { artifactsFolder, type ContainerDeps, withImage } from './task-container.ts'

const tests = '/tests'
const rewardsFolder = '/logs/verifier'
const maxRewardBytes = 65_536
const maxPrinted = 2_000

export interface VerifyDeps extends ContainerDeps {
  readonly blobs: Pick<Blobs, 'get'>
  readonly now: () => number
}

/** What the verifier of a container said, as scorers read it from the file of the world. */
export interface Verification {
  readonly rewards: Readonly<Record<string, number>> | null
  readonly reason: string
  readonly error: string | null
}

export interface Verified {
  readonly steps: readonly TrialStep[]
  /** The file that takes the place of a world's; undefined for a task without a container. */
  readonly file: Uint8Array | undefined
}

/**
 * Runs the tests of a task in a separate container that gets the agent's artifacts and nothing else of it, without a
 * network. Tests that give no reward are run again without the artifacts: if they give one then, the agent broke them.
 */
export const verifyContainer = async (
  deps: VerifyDeps,
  { container }: Pick<FrozenTask, 'container'>,
  collected: readonly CollectedFile[],
  signal: AbortSignal,
): Promise<Verified> => {
  if (!container) return { steps: [], file: undefined }
  const began = deps.now()
  const laid = await testFiles(deps, container)
  const artifacts = artifactsOf(container, collected)
  // An artifact never takes the place of a test.
  const first = await attempt(deps, container, { ...artifacts, ...laid }, signal)
  const control = first.error === null ? first : await attempt(deps, container, laid, signal)
  const verification: Verification =
    first.error !== null && control.error === null
      ? { rewards: { reward: 0 }, reason: `What the agent left broke the tests. ${first.error}`, error: null }
      : first
  const status = verification.error === null ? 'succeeded' : 'failed'
  const step = stepOf('scoring', 'run the tests of the task', status, {
    began,
    ended: deps.now(),
    detail: { ...verification, reason: tailOf(verification.reason, maxPrinted) },
  })
  const file = Buffer.from(JSON.stringify({ services: {}, activity: [], verifier: verification }))
  return { steps: [step], file }
}

/** The artifacts that the agent left, each where it was in the agent's container. */
const artifactsOf = ({ artifacts }: TaskContainer, collected: readonly CollectedFile[]): FileTree =>
  Object.fromEntries(
    collected.flatMap(({ path, bytes }) => {
      const full = path.slice('image'.length)
      const isSent = [artifactsFolder, ...artifacts].some(
        (source) => full === source || full.startsWith(`${source}/`),
      )
      return path.startsWith('image/') && isSent ? [[full, bytes] as const] : []
    }),
  )

const testFiles = async ({ blobs }: VerifyDeps, { verifier }: TaskContainer): Promise<FileTree> => {
  if (verifier.tests_sha256 === null) return {}
  const stored = await blobs.get(verifier.tests_sha256)
  if (!stored) throw new AttemptVoided('platform', 'The tests of the task are gone.', { isFinal: true })
  const texts: Record<string, string> = JSON.parse((await buffer(stored)).toString('utf8'))
  return Object.fromEntries(
    Object.entries(texts).map(([path, text]) => [`${tests}/${path}`, Buffer.from(text, 'base64')]),
  )
}

const attempt = (
  deps: VerifyDeps,
  { verifier, artifacts, workdir }: TaskContainer,
  files: FileTree,
  signal: AbortSignal,
): Promise<Verification> =>
  withImage(deps, verifier.image, async (image) => {
    const start = verifier.workdir ?? image.config.workingDir ?? '/'
    const wanted = [start, ...(workdir !== null && artifacts.length > 0 ? [workdir] : [])]
    const folders = [...new Set(wanted)].filter((folder) => whyNotWritable(folder) === undefined)
    const outcome = await deps.sandbox.run(
      {
        command: `(${tests}/test.sh) 2>&1`,
        image,
        imageUse: {
          writable: [...folders, '/logs', ...(verifier.tests_sha256 === null ? [] : [tests])],
          // A folder that the agent left takes the place of the image's.
          emptied: [rewardsFolder, artifactsFolder, ...artifacts.filter((one) => isFolder(one, files))],
          files,
          collect: ['reward.json', 'reward.txt'].map((name) => `${rewardsFolder}/${name}`),
          start,
        },
        env: () => verifier.env,
        limits: { ...agentLimits, wallMs: verifier.timeout_seconds * 1_000 },
        network: 'none',
        collect: { maxFiles: 2, maxBytes: maxRewardBytes },
      },
      signal,
    )
    signal.throwIfAborted()
    return verificationOf(outcome)
  })

const isFolder = (source: string, files: FileTree): boolean =>
  Object.keys(files).some((path) => path.startsWith(`${source}/`))

/** The reward is what a file says; how the tests exited is of no account. */
const verificationOf = ({ ended, exitCode, stdout, collected }: SandboxOutcome): Verification => {
  const reason = stdout.text.trim().slice(-maxPrinted)
  const failed = (error: string): Verification => ({ rewards: null, reason, error })
  if (ended !== 'exited') return failed(`The tests of the task ended by ${ended}.`)
  const found = ['reward.json', 'reward.txt'].flatMap(
    (name) => collected.files.find(({ path }) => path.endsWith(`/${name}`)) ?? [],
  )[0]
  if (!found)
    return failed(`The tests of the task wrote no reward; they ended with ${exitCode}. ${reason.slice(-500)}`)
  const rewards = rewardsIn(Buffer.from(found.bytes).toString('utf8'), found.path.endsWith('.json'))
  return rewards
    ? { rewards, reason, error: null }
    : failed('The tests of the task wrote a reward that is no number.')
}

const rewardsIn = (text: string, isJson: boolean): Record<string, number> | undefined => {
  const value = isJson ? jsonIn(text) : text.trim() === '' ? undefined : Number(text)
  const rewards = typeof value === 'number' ? { reward: value } : value
  if (!isRecord(rewards)) return undefined
  const entries = Object.entries(rewards)
  const areNumbers = entries.every((entry): entry is [string, number] => Number.isFinite(entry[1]))
  return entries.length > 0 && areNumbers ? Object.fromEntries(entries as [string, number][]) : undefined
}
