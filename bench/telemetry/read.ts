import { type BenchService, type Line, percentile } from './service.ts'

const small = 10_000
const samples = 200
/** What is read often lies in memory, at any size: each entity is read before it counts. */
const warming = 200

const fill = async ({ pool, organizationId }: BenchService, from: number, to: number): Promise<void> => {
  for (let at = from; at < to; at += 20_000)
    await pool.query(
      `with made as materialized (
        select 'evt_b' || lpad(n::text, 12, '0') as id, now() - ($3 - n) * interval '1 second' as at, n
        from generate_series($1::int, least($2::int, $1::int + 19999)) as n
      ), linked as (
        insert into event_entities select $4, kind, id_of, at, id, 'event' from made,
          lateral (values ('order', (n % 100)::text), ('customer', 'c-' || n % 100)) as link (kind, id_of)
      )
      insert into events (id, organization_id, event_time, recorded_at, source, topic, event_type, entities, payload, ord)
      select id, $4, at, at, 'shop', 'topic-' || n % 20, 'created',
        jsonb_build_object('order', (n % 100)::text, 'customer', 'c-' || n % 100),
        jsonb_build_object('n', n, 'text', 'The parcel for the north warehouse left on time.'), n
      from made`,
      [at, to - 1, to, organizationId],
    )
}

const paths = {
  list: () => '/v1/events?limit=50',
  'list by topic': () => `/v1/events?limit=50&topic=topic-${Math.floor(Math.random() * 20)}`,
  'entity filter': () =>
    `/v1/events?limit=50&entity_type=customer&entity_id=c-${Math.floor(Math.random() * 100)}`,
  timeline: () => `/v1/timeline/order/${Math.floor(Math.random() * 100)}?limit=50`,
}

const measure = async (service: BenchService): Promise<Map<string, number>> => {
  const medians = new Map<string, number>()
  for (const [name, path] of Object.entries(paths)) {
    const times: number[] = []
    for (let n = 0; n < samples + warming; n++) {
      const start = performance.now()
      await service.call('GET', path())
      if (n >= warming) times.push(performance.now() - start)
    }
    medians.set(name, percentile(times, 0.5))
  }
  return medians
}

/** The same questions at ten thousand events and at many more. The events of each entity grow a hundredfold too. */
export const growing = async (service: BenchService, large: number): Promise<Line[]> => {
  await service.pool.query('truncate events, event_entities')
  await fill(service, 0, small)
  await service.pool.query('vacuum analyze events, event_entities')
  const before = await measure(service)
  await fill(service, small, large)
  await service.pool.query('vacuum analyze events, event_entities')
  const after = await measure(service)
  return [...before].map(([name, median]) => {
    const grown = after.get(name) ?? Number.NaN
    return {
      what: `${name}: p50 ${median.toFixed(2)} ms at ${small}, ${grown.toFixed(2)} ms at ${large}`,
      value: grown / median,
      target: '<= 1.5',
      met: grown / median <= 1.5,
    }
  })
}
