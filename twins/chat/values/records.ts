/** A record's own entry. Names come from callers, and `constructor` is no entry of anything. */
export const lookup = <V>(record: Readonly<Record<string, V>>, name: string): V | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined
