import type { ScorerWeight } from '@diorama/contract'
import { Link } from '@tanstack/react-router'
import { useAll } from '../../ask.ts'
import { Field } from '../../parts/field.tsx'
import { weightName } from '../../words.ts'

/** A scorer as a task uses it. An empty threshold leaves it to the scorer itself. */
export interface Binding {
  readonly scorerId: string
  readonly name: string
  readonly weight: ScorerWeight
  readonly threshold: string
  /** The version it was bound in; none for one that is bound now. */
  readonly version: number | undefined
}

const weights: readonly ScorerWeight[] = ['low', 'med', 'high']
const isWeight = (value: string): value is ScorerWeight => weights.some((weight) => weight === value)

interface ScorerBindingsProps {
  readonly bindings: readonly Binding[]
  readonly onChange: (bindings: readonly Binding[]) => void
}

/** The scorers of a task: which, how much each weighs, and from which score each is satisfied. */
export const ScorerBindings = ({ bindings, onChange }: ScorerBindingsProps) => {
  const library = useAll('listScorers').data?.items ?? []
  const free = library.filter(({ id }) => !bindings.some(({ scorerId }) => scorerId === id))
  const add = (id: string) => {
    const scorer = library.find((one) => one.id === id)
    if (scorer)
      onChange([
        ...bindings,
        { scorerId: id, name: scorer.name, weight: 'med', threshold: '', version: undefined },
      ])
  }
  return (
    <fieldset className="choices bindings">
      <legend className="legend">Scorers</legend>
      {bindings.length === 0 ? (
        <p className="status-warning">Without a scorer, trials of this task get no verdict.</p>
      ) : null}
      {bindings.map((binding, index) => (
        <BindingRow
          key={binding.scorerId}
          binding={binding}
          newest={library.find(({ id }) => id === binding.scorerId)?.version}
          onChange={(changed) => onChange(bindings.with(index, changed))}
          onRemove={() => onChange(bindings.toSpliced(index, 1))}
        />
      ))}
      <Field label="Add a scorer" hint="Saving pins each scorer at its latest version.">
        {(id) => (
          <select id={id} value="" onChange={(event) => add(event.target.value)}>
            <option value="">{free.length === 0 ? 'No other scorers' : 'Choose a scorer'}</option>
            {free.map(({ id: value, name, slug }) => (
              <option key={value} value={value}>
                {name} ({slug})
              </option>
            ))}
          </select>
        )}
      </Field>
    </fieldset>
  )
}

interface BindingRowProps {
  readonly binding: Binding
  readonly newest: number | undefined
  readonly onChange: (binding: Binding) => void
  readonly onRemove: () => void
}

const BindingRow = ({ binding, newest, onChange, onRemove }: BindingRowProps) => (
  <div className="binding">
    <span className="binding-name">
      <Link to="/scorers/$scorerId" params={{ scorerId: binding.scorerId }}>
        {binding.name}
      </Link>{' '}
      <span className="hint">
        {binding.version === undefined || newest === undefined || binding.version === newest
          ? `version ${newest ?? binding.version ?? ''}`
          : `version ${binding.version}, ${newest} when saved`}
      </span>
    </span>
    <label className="binding-part">
      <span className="hint">Weight</span>
      <select
        value={binding.weight}
        aria-label={`Weight of ${binding.name}`}
        onChange={(event) =>
          onChange({ ...binding, weight: isWeight(event.target.value) ? event.target.value : 'med' })
        }
      >
        {weights.map((weight) => (
          <option key={weight} value={weight}>
            {weightName(weight)}
          </option>
        ))}
      </select>
    </label>
    <label className="binding-part">
      <span className="hint">Pass threshold</span>
      <input
        type="number"
        min={0}
        max={1}
        step={0.05}
        placeholder="default"
        aria-label={`Pass threshold of ${binding.name}`}
        value={binding.threshold}
        onChange={(event) => onChange({ ...binding, threshold: event.target.value })}
      />
    </label>
    <button type="button" className="link" onClick={onRemove}>
      Remove<span className="unseen"> {binding.name}</span>
    </button>
  </div>
)
