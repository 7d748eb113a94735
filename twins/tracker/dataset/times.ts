/** A moment of any usual spelling as the service writes it; one without a zone is UTC. Undefined where it is none. */
export const momentOf = (value: unknown): string | undefined => {
  if (typeof value !== 'string' || value === '') return undefined
  const plain = value.replace(/ \([^)]*\)$/, '')
  const isZoned = /([zZ]|[+-]\d{2}:?\d{2}|GMT[^ ]*|UTC)$/.test(plain)
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(plain)
  const time = Date.parse(isZoned || isDay ? plain : `${plain}Z`)
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}

export const dayOf = (value: unknown): string | null => momentOf(value)?.slice(0, 10) ?? null
