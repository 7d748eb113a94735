import type { Happening } from '@diorama/contract'
import { Moment } from '../parts/moment.tsx'
import { brief } from '../words.ts'
import { Entities } from './events-tab.tsx'

const kinds: Readonly<Record<string, string>> = { event: 'event', span: 'span', change: 'change in a twin' }

/** Events, spans and changes as one list in time. */
export const Happenings = ({ items }: { items: readonly Happening[] }) => (
  <ol className="happenings">
    {items.map((item) => (
      <li key={item.id}>
        <span className="mono quiet">
          <Moment at={item.event_time} />
        </span>
        <div>
          <p>
            <strong>{item.event_type}</strong> <span className="tag">{kinds[item.kind] ?? item.kind}</span>{' '}
            <span className="quiet">
              {item.source} · {item.topic}
            </span>
          </p>
          <p className="quiet wrap">{brief(item.payload, 220)}</p>
          <Entities entities={item.entities} />
        </div>
      </li>
    ))}
  </ol>
)
