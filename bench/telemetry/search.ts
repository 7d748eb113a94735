import { randomBytes } from 'node:crypto'
import { type BenchService, type Line, percentile } from './service.ts'

const vectors = Number(process.env.VECTORS ?? 100_000)
const dimensions = 512
const samples = 100

/** Random directions with random words: as hard to tell apart as vectors can be. */
const fill = async ({ pool, organizationId }: BenchService): Promise<void> => {
  // The service has nothing to read into the search by itself meanwhile.
  await pool.query(
    `insert into search_positions select $1, kind, 'local:use-lite-512', '9000000000000'::xid8, 0
     from (values ('event'), ('span')) as kinds (kind) on conflict do nothing`,
    [organizationId],
  )
  const perStatement = 2_000
  for (let at = 0; at < vectors; at += perStatement) {
    const rows = Array.from({ length: perStatement }, (_, n) => {
      const vector = Float32Array.from(randomBytes(dimensions), (byte) => (byte - 127.5) / 1_670)
      return {
        id: `evt_v${String(at + n).padStart(12, '0')}`,
        bits: Array.from(vector, (value) => (value > 0 ? '1' : '0')).join(''),
        vector: Buffer.from(vector.buffer).toString('hex'),
        words: `parcel ${randomBytes(3).toString('hex')} ORD-${at + n} warehouse`,
      }
    })
    await pool.query(
      `with sent as materialized (
        select * from json_to_recordset($1::json) as sent (id text, bits text, vector text, words text)
      ), made as (
        insert into events (id, organization_id, event_time, recorded_at, source, topic, event_type, entities, payload, ord)
        select id, $2, now(), now(), 's', 't', 'e', '{}', '{}', 0 from sent)
      insert into search_entries (event_id, organization_id, kind, event_time, source, topic, event_type, embedder, bits,
        vector, words)
      select id, $2, 'event', now(), 's', 't', 'e', 'local:use-lite-512', bits::varbit, decode(vector, 'hex'),
        to_tsvector('simple', words) from sent`,
      [JSON.stringify(rows), organizationId],
    )
  }
  await pool.query('vacuum analyze search_entries')
}

/** Needs a service with DIORAMA_EMBEDDINGS=local. */
export const searching = async (service: BenchService): Promise<Line[]> => {
  await fill(service)
  const times: number[] = []
  for (let n = 0; n < samples + 10; n++) {
    const query = `what became of order ORD-${n * 37}`
    const start = performance.now()
    await service.call('POST', '/v1/search', JSON.stringify({ query }))
    if (n >= 10) times.push(performance.now() - start)
  }
  const p99 = percentile(times, 0.99)
  return [
    {
      what: `search over ${vectors} vectors: p50 ${percentile(times, 0.5).toFixed(1)} ms, p99 in ms`,
      value: p99,
      target: '< 300',
      met: p99 < 300,
    },
  ]
}
