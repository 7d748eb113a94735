// A program that is instrumented with OpenTelemetry sends its spans to the service, which reads them as a trace.
import assert from 'node:assert/strict'
import { context, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { createClient } from '../sdk/index.ts'
import { openService } from './service.ts'

await using service = await openService()
const exporter = new OTLPTraceExporter({
  url: `${service.baseUrl}/v1/traces`,
  headers: { authorization: `Bearer ${service.apiKey}` },
})
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
trace.setGlobalTracerProvider(provider)
const tracer = trace.getTracer('example')

const root = tracer.startSpan('invoke_agent helper', {
  attributes: { 'gen_ai.operation.name': 'invoke_agent' },
})
const tool = tracer.startSpan(
  'execute_tool list_orders',
  { attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'list_orders' } },
  trace.setSpan(context.active(), root),
)
tool.end()
root.end()
const { traceId } = root.spanContext()
await provider.forceFlush()
await provider.shutdown()

const seen = await createClient(service).traces.get(traceId)
const names = seen.spans.map(({ name }) => name).sort()
console.log(`${traceId}: ${names.join(', ')}`)
assert.deepEqual(names, ['execute_tool list_orders', 'invoke_agent helper'])
