import type { Gradable } from '../score.ts'
import { changesIn } from '../unasked.ts'
import type { Fence } from './fence.ts'

const placeholder = /\{\{\s*([\w.-]+)\s*\}\}/g
const roots = ['input', 'output', 'expected', 'metadata', 'diff', 'activity'] as const
type Root = (typeof roots)[number]

/** What placeholders are replaced by; the diff and the activity are read from the world's file only where a prompt asks. */
const materialOf = (gradable: Gradable, root: Root): unknown => {
  if (root !== 'diff' && root !== 'activity') return gradable[root]
  if (!gradable.world) return 'This task has no world.'
  const { changes, requests } = changesIn(gradable.world)
  return root === 'diff' ? changes : requests
}

const isRoot = (name: string): name is Root => roots.some((root) => root === name)

/**
 * A judge's prompt with its placeholders filled in, all in one pass, so that a text that holds braces is not filled in
 * again. A prompt that never mentions the output gets it at its end, since there is nothing else to grade.
 */
export const fillPrompt = (
  template: string,
  material: Gradable,
  fence: Fence,
): { readonly prompt: string } | { readonly unknown: string } => {
  let unknown: string | undefined
  let mentionsOutput = false
  const prompt = template.replaceAll(placeholder, (whole, path: string) => {
    const [root = '', ...fields] = path.split('.')
    if (!isRoot(root)) {
      unknown ??= whole
      return whole
    }
    mentionsOutput ||= root === 'output'
    return fence.around(path, at(materialOf(material, root), fields))
  })
  if (unknown !== undefined) return { unknown }
  if (mentionsOutput) return { prompt }
  return { prompt: `${prompt}\n\nThe answer to grade:\n${fence.around('output', material.output)}` }
}

const at = (value: unknown, fields: readonly string[]): unknown =>
  fields.reduce<unknown>(
    (holder, field) =>
      typeof holder === 'object' && holder !== null && Object.hasOwn(holder, field)
        ? new Map(Object.entries(holder)).get(field)
        : undefined,
    value,
  )
