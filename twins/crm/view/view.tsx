import {
  Answered,
  amount,
  ChangeInspector,
  ChangeMark,
  Chip,
  type Column,
  column,
  Details,
  Empty,
  Icon,
  type LiveWorld,
  RecordTable,
  type StateItem,
  type TwinInstanceRecord,
  text,
  Unread,
  useAddress,
  useAsk,
  useCollection,
} from '@diorama/console/view-kit'
import { EditRecord } from './edit-record.tsx'
import { highlights } from './highlights.ts'

const objects: Readonly<Record<string, readonly Column[]>> = {
  Account: [
    column('Name', 'Name'),
    column('Type', 'Type'),
    column('Industry', 'Industry'),
    column('City', 'BillingCity'),
    amount('Revenue', 'AnnualRevenue'),
  ],
  Contact: [
    column('Name', 'Name'),
    column('Title', 'Title'),
    column('Account', 'AccountId'),
    column('E-mail', 'Email'),
    column('Phone', 'Phone'),
  ],
  Lead: [
    column('Name', 'Name'),
    column('Company', 'Company'),
    column('Status', 'Status'),
    column('Source', 'LeadSource'),
  ],
  Opportunity: [
    column('Name', 'Name'),
    column('Account', 'AccountId'),
    column('Stage', 'StageName'),
    amount('Amount', 'Amount'),
    amount('Probability', 'Probability'),
    column('Close date', 'CloseDate'),
  ],
  Case: [
    column('Case', 'CaseNumber'),
    column('Subject', 'Subject'),
    column('Status', 'Status'),
    column('Priority', 'Priority'),
    column('Account', 'AccountId'),
    column('Owner', 'OwnerId'),
  ],
  Task: [
    column('Subject', 'Subject'),
    column('Status', 'Status'),
    column('Priority', 'Priority'),
    column('Due', 'ActivityDate'),
  ],
  CaseComment: [column('Comment', 'CommentBody'), column('Created', 'CreatedDate')],
}
const names = ['Account', 'Contact', 'Lead', 'Opportunity', 'Case', 'Task']
const plurals: Readonly<Record<string, string>> = {
  Account: 'Accounts',
  Contact: 'Contacts',
  Lead: 'Leads',
  Opportunity: 'Opportunities',
  Case: 'Cases',
  Task: 'Tasks',
  CaseComment: 'Comments',
}

interface Parts {
  readonly live: LiveWorld
  readonly twin: TwinInstanceRecord
}

const prefixes: Readonly<Record<string, string>> = {
  '001': 'Account',
  '003': 'Contact',
  '006': 'Opportunity',
  '500': 'Case',
  '00Q': 'Lead',
  '00T': 'Task',
}

/** The company's customers: lists of records, and a page for each. */
export const View = ({ live, twin }: Parts) => {
  const { search } = useAddress()
  const keyed = useKeyed(twin.id, search.record)
  const collection = keyed?.collection ?? search.collection ?? 'Account'
  const records = useCollection(twin.id, collection)
  const state = useAsk('readTwinState', { params: { twinId: twin.id } }, { everyMs: 5_000 })
  const count = (name: string) => state.data?.collections.find((one) => one.name === name)?.count ?? 0
  const open = records.data?.find(
    ({ id, key }) => id === search.record || (key !== null && key === search.record),
  )
  return (
    <div className="split">
      <div className="split-main scrolls">
        <ObjectTabs current={collection} count={count} />
        {open ? (
          <RecordPage live={live} twin={twin} collection={collection} item={open} />
        ) : (
          <div className="page-body">
            <Unread list={records} of="records" />
            <Answered asked={records}>
              {(items) => (
                <RecordTable
                  live={live}
                  service="crm"
                  collection={collection}
                  items={items}
                  columns={objects[collection] ?? [column('Name', 'Name')]}
                />
              )}
            </Answered>
          </div>
        )}
      </div>
      <ChangeInspector live={live} />
    </div>
  )
}

/** A touchpoint names a record by its blueprint key, without saying of which object it is. */
const useKeyed = (twinId: string, record: string | undefined): { collection: string } | undefined => {
  const known = record === undefined ? undefined : prefixes[record.slice(0, 3)]
  const lists = [
    ['Account', useCollection(twinId, 'Account')],
    ['Contact', useCollection(twinId, 'Contact')],
    ['Lead', useCollection(twinId, 'Lead')],
    ['Opportunity', useCollection(twinId, 'Opportunity')],
    ['Case', useCollection(twinId, 'Case')],
  ] as const
  if (known !== undefined) return { collection: known }
  const found = lists.find(([, { data }]) => data?.some(({ key }) => key !== null && key === record))
  return found && record !== undefined ? { collection: found[0] } : undefined
}

const ObjectTabs = ({ current, count }: { current: string; count: (name: string) => number }) => {
  const { change } = useAddress()
  return (
    <div className="filters">
      <div className="chips">
        {names.map((name) => (
          <Chip
            key={name}
            on={current === name}
            onClick={() => change({ collection: name, record: undefined, open: undefined }, false)}
          >
            {plurals[name] ?? name} <span className="hint">{count(name)}</span>
          </Chip>
        ))}
      </div>
    </div>
  )
}

const related: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  Account: [
    ['Contact', 'AccountId'],
    ['Opportunity', 'AccountId'],
    ['Case', 'AccountId'],
  ],
  Contact: [['Case', 'ContactId']],
  Opportunity: [['Task', 'WhatId']],
  Case: [
    ['CaseComment', 'ParentId'],
    ['Task', 'WhatId'],
  ],
}
const noise = /^(Id|SystemModstamp|LastViewedDate|LastReferencedDate|PhotoUrl|IsDeleted|id)$/

/** Owners, accounts and contacts by name. */
const useNames = (twinId: string): ReadonlyMap<string, string> => {
  const lists = [
    useCollection(twinId, 'User'),
    useCollection(twinId, 'Account'),
    useCollection(twinId, 'Contact'),
  ]
  return new Map(lists.flatMap(({ data }) => data ?? []).map(({ id, record }) => [id, text(record, 'Name')]))
}

const RecordPage = ({ live, twin, collection, item }: Parts & { collection: string; item: StateItem }) => {
  const { change } = useAddress()
  const { record, id } = item
  const names = useNames(twin.id)
  const title = text(record, 'Name') || text(record, 'Subject') || text(record, 'CaseNumber') || id
  return (
    <article className="page-body record">
      <header className="record-head">
        <button type="button" className="link" onClick={() => change({ record: undefined }, false)}>
          <Icon name="back" size={12} /> {plurals[collection] ?? collection}
        </button>
        <h2>
          {collection === 'Case' ? `${text(record, 'CaseNumber')} · ` : ''}
          {title} <ChangeMark live={live} service="crm" collection={collection} id={id} />
        </h2>
        <dl className="highlights">
          {(highlights[collection] ?? []).map((field) => (
            <div key={field}>
              <dt>{field.replace('Name', '').replaceAll(/([a-z])([A-Z])/g, '$1 $2')}</dt>
              <dd>{text(record, field) || '–'}</dd>
            </div>
          ))}
        </dl>
      </header>
      <div className="record-body">
        <section className="section">
          <h3>Details</h3>
          <Details
            record={record}
            names={names}
            fields={Object.keys(record).filter((name) => !noise.test(name))}
            of={{ live, service: 'crm', collection, id }}
          />
        </section>
        <EditRecord key={id} twin={twin} collection={collection} item={item} />
        <div>
          {(related[collection] ?? []).map(([name, field]) => (
            <Related key={name} live={live} twin={twin} name={name} field={field} id={id} />
          ))}
          {related[collection] ? null : <Empty title="Nothing is related to this record." />}
        </div>
      </div>
    </article>
  )
}

const Related = ({ live, twin, name, field, id }: Parts & { name: string; field: string; id: string }) => {
  const records = useCollection(twin.id, name)
  const mine = records.data?.filter(({ record }) => text(record, field) === id)
  return (
    <section className="section">
      <h3>
        {plurals[name] ?? name} <span className="hint">{mine?.length}</span>
      </h3>
      <RecordTable
        live={live}
        service="crm"
        collection={name}
        items={mine}
        columns={(objects[name] ?? []).slice(0, 3)}
        inner
      />
    </section>
  )
}
