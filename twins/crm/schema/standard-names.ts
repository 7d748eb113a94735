import names from './standard-names.generated.json' with { type: 'json' }

/** A name that a caller used and the twin's schema has not. */
export type Missing =
  | { readonly kind: 'object'; readonly name: string }
  | { readonly kind: 'field' | 'relation'; readonly object: string; readonly name: string }

const folded = (list: readonly string[]): ReadonlySet<string> =>
  new Set(list.map((name) => name.toLowerCase()))
const foldedBy = (
  lists: Readonly<Record<string, readonly string[]>>,
): ReadonlyMap<string, ReadonlySet<string>> =>
  new Map(Object.entries(lists).map(([object, list]) => [object, folded(list)]))

const objects = folded(names.objects)
const fields = foldedBy(names.fields)
const relations = foldedBy(names.relations)

/** What a missing name denotes in the real service; undefined where the real service has no such name either. */
export const standardNameOf = (missing: Missing): string | undefined => {
  const name = missing.name.toLowerCase()
  if (missing.kind === 'object') return objects.has(name) ? `object ${missing.name}` : undefined
  const known = (missing.kind === 'field' ? fields : relations).get(missing.object)
  return known?.has(name) ? `${missing.kind} ${missing.object}.${missing.name}` : undefined
}
