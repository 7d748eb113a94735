import type { ModelProvider } from '@diorama/contract'
import { useState } from 'react'
import { useAsk, useChange } from '../ask.ts'
import { Confirmation } from '../parts/confirmation.tsx'
import { Table, type TableColumn } from '../parts/lists/table.tsx'
import { Answered } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { plural } from '../words.ts'
import { ProviderForm } from './provider-form.tsx'
import { ProviderTest } from './provider-test.tsx'

type Opened = { readonly what: 'edit' | 'test' | 'delete'; readonly provider: ModelProvider }

/** Where models are reached: add, edit, try and delete. Keys go in and never come out. */
export const Providers = () => {
  const listed = useAsk('listModelProviders')
  const [adding, setAdding] = useState(false)
  const [opened, setOpened] = useState<Opened>()
  const close = () => setOpened(undefined)
  return (
    <section className="section" aria-labelledby="model-providers">
      <div className="section-head">
        <h2 id="model-providers">Model providers</h2>
        <button type="button" className="button" onClick={() => setAdding(true)}>
          Add a provider
        </button>
      </div>
      <Answered asked={listed} rows={3}>
        {({ items }) => <ProviderTable items={items} onOpen={setOpened} />}
      </Answered>
      {adding ? <ProviderForm provider={undefined} onClose={() => setAdding(false)} /> : null}
      {opened?.what === 'edit' ? <ProviderForm provider={opened.provider} onClose={close} /> : null}
      {opened?.what === 'test' ? <ProviderTest provider={opened.provider} onClose={close} /> : null}
      {opened?.what === 'delete' ? <Remove provider={opened.provider} onClose={close} /> : null}
    </section>
  )
}

const keyWord = ({ has_key, usable }: ModelProvider) =>
  has_key ? (
    <Status value="ready" label="key stored" />
  ) : usable ? (
    <span className="quiet">needs none</span>
  ) : (
    <Status value="degraded" label="no key" />
  )

const columns: readonly TableColumn<ModelProvider>[] = [
  { name: 'Name', cell: ({ name }) => name },
  { name: 'API format', cell: ({ wire }) => wire },
  {
    name: 'Base URL',
    look: 'quiet wrap',
    cell: ({ base_url, source }) =>
      base_url ?? (source === 'environment' ? 'set by the deployment' : 'the default'),
  },
  { name: 'Key', cell: keyWord },
  { name: 'Agents', cell: ({ agents }) => (agents ? 'allowed' : 'not allowed') },
  { name: 'Prices', look: 'quiet', cell: ({ prices }) => plural(Object.keys(prices).length, 'model') },
]

const ProviderTable = ({
  items,
  onOpen,
}: {
  items: readonly ModelProvider[]
  onOpen: (opened: Opened) => void
}) => {
  const action = (what: Opened['what'], word: string, provider: ModelProvider) => (
    <button key={what} type="button" className="link" onClick={() => onOpen({ what, provider })}>
      {word}
      <span className="unseen"> {provider.name}</span>
    </button>
  )
  return (
    <Table
      label="Model providers"
      rows={items}
      keyOf={({ name }) => name}
      columns={[
        ...columns,
        {
          name: 'Actions',
          unnamed: true,
          look: 'number',
          cell: (provider) => (
            <span className="chips">
              {action('test', 'Test', provider)}
              {action('edit', 'Edit', provider)}
              {provider.source === 'organization' ? action('delete', 'Delete', provider) : null}
            </span>
          ),
        },
      ]}
    />
  )
}

const Remove = ({ provider, onClose }: { provider: ModelProvider; onClose: () => void }) => {
  const remove = useChange('deleteModelProvider')
  return (
    <Confirmation
      title={`Delete ${provider.name}?`}
      about="Its key and prices are gone. A default of the deployment with the same name counts again."
      yes="Delete the provider"
      doing={remove}
      onYes={() => remove.mutate({ params: { name: provider.name } }, { onSuccess: onClose })}
      onClose={onClose}
    />
  )
}
