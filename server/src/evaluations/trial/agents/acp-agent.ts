import type { TrialStep, Usage } from '@diorama/contract'
import { isRecord, jsonIn } from '@diorama/contract/records'
import type { McpServer } from '../tools/mcp-servers.ts'
import { noUsage } from '../usage.ts'

/** The input of the driver inside the sandbox: the agent's command, and the faces of the world in the form of ACP. */
export const acpJob = (command: string | readonly string[], servers: readonly McpServer[]): string =>
  JSON.stringify({
    command,
    mcpServers: servers.map(({ service, url, token }) => ({
      type: 'http',
      name: service,
      url,
      headers: [{ name: 'Authorization', value: `Bearer ${token}` }],
    })),
  })

export const acpChannelBytes = 8 * 1_048_576
const maxSteps = 2_000

/** What the agent reported of its tool calls and its usage. Reports are its own word: requests are recorded apart. */
export const reportsOf = (
  channel: Uint8Array,
  at: number,
): { steps: TrialStep[]; usage: Usage | undefined } => {
  const calls = new Map<string, { name: string; status: string }>()
  let cost: number | null = null
  for (const line of Buffer.from(channel).toString('utf8').split('\n')) {
    const update = parsed(line)
    if (update.sessionUpdate === 'usage_update') cost = amountOf(update.cost) ?? cost
    const id = update.toolCallId
    if (typeof id !== 'string' || calls.size >= maxSteps) continue
    const known = calls.get(id)
    calls.set(id, {
      name: String(update.title ?? known?.name ?? id).slice(0, 300),
      status: String(update.status ?? known?.status ?? 'pending').slice(0, 40),
    })
  }
  return {
    steps: [...calls].map(([id, { name, status }]) => ({
      kind: 'tool_call',
      name,
      status: status === 'completed' ? 'succeeded' : status,
      started_at: new Date(at).toISOString(),
      duration_ms: 0,
      detail: { reported_by: 'agent', tool_call_id: id.slice(0, 200) },
    })),
    usage: cost === null ? undefined : { ...noUsage, cost_usd: cost, model_calls: 1 },
  }
}

const parsed = (line: string): Readonly<Record<string, unknown>> => {
  const value = jsonIn(line)
  return isRecord(value) ? value : {}
}

const amountOf = (cost: unknown): number | undefined => {
  const amount = isRecord(cost) ? cost.amount : undefined
  return typeof amount === 'number' && Number.isFinite(amount) && amount >= 0 ? amount : undefined
}
