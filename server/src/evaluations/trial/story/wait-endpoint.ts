import { durationMs } from '@diorama/contract/durations'
import { isTimestamp } from '@diorama/contract/pages'
import type { GatewayReply, GatewayRequest } from '@diorama/sandbox/gateway/options'
import type { Heard } from '../../../worlds/clock/world-clock.ts'
import type { StoryWait, StoryWaited } from './story-wait.ts'

/** Inside a sandbox this name leads to the world itself: its clock, and waiting. */
export const worldHost = 'world.internal'
/** The variable that names it to agents. */
export const worldVariable = 'SVC_WORLD_URL'

const maxWaitMs = 366 * 86_400_000

/** Answers `GET /clock` and `POST /wait`; `waited` is called for each wait, to record it. */
export const answerWorld = async (
  story: StoryWait,
  { method, path, body }: GatewayRequest,
  waited: (wait: StoryWaited) => void,
): Promise<GatewayReply> => {
  const [route] = path.split('?')
  if (method === 'GET' && route === '/clock') return json(200, { mode: story.mode(), now: iso(story.now()) })
  if (method !== 'POST' || route !== '/wait')
    return json(404, { error: 'There is GET /clock and POST /wait.', code: 'not_found' })
  const asked = readWait(body, story.now())
  if (typeof asked === 'string') return json(400, { error: asked, code: 'malformed' })
  const wait = await story.waitUntil(asked.deadline, { untilTold: asked.untilTold })
  waited(wait)
  return json(200, {
    now: iso(wait.to),
    waited_seconds: (wait.to - wait.from) / 1_000,
    told: wait.told.map(toldTo),
  })
}

/** Something that the world said to the agent, as the agent receives it. */
export const toldTo = ({ at, service, notice }: Heard) => ({
  at: iso(at),
  service,
  from: notice.from,
  kind: notice.kind,
  text: notice.text,
})

/** When the wait is over, or what is wrong with it. */
const readWait = (body: Buffer, now: number): { deadline: number; untilTold: boolean } | string => {
  let sent: unknown
  try {
    sent = JSON.parse(body.toString('utf8'))
  } catch {
    return 'The body must be JSON, such as {"for": "2h"}.'
  }
  if (typeof sent !== 'object' || sent === null) return 'The body must be an object, such as {"for": "2h"}.'
  const { for: length, until, seconds, until_told: untilTold = false, ...unknown } = sent as Partial<WaitBody>
  const [stranger] = Object.keys(unknown)
  if (stranger !== undefined) return `/${stranger} is not known; use for, seconds or until, and until_told.`
  if (typeof untilTold !== 'boolean') return '/until_told must be true or false.'
  const deadline = deadlineOf({ for: length, until, seconds }, now)
  if (typeof deadline === 'string') return deadline
  return deadline - now > maxWaitMs ? 'A wait may take a year at most.' : { deadline, untilTold }
}

interface WaitBody {
  readonly for: unknown
  readonly until: unknown
  readonly seconds: unknown
  readonly until_told: unknown
}

const deadlineOf = (sent: Omit<WaitBody, 'until_told'>, now: number): number | string => {
  const given = Object.values(sent).filter((value) => value !== undefined)
  if (given.length !== 1) return 'One of /for, /seconds and /until says how long to wait.'
  if (sent.seconds !== undefined)
    return typeof sent.seconds === 'number' && sent.seconds >= 0
      ? now + Math.round(sent.seconds * 1_000)
      : '/seconds must be a number that is not negative.'
  if (sent.for !== undefined) {
    const length = typeof sent.for === 'string' ? durationMs(sent.for) : undefined
    return length === undefined ? '/for must be a length of time such as 90s, 2h or 1h30m.' : now + length
  }
  return typeof sent.until === 'string' && isTimestamp(sent.until)
    ? Date.parse(sent.until)
    : '/until must be an ISO-8601 time with an offset, such as 2026-03-02T09:00:00Z.'
}

const iso = (at: number): string => new Date(at).toISOString()

const json = (status: number, body: unknown): GatewayReply => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: JSON.stringify(body),
})
