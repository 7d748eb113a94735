import { placesOf, type Source } from '../sources.ts'

const decision = /\b(if|for|while|switch|try|catch|throw)\b(?=.*[({])|\?\?|\s\?\s/

/** Branches and loops in the composition root: a decision belongs to the noun that owns it. */
export const decisions = (sources: readonly Source[]): string[] =>
  sources
    .filter(({ path }) => path.startsWith('server/src/composition/'))
    .map((source) => ({ ...source, text: source.text.replace(/^\s*(\/\*\*.*|\*.*|\/\/.*)$/gm, '') }))
    .flatMap((source) => placesOf(source, decision, 'is a decision, which belongs to the noun that owns it'))
