import { isCode, placesOf, type Source } from '../sources.ts'

/** Words and names that a reader cannot search for; each with the standard term. */
const retired: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\bmost[A-Z]\w*/, 'limits are called max…'],
  [/\blongest[A-Z]\w*/, 'limits are called max…'],
  [/ReturnType<typeof (open|create|compose)[A-Z]\w*>/, 'write the interface'],
  [/\bwhoever\b/i, 'name who it is'],
  [/\bfor ever\b/i, 'say "indefinitely", or what ends it'],
  [/\ba crowd\b|\bcrowds\b/i, 'say "concurrent clients"'],
  [/\bguises?\b/i, 'say "form" or "alias"'],
  [/\bpapers\b/i, 'say "docs"'],
  [/\bdeeds?\b/i, 'say "change summary"'],
  [/\bpulse\b/i, 'say "heartbeat"'],
  [/\bbury\b|\bburies\b/i, 'say what is hidden'],
  [/\bwitness/i, 'say "observer"'],
  [/\bwhatever stands\b|\bstands? (beside|there|for|in)\b/i, 'say "is", "is next to", "means" or "matches"'],
  [/\b(is|are|was|were) told\b/i, 'say who sends, gets or is configured with what'],
  [/\bof (its|their|his|your) own\b(?! [a-z])/i, 'say "its own …" or "a separate …"'],
  [
    /\b(finished|sequential|earlier|previous) runs?\b/i,
    'say "evaluation"; a run is one execution of an agent',
  ],
  [/\bChance\b/, 'say "random"'],
  [/\bby (itself|themselves)\b/i, 'say "on its own", "automatically" or "separately"'],
  [/\bof (its|their|his|your) own accord\b/i, 'say "on its own"'],
]

/** Places that use a retired word or name. The files that list them are left out. */
export const retiredWords = (sources: readonly Source[]): string[] =>
  sources
    .filter(
      (source) =>
        (isCode(source) || source.path.endsWith('.md')) &&
        !source.path.startsWith('test/rules/') &&
        !source.path.startsWith('decisions/') &&
        source.path !== 'test/tidy.test.ts',
    )
    .flatMap((source) => retired.flatMap(([pattern, instead]) => placesOf(source, pattern, instead)))
