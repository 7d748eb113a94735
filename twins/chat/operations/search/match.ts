import type { Term } from './query.ts'
import { stemOf } from './words.ts'

/** How often a term occurs in a folded text. Written by hand since search may look at every message there is. */
export const occurrences = (text: string, { kind, text: wanted }: Term): number => {
  if (kind === 'phrase') return countOf(text, wanted, (at) => standsAlone(text, at, wanted))
  if (kind === 'prefix') return countOf(text, wanted, (at) => startsWord(text, at))
  const root = wanted.endsWith('i') ? wanted.slice(0, -1) : wanted
  return countOf(text, root, (at) => startsWord(text, at) && isForm(text, at, wanted))
}

const countOf = (text: string, wanted: string, fits: (at: number) => boolean): number => {
  let count = 0
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) if (fits(at)) count++
  return count
}

const startsWord = (text: string, at: number): boolean => at === 0 || !isWordUnit(text, at - 1)

/** Phrases are made of whole words, where they begin and end with words. */
const standsAlone = (text: string, at: number, phrase: string): boolean =>
  (startsWord(text, at) || !isWordUnit(phrase, 0)) &&
  (endOfWord(text, at + phrase.length) === at + phrase.length || !isWordUnit(phrase, phrase.length - 1))

/** Whether the word at this place is the wanted one, or has the same stem. */
const isForm = (text: string, at: number, stem: string): boolean => {
  const end = endOfWord(text, at)
  if (end - at === stem.length && text.startsWith(stem, at)) return true
  return stemOf(text.slice(at, end)) === stem
}

const endOfWord = (text: string, at: number): number => {
  let end = at
  while (end < text.length && isWordUnit(text, end)) end++
  return end
}

const isWordUnit = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at)
  if (unit < 128)
    return (
      (unit >= 97 && unit <= 122) || (unit >= 48 && unit <= 57) || (unit >= 65 && unit <= 90) || unit === 95
    )
  return /[\p{L}\p{N}\p{Cs}]/u.test(text.charAt(at))
}
