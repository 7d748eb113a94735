import type { Client, Reply } from '@diorama/sdk/index.ts'
import { Complaint } from '../failure.ts'

type SuiteProof = Reply<'checkSuite'>

/** A part is proved within one request, so that progress is seen and a cut connection costs one part alone. */
const tasksOfPart = 8
const partTimeoutMs = 1_800_000

export interface ProofOrder {
  readonly client: Client
  readonly suiteId: string
  readonly taskIds: readonly string[]
  readonly onProgress: (proved: number) => void
  readonly signal: AbortSignal
}

/** Proves a suite of any size, part by part. The version keeps all parts; this is their sum. */
export const proveSuite = async ({
  client,
  suiteId,
  taskIds,
  onProgress,
  signal,
}: ProofOrder): Promise<SuiteProof> => {
  let whole: SuiteProof | undefined
  for (let from = 0; from < taskIds.length; from += tasksOfPart) {
    const part = await client.suites.checkTasks(
      suiteId,
      { taskIds: taskIds.slice(from, from + tasksOfPart) },
      { timeoutMs: partTimeoutMs, signal },
    )
    if (whole && whole.versionId !== part.versionId)
      throw new Complaint('The suite was changed while it was checked; check it again.')
    whole = whole
      ? {
          ...part,
          ok: whole.ok && part.ok,
          isolation: whole.isolation ?? part.isolation,
          tasks: [...whole.tasks, ...part.tasks],
        }
      : part
    onProgress(whole.tasks.length)
  }
  // A suite without tasks is refused by the service in its own words.
  return whole ?? client.suites.check(suiteId, { signal })
}
