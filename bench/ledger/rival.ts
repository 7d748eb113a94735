import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { createEmulator } from 'emulate'

// The other side of bench/chat.ts: emulate's own server, with the same hundred messages.

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const probe = createServer()
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => resolve(port))
    })
  })

const port = await freePort()
await createEmulator({ service: 'slack', port })
const url = `http://127.0.0.1:${port}`
const token = 'xoxb-bench'
const call = async (method: string, args: Record<string, string>) => {
  const reply = await fetch(`${url}/api/${method}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: new URLSearchParams(args),
  })
  return (await reply.json()) as { ok: boolean; error?: string; channel?: { id: string } }
}
const made = await call('conversations.create', { name: 'bench' })
const channel = made.channel?.id ?? ''
for (let n = 0; n < 100; n++)
  await call('chat.postMessage', {
    channel,
    text: `order pump valve invoice supplier delay shipment customer ${n}`,
  })
process.send?.({ url, token, channel, tokens: 2_000 })
process.on('message', () => process.send?.(process.cpuUsage()))
process.on('disconnect', () => process.exit(0))
