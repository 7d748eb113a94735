import { useState } from 'react'
import { useAsk } from '../ask.ts'
import { Answered, Empty } from '../parts/states.tsx'
import { useAddress } from '../search.ts'
import { Happenings } from './happenings.tsx'

/** By meaning and by words, over all that was recorded. */
export const SearchTab = () => {
  const { search, change } = useAddress()
  const [text, setText] = useState(search.q ?? '')
  const found = useAsk(
    'search',
    { body: { query: search.q ?? '', limit: 50 } },
    { when: search.q !== undefined, keep: true },
  )
  return (
    <div className="page-body">
      <form
        className="search-form"
        onSubmit={(event) => {
          event.preventDefault()
          change({ q: text || undefined }, false)
        }}
      >
        <input
          type="search"
          aria-label="Search events and spans"
          placeholder="A customer is unhappy with a late delivery"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <button type="submit" className="button is-primary">
          Search
        </button>
      </form>
      {search.q === undefined ? (
        <Empty title="Search events and spans.">
          <p className="quiet">Matches by meaning as well as by words.</p>
        </Empty>
      ) : (
        <Answered asked={found}>
          {({ items }) => (items.length === 0 ? <Empty title="No results." /> : <Happenings items={items} />)}
        </Answered>
      )}
    </div>
  )
}
