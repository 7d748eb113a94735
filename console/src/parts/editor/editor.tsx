import {
  autocompletion,
  type CompletionSource,
  closeBrackets,
  completionKeymap,
} from '@codemirror/autocomplete'
import { javascript } from '@codemirror/lang-javascript'
import { json } from '@codemirror/lang-json'
import { python } from '@codemirror/lang-python'
import { bracketMatching, foldGutter, indentOnInput, syntaxHighlighting } from '@codemirror/language'
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint'
import { EditorState, type Extension } from '@codemirror/state'
import { EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { classHighlighter } from '@lezer/highlight'
import { useEffect, useRef } from 'react'
import { styleNonce } from '../../nonce.ts'
import { editorHistory } from './editor-history.ts'

export type EditorLanguage = 'json' | 'python' | 'typescript'

export interface EditorProps {
  readonly initial: string
  readonly onChange: (text: string) => void
  readonly language: EditorLanguage
  readonly label: string
  readonly complete?: CompletionSource
  readonly diagnose?: (state: EditorState) => readonly Diagnostic[]
  /** Changes when there is something new to show in the margin. */
  readonly diagnosed?: unknown
  readonly onSave?: (text: string) => string | undefined
  readonly onReady?: (view: EditorView) => void
}

const languages: Readonly<Record<EditorLanguage, () => Extension>> = {
  json: () => json(),
  python: () => python(),
  typescript: () => javascript({ typescript: true }),
}

const look = EditorView.theme({
  '&': { fontSize: '1.2rem', color: 'var(--ink)', backgroundColor: 'var(--raised)' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--sunk)', color: 'var(--ink-3)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--hover) 45%, transparent)' },
  '.cm-activeLineGutter': { backgroundColor: 'var(--hover)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-tooltip': { backgroundColor: 'var(--raised)', border: '1px solid var(--line)', color: 'var(--ink)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--chosen)', color: 'var(--ink)' },
})

const extensions = (live: { current: EditorProps }): Extension[] => {
  const { complete, label, language } = live.current
  const save = (view: EditorView) => {
    const text = live.current.onSave?.(view.state.doc.toString())
    if (text !== undefined && text !== view.state.doc.toString())
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } })
    return true
  }
  return [
    EditorView.cspNonce.of(styleNonce()),
    lineNumbers(),
    foldGutter(),
    lintGutter(),
    bracketMatching(),
    closeBrackets(),
    indentOnInput(),
    highlightActiveLine(),
    EditorView.lineWrapping,
    syntaxHighlighting(classHighlighter),
    languages[language](),
    complete ? autocompletion({ override: [complete] }) : autocompletion(),
    editorHistory(),
    keymap.of([...completionKeymap, { key: 'Mod-s', run: save, preventDefault: true }]),
    look,
    EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
    EditorView.updateListener.of(({ docChanged, state }) => {
      if (docChanged) live.current.onChange(state.doc.toString())
    }),
  ]
}

/** A real editor: highlighting, completion, faults in the margin. It is remade when its key changes. */
export const Editor = (props: EditorProps) => {
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const live = useRef(props)
  live.current = props
  useEffect(() => {
    if (!place.current) return
    const made = new EditorView({
      parent: place.current,
      state: EditorState.create({ doc: live.current.initial, extensions: extensions(live) }),
    })
    view.current = made
    live.current.onReady?.(made)
    return () => made.destroy()
  }, [])
  useEffect(() => {
    const { current } = view
    if (current && props.diagnosed !== undefined)
      current.dispatch(setDiagnostics(current.state, live.current.diagnose?.(current.state) ?? []))
  }, [props.diagnosed])
  return <div ref={place} className="editor" />
}
