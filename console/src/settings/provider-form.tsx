import type { ModelProvider, ModelWire } from '@diorama/contract'
import { type FormEvent, useState } from 'react'
import { useChange } from '../ask.ts'
import { Field } from '../parts/field.tsx'
import { Modal } from '../parts/modal.tsx'
import { Failure } from '../parts/states.tsx'

const wires: Readonly<Record<ModelWire, string>> = {
  openai: 'OpenAI: chat completions and responses',
  anthropic: 'Anthropic: messages',
  gemini: 'Gemini: generateContent',
}
const isWire = (text: string): text is ModelWire => text in wires

interface PriceRow {
  readonly key: number
  readonly model: string
  readonly input: string
  readonly output: string
  readonly cached: string
}

interface Draft {
  readonly name: string
  readonly wire: ModelWire
  readonly baseUrl: string
  readonly apiKey: string
  readonly hosts: string
  readonly models: string
  readonly agents: boolean
  readonly prices: readonly PriceRow[]
}

const draftOf = (provider: ModelProvider | undefined): Draft => ({
  name: provider?.name ?? '',
  wire: provider?.wire ?? 'openai',
  baseUrl: provider?.base_url ?? '',
  apiKey: '',
  hosts: provider?.hosts.join(' ') ?? '',
  models: provider?.models?.join(' ') ?? '',
  agents: provider?.agents ?? true,
  prices: Object.entries(provider?.prices ?? {}).map(([model, price], key) => ({
    ...{ key, model, input: String(price.input), output: String(price.output) },
    cached: price.cached_input === undefined ? '' : String(price.cached_input),
  })),
})

const words = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== '')

const bodyOf = (draft: Draft) => ({
  wire: draft.wire,
  base_url: draft.baseUrl.trim() === '' ? null : draft.baseUrl.trim(),
  hosts: words(draft.hosts),
  models: words(draft.models).length === 0 ? null : words(draft.models),
  agents: draft.agents,
  prices: Object.fromEntries(
    draft.prices
      .filter(({ model }) => model.trim() !== '')
      .map(({ model, input, output, cached }) => [
        model.trim(),
        {
          ...{ input: Number(input), output: Number(output) },
          ...(cached === '' ? {} : { cached_input: Number(cached) }),
        },
      ]),
  ),
  // Left out, the stored key stays.
  ...(draft.apiKey === '' ? {} : { api_key: draft.apiKey }),
})

interface ProviderFormProps {
  readonly provider: ModelProvider | undefined
  readonly onClose: () => void
}

/** Adds a provider, or replaces its settings. The key can be written and not read. */
export const ProviderForm = ({ provider, onClose }: ProviderFormProps) => {
  const put = useChange('putModelProvider')
  const [draft, setDraft] = useState(() => draftOf(provider))
  const set = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    put.mutate({ params: { name: draft.name }, body: bodyOf(draft) }, { onSuccess: onClose })
  }
  return (
    <Modal title={provider ? `Edit ${provider.name}` : 'Add a provider'} open onClose={onClose}>
      <form className="form" onSubmit={submit} autoComplete="off">
        {provider ? null : (
          <Field
            label="Name"
            hint="Models are called by it: name/model. A vendor's name replaces the default."
          >
            {(id) => (
              <input
                id={id}
                value={draft.name}
                onChange={(event) => set({ name: event.target.value })}
                pattern="[a-z0-9][a-z0-9._\-]{0,59}"
                placeholder="openai"
                required
              />
            )}
          </Field>
        )}
        <Endpoint draft={draft} set={set} hasKey={provider?.has_key === true} />
        <Allowed draft={draft} set={set} />
        <Prices draft={draft} set={set} />
        {put.error ? <Failure error={put.error} /> : null}
        <div className="modal-actions">
          <button type="submit" className="button is-primary" disabled={draft.name === '' || put.isPending}>
            Save
          </button>
        </div>
      </form>
    </Modal>
  )
}

interface PartProps {
  readonly draft: Draft
  readonly set: (part: Partial<Draft>) => void
}

const Endpoint = ({ draft, set, hasKey }: PartProps & { hasKey: boolean }) => (
  <>
    <Field label="API format">
      {(id) => (
        <select
          id={id}
          value={draft.wire}
          onChange={(event) => set({ wire: isWire(event.target.value) ? event.target.value : 'openai' })}
        >
          {Object.entries(wires).map(([wire, name]) => (
            <option key={wire} value={wire}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
    <Field label="Base URL" hint="Empty for the vendor's own host.">
      {(id) => (
        <input
          id={id}
          value={draft.baseUrl}
          onChange={(event) => set({ baseUrl: event.target.value })}
          placeholder="https://models.example/v1"
          maxLength={2_000}
        />
      )}
    </Field>
    <Field
      label="Key"
      hint={
        hasKey
          ? 'A key is stored. Empty keeps it; another wire or base URL needs it again.'
          : 'Encrypted at rest, and never shown again.'
      }
    >
      {(id) => (
        <input
          id={id}
          type="password"
          value={draft.apiKey}
          onChange={(event) => set({ apiKey: event.target.value })}
          autoComplete="new-password"
        />
      )}
    </Field>
  </>
)

const Allowed = ({ draft, set }: PartProps) => (
  <>
    <Field label="Models" hint="Ids that may be called, with * as a wildcard. Empty for all.">
      {(id) => (
        <input id={id} value={draft.models} onChange={(event) => set({ models: event.target.value })} />
      )}
    </Field>
    <Field label="More hosts" hint="Host names at which agents find it, beside that of the base URL.">
      {(id) => <input id={id} value={draft.hosts} onChange={(event) => set({ hosts: event.target.value })} />}
    </Field>
    <label className="choice">
      <input type="checkbox" checked={draft.agents} onChange={() => set({ agents: !draft.agents })} />
      Agents in trials may call it
    </label>
  </>
)

const Prices = ({ draft, set }: PartProps) => {
  const change = (key: number, part: Partial<PriceRow>) =>
    set({ prices: draft.prices.map((row) => (row.key === key ? { ...row, ...part } : row)) })
  const next = Math.max(-1, ...draft.prices.map(({ key }) => key)) + 1
  return (
    <fieldset className="prices">
      <legend className="legend">Prices in US dollars for a million tokens</legend>
      {draft.prices.map((row, n) => (
        <div key={row.key} className="price-row">
          <input
            aria-label={`Model ${n + 1}`}
            placeholder="model"
            value={row.model}
            onChange={(event) => change(row.key, { model: event.target.value })}
          />
          {(['input', 'output', 'cached'] as const).map((field) => (
            <input
              key={field}
              type="number"
              min={0}
              step="any"
              aria-label={`${field} price of model ${n + 1}`}
              placeholder={field}
              value={row[field]}
              required={field !== 'cached' && row.model !== ''}
              onChange={(event) => change(row.key, { [field]: event.target.value })}
            />
          ))}
          <button
            type="button"
            className="link"
            onClick={() => set({ prices: draft.prices.filter(({ key }) => key !== row.key) })}
          >
            Remove<span className="unseen"> the price of model {n + 1}</span>
          </button>
        </div>
      ))}
      <button
        type="button"
        className="button"
        onClick={() =>
          set({ prices: [...draft.prices, { key: next, model: '', input: '', output: '', cached: '' }] })
        }
      >
        Add a price
      </button>
    </fieldset>
  )
}
