import type { Speak, Speech } from '../events/planned.ts'

/** As much of a language model as it takes to word a sentence. */
export interface SpeakingModel {
  readonly generate: (
    request: {
      readonly instructions: string
      readonly messages: readonly { readonly role: 'user'; readonly text: string }[]
      readonly temperature: number
      readonly maxOutputTokens: number
    },
    signal: AbortSignal,
  ) => Promise<{ readonly text: string }>
}

const timeoutMs = 60_000
const maxOutputTokens = 1_000

/**
 * Lets models put into words what people have decided to say. The request holds nothing but the person and the
 * conversation, so that a cassette finds it again by them.
 */
export const speakBy =
  (open: (model: Speech['model']) => Promise<SpeakingModel>): Speak =>
  async (speech) => {
    const model = await open(speech.model)
    const { text } = await model.generate(
      {
        instructions: instructionsOf(speech),
        messages: [{ role: 'user', text: [...speech.conversation, 'Write the message.'].join('\n') }],
        temperature: 0,
        maxOutputTokens,
      },
      AbortSignal.timeout(timeoutMs),
    )
    const words = text.trim()
    if (words === '') throw new Error(`The model that plays ${speech.person} said nothing.`)
    return words
  }

const instructionsOf = ({ name, title, manner, says }: Speech): string =>
  [
    `You are ${name}, ${title}. You write one short message to a colleague.`,
    ...(manner === '' ? [] : [`Your manner: ${manner}`]),
    'Say exactly this in your own words, keep every name, number and date, and add nothing to it:',
    ...says,
  ].join('\n')
