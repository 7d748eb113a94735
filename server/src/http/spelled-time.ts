/** The time as a text. What happens in one moment shares it: to spell a time costs as much as to spell an event. */
export const openSpelledTime = (now: () => number) => {
  let last = { at: Number.NaN, text: '' }
  return (): string => {
    const at = now()
    if (at !== last.at) last = { at, text: new Date(at).toISOString() }
    return last.text
  }
}
