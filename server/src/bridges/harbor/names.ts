/** A name that registries, folders and archives take; from a title in any script. */
export const slugOf = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 60)
    .replace(/-+$/, '')

/** One name for each, told apart by a number where two would be the same. */
export const uniqueNames = (wanted: readonly string[]): string[] => {
  const taken = new Set<string>()
  return wanted.map((one) => {
    let name = one
    for (let n = 2; taken.has(name); n += 1) name = `${one}-${n}`
    taken.add(name)
    return name
  })
}
