import type { Diagnostic } from '@codemirror/lint'
import type { EditorState } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import type { Validation } from '@diorama/contract'
import { useMemo } from 'react'
import { Editor } from '../../parts/editor/editor.tsx'
import { placeOfPointer } from './json-places.ts'
import { pointerIn } from './pointer.ts'
import { completeFrom } from './schema-completion.ts'

interface BlueprintEditorProps {
  readonly initial: string
  readonly onChange: (text: string) => void
  readonly schema: Readonly<Record<string, unknown>>
  readonly validation: Validation | undefined
  readonly fault: string | undefined
  readonly onReady: (view: EditorView) => void
}

const format = (text: string): string | undefined => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return undefined
  }
}

/** The blueprint with completion from its schema and the compiler's words beside the lines. */
export const BlueprintEditor = ({
  initial,
  onChange,
  schema,
  validation,
  fault,
  onReady,
}: BlueprintEditorProps) => {
  const complete = useMemo(() => completeFrom(schema), [schema])
  const diagnose = (state: EditorState): Diagnostic[] => {
    if (fault !== undefined) return [{ from: 0, to: 1, severity: 'error', message: fault }]
    const errors = (validation?.errors ?? []).map(
      ({ pointer, message }): Diagnostic => ({
        ...placeOfPointer(state, pointer),
        severity: 'error',
        message,
      }),
    )
    const warnings = (validation?.warnings ?? []).map(
      (message): Diagnostic => ({
        ...placeOfPointer(state, pointerIn(message)),
        severity: 'warning',
        message,
      }),
    )
    return [...errors, ...warnings]
  }
  return (
    <Editor
      initial={initial}
      onChange={onChange}
      language="json"
      label="Blueprint"
      complete={complete}
      diagnose={diagnose}
      diagnosed={fault ?? validation}
      onSave={format}
      onReady={onReady}
    />
  )
}
