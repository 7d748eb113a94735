/** Words are cut off here, so that no message makes an index key without bound. */
const maxLength = 40
const maxWords = 4_000

/** A text in the form in which it is compared: entities undone, lower case, accents and smart quotes plain. */
export const foldText = (text: string): string => {
  const plain = text.includes('&')
    ? text.replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&amp;/g, '&')
    : text
  const lower = plain.toLowerCase()
  return isAscii(lower) ? lower : lower.normalize('NFKD').replace(/\p{M}+/gu, '')
}

/** Counting bytes is the quickest way to tell. */
export const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length

/** A word without its common endings, so that an invoice is found among invoices. */
export const stemOf = (word: string): string => {
  if (word.length < 4 || /\d/.test(word)) return word
  const plural = word.endsWith('ss') ? word : word.replace(/s$/, '')
  const bare = plural.replace(/(?<=.{3})(?:ing|ed)$/, '').replace(/(?<=.{3})e$/, '')
  return bare.replace(/(?<=..[^aeiou])(?:y|ie?)$/, 'i')
}

/** The distinct words of a text, as search sees them: folded, and without their endings. */
export const wordsOf = (text: string): readonly string[] => {
  const found = foldText(text).match(/[\p{L}\p{N}_]+/gu)
  if (!found) return []
  const words = new Set<string>()
  for (const word of found) {
    words.add(stemOf(word.length > maxLength ? word.slice(0, maxLength) : word))
    if (words.size >= maxWords) break
  }
  return [...words]
}

/** Wildcards are looked up by this many letters. */
export const startLength = 3
export const startKey = (word: string): string => `${word.slice(0, startLength)}*`

/** What a text is found by: its words, and their beginnings. */
export const searchKeys = (text: string): readonly string[] => {
  const words = wordsOf(text)
  const starts = new Set<string>()
  for (const word of words) if (word.length >= startLength) starts.add(startKey(word))
  return [...words, ...starts]
}
