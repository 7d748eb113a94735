import { Field } from '../../parts/field.tsx'
import { Icon } from '../../parts/icon.tsx'
import type { Choice, Draft } from './scorer-draft.ts'

interface PartProps {
  readonly draft: Draft
  readonly set: (part: Partial<Draft>) => void
}

/** What a judge is asked, what it may answer, and what each answer is worth. */
export const JudgeFields = ({ draft, set }: PartProps) => (
  <div className="judge">
    <Field
      label="Prompt"
      hint="{{input}}, {{output}}, {{expected}} and {{metadata.…}} are filled in. The agent's text is fenced off from the prompt."
    >
      {(id) => (
        <textarea
          id={id}
          rows={9}
          value={draft.prompt}
          onChange={(event) => set({ prompt: event.target.value })}
        />
      )}
    </Field>
    <Choices choices={draft.choices} onChange={(choices) => set({ choices })} />
    <Field label="Model" hint="As provider/id. Leave empty for the default judge model.">
      {(id) => (
        <input
          id={id}
          className="mono"
          placeholder="provider/id"
          value={draft.model}
          onChange={(event) => set({ model: event.target.value })}
        />
      )}
    </Field>
    <div className="choices">
      <label className="choice">
        <input
          type="checkbox"
          checked={draft.useCot}
          onChange={(event) => set({ useCot: event.target.checked })}
        />
        Think step by step before deciding
      </label>
      <label className="choice">
        <input
          type="checkbox"
          checked={draft.allowSkip}
          onChange={(event) => set({ allowSkip: event.target.checked })}
        />
        Allow the judge to abstain when the question doesn't apply
      </label>
    </div>
  </div>
)

interface ChoicesProps {
  readonly choices: readonly Choice[]
  readonly onChange: (choices: readonly Choice[]) => void
}

const Choices = ({ choices, onChange }: ChoicesProps) => {
  const add = () => {
    const key = Math.max(-1, ...choices.map((one) => one.key)) + 1
    onChange([...choices, { key, label: '', score: '0' }])
  }
  return (
    <fieldset className="choices judge-choices">
      <legend className="legend">Choices</legend>
      {choices.length === 0 ? (
        <p className="quiet">Without choices, the judge returns a number from 0 to 1.</p>
      ) : null}
      {choices.map((choice, index) => (
        <div key={choice.key} className="judge-choice">
          <input
            aria-label={`Choice ${index + 1}`}
            placeholder="Answer"
            value={choice.label}
            onChange={(event) => onChange(choices.with(index, { ...choice, label: event.target.value }))}
          />
          <input
            aria-label={`Score of choice ${index + 1}`}
            type="number"
            min={0}
            max={1}
            step={0.05}
            value={choice.score}
            onChange={(event) => onChange(choices.with(index, { ...choice, score: event.target.value }))}
          />
          <button
            type="button"
            className="icon-button"
            aria-label={`Remove choice ${index + 1}`}
            onClick={() => onChange(choices.toSpliced(index, 1))}
          >
            <Icon name="close" size={14} />
          </button>
        </div>
      ))}
      <button type="button" className="button" onClick={add}>
        <Icon name="plus" size={14} /> Add a choice
      </button>
    </fieldset>
  )
}
