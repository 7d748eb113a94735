import type { ServiceAction } from '../clock/script.ts'
import type { Speak, Speech } from '../events/planned.ts'

/** A placeholder for the words of a model until they are spoken. */
export const spoken = '\u0000spoken'

/** A model that plays somebody gave no answer. */
export class SpeechFailed extends Error {
  override readonly name = 'SpeechFailed'
}

/** What somebody does, with the words of a model where they are to be spoken by one. */
export const worded = async (
  action: ServiceAction,
  speech: Speech | undefined,
  speak: Speak,
): Promise<ServiceAction> => {
  if (!speech || !hasWords(action)) return action
  try {
    const words = await speak(speech)
    const input = JSON.parse(JSON.stringify(action.input), (_, value) => (value === spoken ? words : value))
    return { ...action, input }
  } catch (error) {
    throw new SpeechFailed(error instanceof Error ? error.message : String(error), { cause: error })
  }
}

const hasWords = ({ input }: ServiceAction): boolean =>
  JSON.stringify(input).includes(JSON.stringify(spoken).slice(1, -1))
