import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Kysely, PostgresDialect } from 'kysely'
import { makeIds } from '../../server/src/storage/ids.ts'
import { silentLog } from '../../server/src/storage/log.ts'
import type { Database } from '../../server/src/storage/schema.ts'
import { normalized } from '../../server/src/telemetry/search/embedder.ts'
import { makeNearIndex } from '../../server/src/telemetry/search/near-index.ts'
import { searchStore } from '../../server/src/telemetry/search/search-store.ts'
import { wordsOf } from '../../server/src/telemetry/traces/content.ts'
import { type BenchService, type Line, openService, percentile } from './service.ts'

const vectors = Number(process.env.VECTORS ?? 100_000)
const dimensions = 512
const samples = 200
const perStatement = 2_000

const randomVector = () => normalized(Array.from(randomBytes(dimensions), (byte) => byte - 127.5))

/** Random directions, as hard to tell apart as vectors can be, with one word that all hold and one of each its own. */
const fill = async ({ pool, organizationId }: BenchService, embedder: string): Promise<boolean> => {
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
  const store = searchStore({ db })
  const makeId = makeIds({ now: Date.now, random: randomBytes })
  // The service has nothing to read into the search on its own meanwhile.
  const end = { tx: 9_000_000_000_000n, ord: 0 }
  await store.put({ organizationId, kind: 'span' }, embedder, [], end)
  for (let at = 0; at < vectors; at += perStatement) {
    const entries = Array.from({ length: perStatement }, (_, n) => ({
      eventId: makeId('evt'),
      kind: 'event' as const,
      eventTime: new Date().toISOString(),
      source: 'shop',
      topic: `topic-${n % 20}`,
      eventType: 'created',
      vector: randomVector(),
      words: wordsOf(`parcel ${randomBytes(3).toString('hex')} ORD-${at + n} warehouse`),
    }))
    await pool.query(
      `with sent as materialized (select * from unnest($1::text[], $2::int[]) as sent (id, n)), linked as (
        insert into event_entities select $3, 'customer', 'c-' || n % 400, now(), id, 'event' from sent)
      insert into events (id, organization_id, event_time, recorded_at, source, topic, event_type, entities, payload, ord)
      select id, $3, now(), now(), 'shop', 'topic', 'created', jsonb_build_object('customer', 'c-' || n % 400),
        jsonb_build_object('n', n), n from sent`,
      [entries.map(({ eventId }) => eventId), entries.map((_, n) => at + n), organizationId],
    )
    await store.put({ organizationId, kind: 'event' }, embedder, entries, end)
  }
  const indexed = await makeNearIndex({ db, log: silentLog }, embedder, dimensions)
  await pool.query('vacuum analyze search_entries')
  await pool.query('vacuum analyze events, event_entities')
  return indexed
}

/** Each call's times. They take turns, so that whatever else the machine does falls on all of them. */
const timed = async (...calls: ((n: number) => Promise<unknown>)[]): Promise<number[][]> => {
  const times = calls.map((): number[] => [])
  for (let n = 0; n < samples + 20; n++)
    for (const [place, call] of calls.entries()) {
      const start = performance.now()
      await call(n)
      if (n >= 20) times[place]?.push(performance.now() - start)
    }
  return times
}

const search = (service: BenchService) => (n: number) =>
  service.call('POST', '/v1/search', JSON.stringify({ query: `what became of order ORD-${n * 37}` }))

/** The whole of a search, with the model that ships inside the package. */
export const searching = async (): Promise<Line[]> => {
  await using service = await openService({ DIORAMA_EMBEDDINGS: 'local' })
  const indexed = await fill(service, 'local:use-lite-512')
  const [times = []] = await timed(search(service))
  const p99 = percentile(times, 0.99)
  return [
    {
      what: `search over ${vectors} vectors ${indexed ? 'with' : 'without'} pgvector: p50 ${percentile(times, 0.5).toFixed(1)} ms, p99 in ms`,
      value: p99,
      target: '< 300',
      met: p99 < 300,
    },
  ]
}

/** An embeddings endpoint that answers at once: what is measured is the search, and not a model. */
const openEndpoint = async () => {
  const server = createServer((request, reply) => {
    request.resume()
    request.on('end', () => {
      reply.setHeader('content-type', 'application/json')
      reply.end(JSON.stringify({ data: [{ index: 0, embedding: Array.from(randomVector()) }] }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() }
}

/** Search through the index of pgvector beside the exact filter by entity, both by the middle and by the slowest. */
export const indexing = async (): Promise<Line[]> => {
  const endpoint = await openEndpoint()
  try {
    await using service = await openService({
      DIORAMA_EMBEDDINGS: 'openai-compatible',
      DIORAMA_EMBEDDING_MODEL: 'bench',
      OPENAI_BASE_URL: endpoint.url,
      OPENAI_API_KEY: 'none',
    })
    if (!(await fill(service, 'remote:bench')))
      return [
        { what: 'the database has no pgvector: nothing to measure', value: 0, target: 'told', met: true },
      ]
    const [exact = [], found = []] = await timed(
      (n) => service.call('GET', `/v1/events?limit=20&entity_type=customer&entity_id=c-${n % 400}`),
      search(service),
    )
    return [0.5, 0.99].map((share) => {
      const [near, filter] = [percentile(found, share), percentile(exact, share)]
      return {
        what: `search through pgvector, p${share * 100} ${near.toFixed(1)} ms, entity filter ${filter.toFixed(1)} ms`,
        value: near / filter,
        target: '<= 3',
        met: near / filter <= 3,
      }
    })
  } finally {
    endpoint.close()
  }
}
