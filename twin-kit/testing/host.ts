import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Instance } from '../kernel/instance.ts'
import { compileSeed, type FrozenSeed, freezeSeed } from '../kernel/seed.ts'
import { type AnyTwin, type Company, integration, type Step, type TwinRequest } from '../kernel/twin.ts'
import { holdReplies } from '../serve/holding.ts'
import { toTwinRequest } from '../wires/twin-request.ts'

/** The people of every twin test. Mira is the API owner. */
export const testCompany: Company = (() => {
  const person = (handle: string, firstName: string, lastName: string, title: string, timezone: string) => ({
    handle,
    firstName,
    lastName,
    name: `${firstName} ${lastName}`,
    email: `${handle}@northwind.example`,
    title,
    department: 'operations',
    timezone,
  })
  const mira = person('mira', 'Mira', 'Okafor', 'Head of Operations', 'Europe/Berlin')
  return {
    organization: {
      name: 'Northwind Supply',
      slug: 'northwind',
      description: 'A maker of small pumps.',
      industry: 'Manufacturing',
      emailDomain: 'northwind.example',
      headquarters: 'Hamburg, Germany',
    },
    people: [
      mira,
      person('dev', 'Dev', 'Sharma', 'Engineer', 'Asia/Kolkata'),
      person('lucia', 'Lucía', 'Fernández', 'Account Executive', 'America/New_York'),
    ],
    apiOwner: mira,
    clock: Date.parse('2026-03-02T09:00:00.000Z'),
  }
})()

/** A frozen seed of a twin, from a section written in a test. */
export const seedFor = (twin: AnyTwin, section: unknown, company: Company = testCompany): FrozenSeed =>
  freezeSeed(twin, compileSeed(twin, section, company).seed)

/** An instance whose tokens are made by the twin: `tokens.integration`, and one for each handle. */
export const startInstance = (seed: FrozenSeed, company: Company = testCompany) => {
  const bare = new Instance({ seed, principals: [] })
  const accounts = seed.twin.identities(bare.tables).map(({ subject }) => subject)
  const subjects = [...new Set([integration, ...company.people.map(({ handle }) => handle), ...accounts])]
  const principals = subjects.map((subject, n) => ({
    subject,
    token: seed.twin.token(subject, `0123456789abcdef0123456789abcde${n}`, bare.tables),
  }))
  const instance = new Instance({ seed, principals, strict: true })
  const tokens: Record<string, string> = Object.fromEntries(
    principals.map(({ subject, token }) => [subject, token]),
  )
  return { instance, tokens, token: tokens[integration] ?? '' }
}

/**
 * Serves an instance on loopback, so that the vendor's own clients can be pointed at it. The world's clock stands
 * still unless a test moves it by setting `clock.now`. With `below`, its address has that path, as a twin of the service
 * has.
 */
export const serveTwin = async (
  twin: AnyTwin,
  section: unknown,
  company: Company = testCompany,
  below = '',
) => {
  const { instance, tokens, token } = startInstance(seedFor(twin, section, company), company)
  const clock = { now: company.clock }
  const steps: Step[] = []
  const failures: unknown[] = []
  const holding = holdReplies()
  const answer = async (request: TwinRequest, until = Number.POSITIVE_INFINITY): Promise<Step> => {
    const { due, step, failure } = instance.handle(request, clock.now)
    if (due) steps.push(due)
    if (failure !== undefined) failures.push(failure)
    if (step.reply.hold && step.changes.length === 0) {
      const end = Math.min(until, performance.now() + step.reply.hold.maxMs)
      const inTime = await holding.wait(end - performance.now())
      return answer(inTime ? request : { ...request, waited: true }, end)
    }
    steps.push(step)
    if ((due?.changes.length ?? 0) + step.changes.length > 0) holding.wake()
    return step
  }
  const server = createServer((incoming, outgoing) => {
    void readBody(incoming)
      .then((body) => answer(requestBelow(incoming, body, baseUrl)))
      .then((step) => send(step, incoming, outgoing))
  })
  // A client that computes for a while finds its connection still there, as it does with the real services.
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address() as AddressInfo
  const baseUrl = `http://127.0.0.1:${address.port}${below}`
  return {
    instance,
    token,
    tokens,
    clock,
    /** Every step so far, oldest first. */
    steps,
    /** Bugs that callers saw as the vendor's internal error; a test should end with none. */
    failures,
    baseUrl,
    [Symbol.asyncDispose]: async () => {
      holding.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const readBody = async (incoming: IncomingMessage): Promise<Uint8Array> => {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const requestBelow = (incoming: IncomingMessage, body: Uint8Array, baseUrl: string): TwinRequest => {
  const url = incoming.url ?? '/'
  const base = new URL(baseUrl).pathname.replace(/\/$/, '')
  const target = url.startsWith(`${base}/`) ? url.slice(base.length) : `/outside${url}`
  return toTwinRequest({ method: incoming.method ?? 'GET', target, headers: incoming.headers, body, baseUrl })
}

const send = (step: Step, incoming: IncomingMessage, outgoing: ServerResponse): void => {
  const body = Buffer.from(step.reply.body)
  outgoing.writeHead(step.reply.status, { ...(step.reply.headers as Record<string, string | string[]>) })
  outgoing.end(incoming.method === 'HEAD' ? undefined : body)
}
