import { askTwins, doneActs, type StagedAct, stageActs } from './staged-acts.ts'
import { nothingFound, type OpenVariation } from './variation.ts'

/** So much of the story passes between two things that people do while the agent works. */
const betweenMs = 20_000

/** Other people's unrelated work: half of it is there when the agent starts, the rest comes while it works. */
export const openNoise: OpenVariation = (stage) => openActs(stage, 'noise')

/** Options that were renamed and records that were moved since the task was written. */
export const openDrift: OpenVariation = (stage) => openActs(stage, 'drift')

const openActs = async (stage: Parameters<OpenVariation>[0], part: 'noise' | 'drift') => {
  const planned = await askTwins(stage, { part })
  const all = planned.flatMap(({ service, acts = [] }) => acts.map((act) => ({ ...act, service })))
  const acts = all.map(
    (act, n): StagedAct =>
      part === 'noise' && n % 2 === 1 ? { ...act, afterMs: Math.ceil(n / 2) * betweenMs } : act,
  )
  await stageActs(stage, part, acts)
  const leftAlone = planned.filter((one) => one.acts === undefined).map(({ service }) => service)
  return {
    setup: { acts: acts.map(({ service, as, what }) => ({ service, by: as, what })), left_alone: leftAlone },
    report: (traces: Parameters<typeof doneActs>[2]) => ({
      ...nothingFound,
      left_alone: leftAlone,
      done: doneActs(part, acts, traces),
    }),
  }
}
