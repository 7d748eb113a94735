import type { ModelProvider } from '@diorama/contract'
import { useAsk } from '../ask.ts'
import { Table, type TableColumn } from '../parts/lists/table.tsx'
import { Answered } from '../parts/states.tsx'
import { dollars } from '../words.ts'

interface Priced {
  readonly provider: string
  readonly model: string
  readonly price: ModelProvider['prices'][string]
}

const columns: readonly TableColumn<Priced>[] = [
  { name: 'Model', cell: ({ provider, model }) => `${provider}/${model}` },
  { name: 'Input', look: 'number', cell: ({ price }) => dollars(price.input) },
  { name: 'Cached input', look: 'number', cell: ({ price }) => dollars(price.cached_input ?? price.input) },
  { name: 'Output', look: 'number', cell: ({ price }) => dollars(price.output) },
]

/** What models cost, from all providers; each provider's form changes its own. */
export const Prices = () => {
  const listed = useAsk('listModelProviders')
  return (
    <section className="section">
      <h2>Prices</h2>
      <Answered asked={listed} rows={2}>
        {({ items }) => {
          const priced = items.flatMap(({ name, prices }) =>
            Object.entries(prices).map(([model, price]) => ({ provider: name, model, price })),
          )
          return priced.length === 0 ? (
            <p className="quiet">
              No prices yet. Add them to a provider: without a price, the cost of a call is unknown.
            </p>
          ) : (
            <>
              <p className="quiet">US dollars for a million tokens.</p>
              <Table
                label="Prices"
                columns={columns}
                rows={priced}
                keyOf={({ provider, model }) => `${provider}/${model}`}
              />
            </>
          )
        }}
      </Answered>
    </section>
  )
}
