/** What a query parameter may be; undefined and null leave it out. */
export type Query = Readonly<Record<string, unknown>>

export const queryText = (query: Query): string => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null) parameters.set(name, String(value))
  return parameters.size === 0 ? '' : `?${parameters}`
}

/** The path of a route with its parameters in their places and the query behind. */
export const addressOf = (
  path: string,
  parameters: Readonly<Record<string, string>> = {},
  query: Query = {},
): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parameters[name] ?? '')) +
  queryText(query)
