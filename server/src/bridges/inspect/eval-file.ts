import { zipOf } from '../zip.ts'
import { type InspectSource, inspectHeaderOf } from './log.ts'
import { sampleId, sampleOf } from './sample.ts'

/** The log as an `.eval` file: a zip with the header, a summary of each sample, and the samples one by one. */
export const evalFileOf = (source: InspectSource): Buffer => {
  const header = inspectHeaderOf(source)
  const { plan, eval: spec } = header
  return zipOf([
    ['_journal/start.json', JSON.stringify({ version: 2, eval: spec, plan })],
    ...source.transcripts.map((transcript): readonly [string, string] => [
      `samples/${sampleId(transcript.trial)}_epoch_${transcript.trial.repetition}.json`,
      JSON.stringify(sampleOf(transcript)),
    ]),
    ['summaries.json', JSON.stringify(source.transcripts.map(summaryOf))],
    ['header.json', JSON.stringify(header)],
  ])
}

const summaryOf = (transcript: InspectSource['transcripts'][number]) => {
  const {
    events: _,
    messages,
    attachments: __,
    output: ___,
    store: ____,
    error,
    ...sample
  } = sampleOf(transcript)
  return {
    ...sample,
    message_count: messages.length,
    completed: transcript.trial.finished_at !== null,
    ...(error === undefined ? {} : { error: error.message }),
  }
}
