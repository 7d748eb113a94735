/** The words of a text: letters and digits of any script, in lower case, without accents. */
const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? []

/** Whether a text contains a phrase, word by word; the last word may be a prefix, so that `invoice` finds `invoices`. */
const mentions = (text: readonly string[], phrase: string): boolean => {
  const wanted = wordsOf(phrase)
  if (wanted.length === 0) return false
  return text.some((_, start) =>
    wanted.every((word, n) => {
      const found = text[start + n]
      return n === wanted.length - 1 && word.length > 3 ? found?.startsWith(word) : found === word
    }),
  )
}

export const mentionsAny = (text: string, phrases: readonly string[]): boolean => {
  const words = wordsOf(text)
  return phrases.some((phrase) => mentions(words, phrase))
}

/** How many of the phrases occur in a text. */
export const countMentions = (text: string, phrases: readonly string[]): number => {
  const words = wordsOf(text)
  return phrases.filter((phrase) => mentions(words, phrase)).length
}
