import { Annotation, type ChangeSet, type Extension } from '@codemirror/state'
import { type EditorView, keymap, ViewPlugin, type ViewUpdate } from '@codemirror/view'
import { now } from '../../clock.ts'

interface Step {
  readonly back: ChangeSet
  readonly at: number
}

const most = 500
const togetherMs = 500
const travelled = Annotation.define<'undo' | 'redo'>()

/** Remembers what was typed. Keys struck in quick succession are undone together. */
class History {
  private undone: Step[] = []
  private redone: Step[] = []

  update({ docChanged, changes, startState, transactions }: ViewUpdate): void {
    if (!docChanged) return
    const step = { back: changes.invert(startState.doc), at: now() }
    const way = transactions.map((one) => one.annotation(travelled)).find(Boolean)
    if (way === 'undo') this.redone.push(step)
    else this.undone.push(step)
    if (way === undefined) this.redone = []
    if (this.undone.length > most) this.undone.shift()
  }

  travel(view: EditorView, way: 'undo' | 'redo'): boolean {
    const steps = way === 'undo' ? this.undone : this.redone
    let last = steps.pop()
    if (!last) return true
    for (let count = 0; count < most; count++) {
      view.dispatch({ changes: last.back, annotations: travelled.of(way), scrollIntoView: true })
      const next = steps.at(-1)
      if (!next || last.at - next.at > togetherMs) break
      last = steps.pop() ?? last
    }
    return true
  }
}

const plugin = ViewPlugin.fromClass(History)

export const editorHistory = (): Extension => {
  const travel = (way: 'undo' | 'redo') => (view: EditorView) =>
    view.plugin(plugin)?.travel(view, way) ?? false
  return [
    plugin,
    keymap.of([
      { key: 'Mod-z', run: travel('undo'), preventDefault: true },
      { key: 'Mod-Shift-z', run: travel('redo'), preventDefault: true },
      { key: 'Mod-y', run: travel('redo'), preventDefault: true },
    ]),
  ]
}
