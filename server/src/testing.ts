import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type App, openApp } from './app.ts'
import { type Config, readConfig } from './config.ts'
import { silentLog } from './storage/log.ts'
import { openStorage } from './storage/storage.ts'
import { type TestStorage, testStorage } from './storage/testing.ts'
import type { TwinModel } from './twins/registry.ts'

export interface TestService {
  readonly app: App
  readonly baseUrl: string
  /** The operator's key. */
  readonly key: string
  readonly storage: TestStorage['storage']
  readonly databaseUrl: string
  readonly dataDir: string
  /** Calls the service with the operator's key, or another one; a body is sent as JSON. */
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Called>
  /** Bugs and warnings that were logged. */
  readonly logged: { level: string; facts: object; message: string }[]
  [Symbol.asyncDispose](): Promise<void>
}

export interface CallOptions {
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string>>
}

export interface Called {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into replies of every shape; the edge checks them against their schemas.
  readonly body: any
  readonly text: string
}

/** Runs as real time does, and can be moved on. The database keeps its own time. */
export interface TestClock {
  readonly now: () => number
  readonly advance: (ms: number) => void
}

export const testClock = (): TestClock => {
  let ahead = 0
  return {
    now: () => Date.now() + ahead,
    advance: (ms) => {
      ahead += ms
    },
  }
}

/** The whole service on its own database and its own port; every reply is held against its schema. */
export const testService = async (
  overrides: Partial<Config> = {},
  models?: readonly TwinModel[],
  clock: TestClock = testClock(),
): Promise<TestService> => {
  const database = await testStorage()
  const key = `dk_${randomBytes(24).toString('hex')}`
  return openService({ database, key, overrides, models, now: clock.now })
}

/** A second node on the database of a first one. */
export const joinService = async (
  first: TestService,
  models?: readonly TwinModel[],
  overrides: Partial<Config> = {},
): Promise<TestService> => {
  const storage = await openStorage({
    databaseUrl: first.databaseUrl,
    dataDir: first.dataDir,
    log: silentLog,
    now: Date.now,
    random: randomBytes,
  })
  const database = { storage, url: first.databaseUrl, [Symbol.asyncDispose]: () => storage.close() }
  return openService({ database, key: first.key, overrides, models, now: Date.now })
}

const openService = async ({
  database,
  key,
  overrides,
  models,
  now,
}: {
  database: TestStorage
  key: string
  overrides: Partial<Config>
  models: readonly TwinModel[] | undefined
  now: () => number
}): Promise<TestService> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'diorama-test-'))
  const logged: TestService['logged'] = []
  const put = (level: string) => (facts: object, message: string) =>
    void logged.push({ level, facts, message })
  const config: Config = {
    ...readConfig({ PORT: '0', DIORAMA_EMBEDDINGS: 'off' }),
    dataDir,
    apiKey: key,
    databaseUrl: database.url,
    encryptionKeys: [createHash('sha256').update(database.url).digest()],
    checkReplies: true,
    // Starting threads takes longer than most tests; those about isolates ask for them.
    twinIsolates: undefined,
    ...overrides,
  }
  const app = await openApp({
    config,
    storage: database.storage,
    log: { ...silentLog, warn: put('warn'), error: put('error') },
    now,
    random: randomBytes,
    version: '0.0.0-test',
    holder: randomBytes(8).toString('hex'),
    ...(models ? { models } : {}),
  }).catch(async (error) => {
    await database[Symbol.asyncDispose]()
    throw error
  })
  return {
    app,
    baseUrl: app.baseUrl,
    key,
    storage: database.storage,
    databaseUrl: database.url,
    dataDir,
    logged,
    call: (method, path, body, options = {}) => call({ base: app.baseUrl, key, method, path, body, options }),
    [Symbol.asyncDispose]: async () => {
      await app.drain()
      await database[Symbol.asyncDispose]()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

const call = async (request: {
  base: string
  key: string
  method: string
  path: string
  body: unknown
  options: CallOptions
}): Promise<Called> => {
  const { base, key, method, path, body, options } = request
  const credential = options.key === undefined ? key : options.key
  const reply = await fetch(`${base}${path}`, {
    method,
    headers: {
      ...(credential === null ? {} : { authorization: `Bearer ${credential}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    },
    ...(body === undefined ? {} : { body: payload(body) }),
  })
  const text = await reply.text()
  return { status: reply.status, headers: reply.headers, text, body: parsed(text) }
}

const payload = (body: unknown): string | Uint8Array<ArrayBuffer> => {
  if (typeof body === 'string') return body
  return body instanceof Uint8Array ? Uint8Array.from(body) : JSON.stringify(body)
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
