import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { otlpBodies } from './encode.ts'

const run = promisify(execFile)
const at = '2026-03-02T09:00:00.000Z'

const bodies = otlpBodies(
  [
    {
      trace_id: 'trl_1',
      name: 'trial of writer@1',
      attributes: { 'diorama.trial.id': 'trl_1' },
      spans: [
        {
          span_id: 'root',
          name: 'invoke_agent writer',
          kind: 'internal',
          status: 'ok',
          started_at: at,
          ended_at: at,
        },
        {
          span_id: 's',
          parent_span_id: 'root',
          name: 'gen_ai.evaluation.result',
          started_at: at,
          ended_at: at,
          attributes: { 'gen_ai.evaluation.score.value': 1 },
        },
      ],
    },
  ],
  { includeContent: false },
)

/** The JSON form of OTLP has ids in hex, where the messages' own JSON form has Base64; nothing else is changed. */
const script = `
import base64, json, sys
from google.protobuf.json_format import Parse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
def ids(value):
    if isinstance(value, list): return [ids(one) for one in value]
    if not isinstance(value, dict): return value
    return {k: base64.b64encode(bytes.fromhex(v)).decode() if k in ("traceId", "spanId", "parentSpanId") else ids(v) for k, v in value.items()}
given = ids(json.load(open(sys.argv[1])))
spans = Parse(json.dumps(given["traces"]), ExportTraceServiceRequest()).resource_spans[0].scope_spans[0].spans
logs = Parse(json.dumps(given["logs"]), ExportLogsServiceRequest()).resource_logs[0].scope_logs[0].log_records
print(json.dumps({
    "spans": [[span.name, len(span.trace_id), len(span.span_id)] for span in spans],
    "logs": [[log.event_name, log.span_id == spans[0].span_id, log.time_unix_nano == spans[0].start_time_unix_nano] for log in logs],
    "score": [one.value.double_value for one in logs[0].attributes if one.key == "gen_ai.evaluation.score.value"],
}))`

describe('trials by OTLP', () => {
  const folder = mkdtempSync(join(tmpdir(), 'diorama-otlp-'))
  const python = join(folder, 'venv', 'bin', 'python')
  let unavailable: string | undefined
  before(async () => {
    try {
      await run('python3', ['-m', 'venv', join(folder, 'venv')])
      await run(python, ['-m', 'pip', '-q', 'install', 'opentelemetry-proto'], { timeout: 600_000 })
    } catch (error) {
      unavailable = `opentelemetry-proto could not be installed: ${String(error).slice(0, 200)}`
    }
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  it("are messages of the protocol's own package", async (context) => {
    if (unavailable !== undefined) return context.skip(unavailable)
    const file = join(folder, 'bodies.json')
    writeFileSync(file, JSON.stringify(bodies))
    const { stdout } = await run(python, ['-c', script, file])
    assert.deepEqual(JSON.parse(stdout), {
      spans: [['invoke_agent writer', 16, 8]],
      logs: [['gen_ai.evaluation.result', true, true]],
      score: [1],
    })
  })
})
