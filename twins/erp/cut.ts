/** The first characters of a text, never half of one, and none that no field can hold. */
export const cut = (text: string, most: number): string => [...clean(text)].slice(0, most).join('').trimEnd()

const clean = (text: string): string => text.toWellFormed().replaceAll('\u0000', '')
