/** One finding and where it is, as a JSON pointer. */
export interface Finding {
  readonly pointer: string
  readonly message: string
}

/** What the checks of a blueprint found: errors refuse it, warnings do not. */
export interface Findings {
  readonly errors: Finding[]
  readonly warnings: Finding[]
  error(pointer: string, message: string): void
  warn(pointer: string, message: string): void
}

export const createFindings = (): Findings => {
  const errors: Finding[] = []
  const warnings: Finding[] = []
  return {
    errors,
    warnings,
    error: (pointer, message) => void errors.push({ pointer, message }),
    warn: (pointer, message) => void warnings.push({ pointer, message }),
  }
}

/** Refuses a second item of the same name, and names the first one. */
export const unique = (
  findings: Findings,
  items: readonly { readonly name: string | null; readonly pointer: string }[],
  what: string,
): void => {
  const seen = new Map<string, string>()
  for (const { name, pointer } of items) {
    if (name === null) continue
    const first = seen.get(name)
    if (first === undefined) seen.set(name, pointer)
    else findings.error(pointer, `repeats the ${what} ${quoted(name)} of ${first}`)
  }
}

/** Refuses a reference to something that does not exist. */
export const known = (
  findings: Findings,
  reference: { readonly name: string | null; readonly pointer: string },
  names: ReadonlySet<string>,
  what: string,
): void => {
  const { name, pointer } = reference
  if (name !== null && !names.has(name)) findings.error(pointer, `names no ${what}: ${quoted(name)}`)
}

/** Warns of a moment that the story has not reached. */
export const notAfter = (findings: Findings, at: string | null, clock: string, pointer: string): void => {
  if (at !== null && Date.parse(at) > Date.parse(clock))
    findings.warn(pointer, `lies after the clock of the story (${clock})`)
}

export const quoted = (name: string): string =>
  JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name)

/** Findings whose pointers start below `prefix`. */
export const findingsBelow = (prefix: string, findings: Findings): Findings => ({
  errors: findings.errors,
  warnings: findings.warnings,
  error: (pointer, message) => findings.error(prefix + pointer, message),
  warn: (pointer, message) => findings.warn(prefix + pointer, message),
})
