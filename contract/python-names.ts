const keywords = new Set(['class', 'from', 'import', 'global', 'in', 'is', 'not', 'or', 'and', 'def', 'pass'])

/** How the Python client spells the names of this contract: namespaces, methods and parameters. */
export const snakeName = (name: string): string =>
  name.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export const parameterName = (name: string): string =>
  keywords.has(snakeName(name)) ? `${snakeName(name)}_` : snakeName(name)

/** A field of the body or the query beside the parameters of the path, whose names are taken. */
export const fieldName = (wire: string, taken: ReadonlySet<string>): string => {
  const plain = parameterName(wire)
  return taken.has(plain) ? `new_${plain}` : plain
}
