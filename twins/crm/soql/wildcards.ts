/** A text with wildcards, as codes: a character's own, one of any kind, or any number of them. */
export type Pattern = Int32Array

const anyOne = -1
const anyMany = -2

/** Reads a pattern of LIKE, where `%` and `_` are wildcards and a backslash takes their meaning away. */
export const likePattern = (text: string): Pattern => {
  const codes: number[] = []
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at)
    if (char === '\\') codes.push(text.charCodeAt(++at))
    else if (char === '%') codes.push(anyMany)
    else codes.push(char === '_' ? anyOne : char.charCodeAt(0))
  }
  return Int32Array.from(codes)
}

/** Reads a word of a search, where `*` and `?` are wildcards. */
export const searchPattern = (word: string): Pattern =>
  Int32Array.from(word.split(''), (char) =>
    char === '*' ? anyMany : char === '?' ? anyOne : char.charCodeAt(0),
  )

/** How many characters are compared for one step of a query's budget. */
const charactersPerStep = 8

/**
 * Matches in time that grows with text times pattern: after a mismatch only the last wildcard takes in one more. What it
 * took is spent, so that no pattern can take long.
 */
export const matchesPattern = (
  text: string,
  pattern: Pattern,
  spend: (steps: number) => void = () => {},
): boolean => {
  let [at, place, star, mark, compared] = [0, 0, -1, 0, 0]
  while (at < text.length) {
    if (++compared % 4_096 === 0) spend(4_096 / charactersPerStep)
    const wanted = place < pattern.length ? pattern[place] : undefined
    if (wanted === anyMany) {
      star = place++
      mark = at
    } else if (wanted === anyOne || (wanted !== undefined && wanted === text.charCodeAt(at))) {
      at++
      place++
    } else if (star !== -1) {
      place = star + 1
      at = ++mark
    } else break
  }
  spend(1 + (compared % 4_096) / charactersPerStep)
  if (at < text.length) return false
  while (pattern[place] === anyMany) place++
  return place === pattern.length
}
