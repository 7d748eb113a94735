import { syntaxTree } from '@codemirror/language'
import type { EditorState } from '@codemirror/state'
import type { SyntaxNode } from '@lezer/common'

const keyOf = (property: SyntaxNode, state: EditorState): string => {
  const name = property.getChild('PropertyName')
  return name ? state.sliceDoc(name.from, name.to).replaceAll('"', '') : ''
}

const values = /^(Object|Array|String|Number|True|False|Null)$/
const childValues = (node: SyntaxNode): SyntaxNode[] => {
  const found: SyntaxNode[] = []
  for (let child = node.firstChild; child; child = child.nextSibling)
    if (values.test(child.name)) found.push(child)
  return found
}

/** The way from the top of the document to a place in it. */
export const pathAt = (state: EditorState, at: SyntaxNode): string[] => {
  const path: string[] = []
  for (let node: SyntaxNode | null = at; node; node = node.parent) {
    if (node.name === 'Property' && at.name !== 'PropertyName') path.unshift(keyOf(node, state))
    else if (node.name === 'Property' && node !== at.parent) path.unshift(keyOf(node, state))
    if (node.parent?.name === 'Array') path.unshift('0')
  }
  return path
}

/** Where a JSON pointer leads in the document; as far as it exists. */
export const placeOfPointer = (state: EditorState, pointer: string): { from: number; to: number } => {
  let node: SyntaxNode | undefined = childValues(syntaxTree(state).topNode)[0]
  let best = { from: 0, to: Math.min(1, state.doc.length) }
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (!node) break
    const property: SyntaxNode | undefined =
      node.name === 'Object'
        ? node.getChildren('Property').find((one) => keyOf(one, state) === name)
        : undefined
    const next: SyntaxNode | undefined =
      node.name === 'Array' ? childValues(node)[Number(name)] : property && childValues(property)[0]
    const label = property?.getChild('PropertyName') ?? next
    if (!label) break
    best = { from: label.from, to: Math.min(label.to, state.doc.lineAt(label.from).to) }
    node = next
  }
  return best
}
